//! The cursors of a sequence. Each implementation makes its own cursors. A target therefore
//! contains a placeholder, which is replaced by the last cursor that the implementation returned.

/// The placeholder of the cursor as it was returned.
pub(super) const GIVEN: &str = "<cursor>";

/// The placeholder of the cursor without its last character.
pub(super) const CUT: &str = "<cut-cursor>";

/// The placeholder of the cursor with another character in its middle.
pub(super) const CHANGED: &str = "<changed-cursor>";

/// The replacement if no cursor was returned yet.
const NONE: &str = "none";

const START: &str = "\"next_cursor\":\"";

/// A text that every page contains.
const META: &str = "],\"meta\":{\"limit\":";

/// The last cursor that an implementation returned. After the last page of a walk it is empty,
/// which a request treats as absent, so that the next page is the first one again.
#[derive(Clone, Debug, Default)]
pub struct Cursors {
    last: Option<String>,
}

impl Cursors {
    /// Returns whether a next page of a walk can be requested.
    pub fn goes_on(&self) -> bool {
        self.last.as_ref().is_some_and(|cursor| !cursor.is_empty())
    }

    /// Returns a target with the placeholders replaced by the cursor.
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

    /// Stores the cursor of a page, or that the page is the last one.
    pub fn note(&mut self, body: &str) {
        if body.contains(META) {
            let cursor = parts(body).map_or("", |(_, cursor, _)| cursor);
            self.last = Some(cursor.to_owned());
        }
    }
}

/// Returns a body without its cursor, because the cursors of implementations differ.
pub fn blanked(body: &str) -> String {
    match parts(body) {
        Some((before, _, after)) => format!("{before}{after}"),
        None => body.to_owned(),
    }
}

/// Returns the text before a cursor, the cursor, and the text after it.
fn parts(body: &str) -> Option<(&str, &str, &str)> {
    let start = body.rfind(START)? + START.len();
    let (before, rest) = body.split_at(start);
    let end = rest.find('"')?;
    Some((before, &rest[..end], &rest[end..]))
}
