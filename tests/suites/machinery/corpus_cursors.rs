//! Tests of the placeholders for cursors in the corpus.

use rollbook_tests::corpus::{Cursors, Request};

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
fn a_cursor_is_copied_from_an_answer_to_a_target() {
    let mut cursors = Cursors::default();
    assert!(cursors.fits(&answer("Az-09_"), EXPECTED));
    assert_eq!(target(&cursors, "/l?cursor=<a1>"), "/l?cursor=Az-09_");
    assert_eq!(
        target(&cursors, "/l?cursor=x<a1><a1>&y"),
        "/l?cursor=xAz-09_Az-09_&y"
    );
    // The last value of a name counts, and two names may have the same cursor.
    assert!(cursors.fits(&answer("B"), EXPECTED));
    assert!(cursors.fits(&answer("B"), &answer("<b>")));
    assert_eq!(target(&cursors, "<a1><b>"), "BB");
}

#[test]
fn what_is_no_cursor_does_not_fit() {
    for cursor in ["", "a b", "a+b", "a=", "a/b", "a.b", "ä", "<a1>", "a\"b"] {
        let fits = Cursors::default().fits(&answer(cursor), EXPECTED);
        assert!(!fits, "{cursor}");
    }
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
}

#[test]
#[should_panic(expected = "no answer before gave <b>")]
fn a_name_that_no_answer_gave() {
    target(&Cursors::default(), "/l?cursor=<b>");
}
