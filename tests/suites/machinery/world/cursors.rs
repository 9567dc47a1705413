//! Tests of the placeholders for cursors in random sequences.

use super::{Cursors, blanked};

#[test]
fn the_last_cursor_is_inserted() {
    let mut cursors = Cursors::default();
    let target = "/a?cursor=<cursor>&b=<cut-cursor>x&c=<changed-cursor>";
    assert_eq!(cursors.fill(target), "/a?cursor=none&b=nonx&c=noAe");
    cursors.note(r#"{"data":[],"meta":{"limit":0,"next_cursor":"abAd"}}"#);
    cursors.note(r#"{"success":false,"message":"],\"meta\":{\"limit\":"}"#);
    assert_eq!(cursors.fill(target), "/a?cursor=abAd&b=abAx&c=abBd");
    cursors.note(r#"{"data":["\"next_cursor\":\"x\""],"meta":{"limit":1}}"#);
    assert_eq!(cursors.fill(target), "/a?cursor=&b=nonx&c=noAe");
}

#[test]
fn only_the_text_of_a_cursor_is_blanked() {
    let body = r#"{"data":[1],"meta":{"limit":1,"next_cursor":"abc"}}"#;
    assert_eq!(blanked(body), body.replace("abc", ""));
    let without = r#"{"data":["\"next_cursor\":\"x\""],"meta":{"limit":1}}"#;
    assert_eq!(blanked(without), without);
}
