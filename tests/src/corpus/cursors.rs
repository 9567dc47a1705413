//! The cursors of a case. They are opaque, so the files refer to them by name.

use super::Request;
use std::collections::HashMap;

const PLACE: &str = "\"next_cursor\":\"";

/// The cursors that the answers of a case returned, by the names that the case gives them.
#[derive(Debug, Default)]
pub struct Cursors(HashMap<String, String>);

impl Cursors {
    /// Returns the target of a request, with each `<NAME>` replaced by the cursor.
    pub fn target(&self, request: &Request) -> String {
        let mut parts = request.target.split('<');
        let mut target = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (name, rest) = part.split_once('>').expect("a name and its end");
            let cursor = self.0.get(name);
            target += cursor.unwrap_or_else(|| panic!("no answer before gave <{name}>"));
            target += rest;
        }
        target
    }

    /// Returns whether an answer is the expected one. If it is, its cursor is stored.
    pub fn fits(&mut self, found: &str, expected: &str) -> bool {
        let Some((before, name, after)) = named(expected) else {
            return found == expected;
        };
        let cursor = found
            .strip_prefix(before)
            .and_then(|rest| rest.strip_suffix(after))
            .filter(|cursor| !cursor.is_empty() && cursor.bytes().all(opaque));
        if let Some(cursor) = cursor {
            self.0.insert(name.to_owned(), cursor.to_owned());
        }
        cursor.is_some()
    }
}

/// Returns the text before the name of a cursor, the name, and the text after it.
fn named(expected: &str) -> Option<(&str, &str, &str)> {
    let start = expected.find(&format!("{PLACE}<"))? + PLACE.len();
    let (before, rest) = expected.split_at(start);
    let (name, after) = rest.strip_prefix('<')?.split_once('>')?;
    assert!(
        !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()),
        "<{name}> names no cursor"
    );
    Some((before, name, after))
}

fn opaque(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'
}
