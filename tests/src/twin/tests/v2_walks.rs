//! Walks: what comes and goes between pages, and what a walk holds on to.

use super::{NOW, Twin, get_v2_at, lines, twin};

const DAY: i64 = 86_400;

/// The page of one record at an instant: the field of the record, if there is one, and the next cursor.
fn step(
    twin: &Twin,
    now: i64,
    target: &str,
    cursor: &str,
    field: &str,
) -> (Option<String>, String) {
    let and = if target.contains('?') { '&' } else { '?' };
    let target = format!("{target}{and}limit=1{cursor}");
    let (status, body) = get_v2_at(twin, now, &target);
    assert_eq!(status, 200, "{target}: {body}");
    let body: serde_json::Value = serde_json::from_str(&body).unwrap();
    let shown = body["data"].get(0).map(|record| record[field].to_string());
    let next = body["meta"]
        .get("next_cursor")
        .map_or_else(String::new, |next| {
            format!("&cursor={}", next.as_str().unwrap())
        });
    (shown, next)
}

fn learner(id: u64) -> String {
    format!(r#"{{"type":"learner","school_id":1000,"id":{id}}}"#)
}

#[test]
fn records_come_and_go_between_pages() {
    for (order, expected) in [
        ("?reverse_order=0", ["2", "4", "6", "8"]),
        ("?reverse_order=1", ["8", "6", "4", "2"]),
    ] {
        let mut twin = twin(&[2, 4, 5, 6, 8].map(learner).join("\n"));
        let target = format!("/adminplus/learners{order}");
        let (mut seen, mut cursor) = (Vec::new(), String::new());
        for turn in 0..4 {
            let (id, next) = step(&twin, NOW, &target, &cursor, "id");
            seen.push(id.unwrap());
            cursor = next;
            // The one that was seen last, too, and one that was not.
            match turn {
                0 => drop(twin.erase_learner(1000, 5)),
                1 => drop(twin.erase_learner(1000, if order.ends_with('1') { 6 } else { 4 })),
                _ => drop(twin.apply(&[learner(if order.ends_with('1') { 9 } else { 1 })])),
            }
        }
        assert_eq!(
            (seen.as_slice(), cursor.as_str()),
            (expected.map(str::to_owned).as_slice(), "")
        );
    }
}

#[test]
fn a_new_record_ahead_is_seen() {
    let mut twin = twin(&[2, 8].map(learner).join("\n"));
    let (_, cursor) = step(&twin, NOW, "/adminplus/learners", "", "id");
    twin.apply(&[learner(5)]).unwrap();
    let (id, cursor) = step(&twin, NOW, "/adminplus/learners", &cursor, "id");
    assert_eq!(id.as_deref(), Some("5"));
    // What is gone when the page is asked leaves it empty.
    twin.erase_learner(1000, 8);
    assert_eq!(
        step(&twin, NOW, "/adminplus/learners", &cursor, "id"),
        (None, String::new())
    );
}

#[test]
fn a_window_of_dates_does_not_move_under_a_walk() {
    let twin = twin(
        r#"
{"type":"absentee","school_id":1000,"id":2,"learner_id":1,"absent_date":"2026-04-14"}
{"type":"absentee","school_id":1000,"id":10,"learner_id":1,"absent_date":"2026-04-14"}
{"type":"absentee","school_id":1000,"id":6,"learner_id":1,"absent_date":"2026-05-01"}
{"type":"absentee","school_id":1000,"id":1,"learner_id":1,"absent_date":"2026-05-14"}
{"type":"absentee","school_id":1000,"id":3,"learner_id":1,"absent_date":"2026-05-15"}
"#,
    );
    let step = |now, cursor: &str| step(&twin, now, "/adminplus/learnerabsentees", cursor, "id");
    let (id, cursor) = step(NOW, "");
    assert_eq!(id.as_deref(), Some("2"));
    let (id, second) = step(NOW + 40 * DAY, &cursor);
    assert_eq!(id.as_deref(), Some("10"));
    // An instant later than now does not count: the day before, the window ended there.
    let (id, last) = step(NOW - DAY, &second);
    assert_eq!((id.as_deref(), last.as_str()), (Some("6"), ""));
    // The instant of the first page goes on to the last, also over a clock that was set back.
    let (_, third) = step(NOW - DAY, &cursor);
    for now in [NOW, NOW + 40 * DAY] {
        let (id, fourth) = step(now, &third);
        assert_eq!(id.as_deref(), Some("6"));
        let (id, last) = step(now, &fourth);
        assert_eq!((id.as_deref(), last.as_str()), (Some("1"), ""));
    }
    let (_, late) = step(NOW + DAY, "");
    let (id, late) = step(NOW + DAY, &late);
    assert_eq!(id.as_deref(), Some("1"));
    assert_eq!(step(NOW, &late).0, None);
    assert_eq!(step(NOW + DAY, &late).0.as_deref(), Some("3"));
}

#[test]
fn no_mark_is_released_into_a_walk() {
    let assessment = |id: u64, term: u64| {
        format!(
            r#"{{"type":"assessment","school_id":1000,"assessment_id":{id},"grade_id":9,"year":2026,"term":{term},"subject_id":10,"learning_outcome_id":3,"assessment_date":"2026-02-01","weight":1,"mark_out_of":1}}
{{"type":"mark","school_id":1000,"assessment_id":{id},"learner_id":1}}
{{"type":"learning_program","school_id":1000,"grade_id":9,"year":2026,"term":{term},"subject_id":10,"mark_release_date":"2026-05-1{}"}}"#,
            3 + term
        )
    };
    let twin = twin(&[assessment(1, 1), assessment(2, 1), assessment(3, 2)].join("\n"));
    let target = "/currplus/learnerassessmentmarks?grade_id=9";
    let (_, cursor) = step(&twin, NOW, target, "", "assessment_id");
    let (id, next) = step(&twin, NOW + DAY, target, &cursor, "assessment_id");
    assert_eq!((id.as_deref(), next.as_str()), (Some("2"), ""));
    // A new walk has it.
    let (_, cursor) = step(&twin, NOW + DAY, target, "", "assessment_id");
    let (_, cursor) = step(&twin, NOW + DAY, target, &cursor, "assessment_id");
    let (id, _) = step(&twin, NOW + DAY, target, &cursor, "assessment_id");
    assert_eq!(id.as_deref(), Some("3"));
}

#[test]
fn a_walk_stays_in_its_year() {
    let subject = |year: u64, subject: u64| {
        format!(
            r#"{{"type":"learner_subject","school_id":1000,"learner_id":1,"year":{year},"subject_id":{subject},"grade_id":9,"terms":[{{"term":1,"mark":1}}]}}"#
        )
    };
    let mut twin = twin(
        &[
            subject(2026, 1),
            subject(2026, 10),
            subject(2027, 5),
            subject(2027, 20),
        ]
        .join("\n"),
    );
    let next_year = r#"{"type":"school","school_id":1000,"current_year":2027}"#;
    let before = twin.clone();
    twin.apply(&lines(next_year)).unwrap();
    for path in [
        "learnersubjects",
        "learnersubjectsperterm",
        "learnersubjectmarks",
    ] {
        let target = format!("/currplus/{path}?learner_id=1");
        let (_, cursor) = step(&before, NOW, &target, "", "subject_id");
        let (id, next) = step(&twin, NOW, &target, &cursor, "subject_id");
        assert_eq!((id.as_deref(), next.as_str()), (Some("10"), ""), "{path}");
        let (id, _) = step(&twin, NOW, &target, "", "subject_id");
        assert_eq!(id.as_deref(), Some("5"), "{path}");
    }
}
