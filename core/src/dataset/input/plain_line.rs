//! The fast path for a line in the usual form: its type is first, and it has no blanks and no
//! escapes.

use crate::dataset::staging::line_values::Line;
use crate::json::Plain;
use crate::record::values::plain_record;
use crate::record::{Kind, Value};

/// Parses a line. Returns `None` if it has another form or may be faulty; the parser of all JSON
/// then reads it and describes the fault.
pub(crate) fn parse(text: &str) -> Option<Line<'_>> {
    let mut rest = Plain::new(text);
    if !rest.take(b"{") || !rest.take_name("type") {
        return None;
    }
    let kind = Kind::named(rest.string()?)?;
    if !rest.take(b",") {
        return None;
    }
    let mut values = vec![Value::Empty; kind.fields().len()];
    plain_record::take_members(&mut rest, kind.fields(), &mut values)?;
    let mut line = Line {
        kind,
        deleted: false,
        values,
    };
    (rest.is_at_end() && line.check().is_ok()).then_some(line)
}

#[cfg(test)]
mod tests {
    use crate::dataset::input::line;
    use crate::dataset::input::plain_line::*;

    const LINES: [&str; 6] = [
        r#"{"type":"mark","school_id":1000,"assessment_id":"012","learner_id":7,"mark":"12.5","percentage":-0.50,"captured":1,"dtime":"2026-05-14 08:30:00"}"#,
        r#"{"type":"learner_subject","school_id":1,"learner_id":2,"year":2026,"subject_id":3,"grade_id":9,"terms":[{"term":1,"subject_group_id":"5","subject_group_name":"A","mark":"61.25"},{"term":2}]}"#,
        r#"{"type":"school","school_id":1,"current_year":2026,"has_hostel":"Yes","utc_offset":"+02:00"}"#,
        r#"{"type":"absentee","school_id":1,"id":5,"learner_id":2,"absent_date":"2026-02-28"}"#,
        r#"{"type":"learner","school_id":1,"id":18446744073709551615,"last_name":"Zo\u00eb Ng\u2019ang\u2019a","status":"left","grade_id":"","photo_url":null}"#,
        r#"{"type":"integrator","username":"zoe","password":"secret"}"#,
    ];

    /// Returns whether the fast path parses a line, and checks that the parser of all JSON returns
    /// the same.
    fn agrees(text: &str) -> bool {
        let Some(line) = parse(text) else {
            return false;
        };
        assert_eq!(line::parse_any(text).as_ref(), Ok(&line), "{text}");
        true
    }

    /// Tests lines with one byte changed, removed or inserted, with two members swapped, and with a
    /// member repeated.
    #[test]
    fn it_agrees_with_the_parser_of_all_json() {
        let mut read = 0;
        for text in LINES {
            let text = text
                .replace("\\u00eb", "\u{eb}")
                .replace("\\u2019", "\u{2019}");
            assert!(agrees(&text), "{text}");
            for at in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
                let (before, after) = text.split_at(at);
                let after_next = after.chars().next().map_or(0, char::len_utf8);
                let without = after.get(after_next..).unwrap_or_default();
                read += u32::from(agrees(&format!("{before}{without}")));
                for put in "\"\\,:{}[] \t\r05.-eEn\u{1}a".chars() {
                    read += u32::from(agrees(&format!("{before}{put}{after}")));
                    read += u32::from(agrees(&format!("{before}{put}{without}")));
                }
            }
            let members: Vec<&str> = text.trim_matches(['{', '}']).split(',').collect();
            for one in 0..members.len() {
                for other in 0..members.len() {
                    let mut changed = members.clone();
                    changed.swap(one, other);
                    read += u32::from(agrees(&format!("{{{}}}", changed.join(","))));
                    changed.extend(members.get(one));
                    read += u32::from(agrees(&format!("{{{}}}", changed.join(","))));
                }
            }
        }
        assert!(read > 1000, "{read}");
    }
}
