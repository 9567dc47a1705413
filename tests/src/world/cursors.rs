//! Cursors in a sequence. Each implementation makes its own, so a target has a placeholder where a cursor
//! stands, and what an implementation gave last stands in for it.

/// The cursor as it was given.
pub(super) const GIVEN: &str = "<cursor>";

/// The cursor without its last character.
pub(super) const CUT: &str = "<cut-cursor>";

/// The cursor with another character in its middle.
pub(super) const CHANGED: &str = "<changed-cursor>";

/// What stands in for a cursor when none was given yet.
const NONE: &str = "none";

const START: &str = "\"next_cursor\":\"";

/// What every page has.
const META: &str = "],\"meta\":{\"limit\":";

/// The cursor that an implementation gave last; empty, which is the same as none in a request, after the last
/// page of a walk, so that the next begins anew.
#[derive(Clone, Debug, Default)]
pub struct Cursors {
    last: Option<String>,
}

impl Cursors {
    /// The next page of a walk can be asked for.
    pub fn goes_on(&self) -> bool {
        self.last.as_ref().is_some_and(|cursor| !cursor.is_empty())
    }

    /// A target with the cursor in place of the placeholders.
    pub fn fill(&self, target: &str) -> String {
        let given = self.last.as_deref().unwrap_or(NONE);
        let whole = if given.is_empty() { NONE } else { given };
        let (first, rest) = whole.split_at(whole.len() / 2);
        let letter = if rest.starts_with('A') { 'B' } else { 'A' };
        target
            .replace(GIVEN, given)
            .replace(CUT, &whole[..whole.len() - 1])
            .replace(CHANGED, &format!("{first}{letter}{}", &rest[1..]))
    }

    /// Remembers the cursor of a page, or that it is the last.
    pub fn note(&mut self, body: &str) {
        if body.contains(META) {
            let cursor = parts(body).map_or("", |(_, cursor, _)| cursor);
            self.last = Some(cursor.to_owned());
        }
    }
}

/// A body without the text of its cursor, which implementations make as they like.
pub fn blanked(body: &str) -> String {
    match parts(body) {
        Some((before, _, after)) => format!("{before}{after}"),
        None => body.to_owned(),
    }
}

/// What stands before a cursor, the cursor, and what stands behind it.
fn parts(body: &str) -> Option<(&str, &str, &str)> {
    let start = body.rfind(START)? + START.len();
    let (before, rest) = body.split_at(start);
    let end = rest.find('"')?;
    Some((before, &rest[..end], &rest[end..]))
}
