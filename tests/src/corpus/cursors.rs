//! The cursors of a case, which no file can know.

use super::Request;
use std::collections::HashMap;

const PLACE: &str = "\"next_cursor\":\"";

/// The cursors that the answers of a case gave, by the names that the case has
/// for them.
#[derive(Debug, Default)]
pub struct Cursors(HashMap<String, String>);

impl Cursors {
    /// The target of a request, each `<NAME>` in it replaced by the cursor.
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

    /// Whether an answer is the expected one; if so, its cursor is remembered.
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

/// What stands before the name of a cursor, the name, and what stands after it.
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

#[cfg(test)]
mod tests {
    use super::Cursors;
    use crate::corpus::Request;

    const EXPECTED: &str = r#"{"data":[],"meta":{"limit":1,"next_cursor":"<a1>"}}"#;

    fn answer(cursor: &str) -> String {
        EXPECTED.replace("<a1>", cursor)
    }

    fn target(cursors: &Cursors, target: &str) -> String {
        cursors.target(&Request {
            method: "GET".to_owned(),
            target: target.to_owned(),
            headers: Vec::new(),
            body: String::new(),
            status: 200,
            allow: None,
            answer: String::new(),
        })
    }

    #[test]
    fn a_cursor_is_taken_from_an_answer_and_put_into_a_target() {
        let mut cursors = Cursors::default();
        assert!(cursors.fits(&answer("Az-09_"), EXPECTED));
        assert_eq!(target(&cursors, "/l?cursor=<a1>"), "/l?cursor=Az-09_");
        assert_eq!(
            target(&cursors, "/l?cursor=x<a1><a1>&y"),
            "/l?cursor=xAz-09_Az-09_&y"
        );
        // The last of a name counts, and a name says nothing about the cursor.
        assert!(cursors.fits(&answer("B"), EXPECTED));
        assert!(cursors.fits(&answer("B"), &answer("<b>")));
        assert_eq!(target(&cursors, "<a1><b>"), "BB");
    }

    #[test]
    fn what_is_no_cursor_does_not_fit() {
        let mut cursors = Cursors::default();
        for cursor in ["", "a b", "a+b", "a=", "a/b", "a.b", "ä", "<a1>", "a\"b"] {
            assert!(!cursors.fits(&answer(cursor), EXPECTED), "{cursor}");
        }
        assert!(cursors.0.is_empty());
    }

    #[test]
    fn all_else_must_be_the_same() {
        let mut cursors = Cursors::default();
        let right = answer("a");
        for wrong in [
            right.replace("\"limit\":1", "\"limit\":2"),
            right.replace("}}", "}}\n"),
            right.replace("}}", "}"),
            right.replace(",\"next_cursor\":\"a\"", ""),
            right.replace("\"a\"", "null"),
            right.replace("{\"data\"", " {\"data\""),
        ] {
            assert!(!cursors.fits(&wrong, EXPECTED), "{wrong}");
        }
        assert!(!cursors.fits(&right, &right.replace("\"a\"", "\"b\"")));
        assert!(!cursors.fits(&right, "{}"));
        assert!(cursors.fits(&right, &right));
        assert!(cursors.0.is_empty());
    }

    #[test]
    #[should_panic(expected = "no answer before gave <b>")]
    fn a_name_that_no_answer_gave() {
        target(&Cursors::default(), "/l?cursor=<b>");
    }
}
