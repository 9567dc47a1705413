//! 4.3, 4.4, 4.5 and 4.9 beyond the published samples.

use super::{error, get, lines, twin};

const TAKEN: &str = r#"
{"type":"subject","school_id":1000,"subject_id":10,"subject_name":"Ten"}
{"type":"grade","school_id":1000,"grade_id":9,"grade":"7"}
{"type":"learner","school_id":1000,"id":2,"first_name":"B","status":"waitlist"}
{"type":"learner","school_id":1000,"id":10,"first_name":"A"}
{"type":"learner_subject","school_id":1000,"learner_id":10,"year":2026,"subject_id":10,"grade_id":9,"terms":[{"term":"10","mark":"66.665"},{"term":"02","mark":-0.001},{"term":3}]}
{"type":"learner_subject","school_id":1000,"learner_id":10,"year":2026,"subject_id":9,"grade_id":9,"terms":[{"term":1,"mark":""}]}
{"type":"learner_subject","school_id":1000,"learner_id":10,"year":2025,"subject_id":8,"grade_id":9,"terms":[{"term":1,"mark":1}]}
{"type":"learner_subject","school_id":1000,"learner_id":2,"year":2026,"subject_id":10,"grade_id":9}
{"type":"learner_subject","school_id":1000,"learner_id":3,"year":2026,"subject_id":10,"grade_id":9}
"#;

#[test]
fn missing_records_leave_names_empty() {
    let twin = twin(TAKEN);
    let expected = r#"[{"year":"2026","subject_id":"9","subject_name":"","super_subject_id":"","super_subject_name":"","grade_id":"9","grade":"7","terms":[{"term_id":0,"term":"1","subject_group_id":"","subject_group_name":"","classroom_id":"","classroom_name":"","subject_group_teacher_id":""}]},"#;
    let (status, body) = get(&twin, "/currplus/learnersubjectsperterm/1000?learner_id=10");
    assert_eq!(status, 200);
    assert!(body.starts_with(expected), "{body}");
    let terms: Vec<_> = body
        .match_indices("\"term\":\"")
        .map(|(start, _)| &body[start + 8..start + 10])
        .collect();
    assert_eq!(terms, ["1\"", "2\"", "3\"", "10"]);
    assert!(
        get(&twin, "/currplus/learnersubjectsperterm/1000?learner_id=3")
            .1
            .ends_with(r#""terms":[]}]"#)
    );
}

#[test]
fn only_terms_with_a_mark_are_listed() {
    let twin = twin(TAKEN);
    let expected = r#"[{"year":"2026","subject_id":"10","subject_name":"Ten","grade_id":"9","grade":"7","terms":[{"term":"2","mark":"0.00"},{"term":"10","mark":"66.67"}]}]"#;
    assert_eq!(
        get(&twin, "/currplus/learnersubjectmarks/1000?learner_id=10"),
        (200, expected.to_owned())
    );
    let none = error(404, "Not found", "No subject mark records found");
    assert_eq!(
        get(&twin, "/currplus/learnersubjectmarks/1000?learner_id=2"),
        none
    );
}

#[test]
fn subjects_are_those_of_current_learners_and_of_the_current_year() {
    let mut twin = twin(TAKEN);
    let row = |learner: u8, name: &str, subject: u8, subject_name: &str| {
        format!(
            r#"{{"learner_id":"{learner}","first_name":"{name}","last_name":"","subject_id":{subject},"subject_name":"{subject_name}"}}"#
        )
    };
    let current = format!("[{},{}]", row(10, "A", 9, ""), row(10, "A", 10, "Ten"));
    assert_eq!(get(&twin, "/currplus/learnersubjects/1000"), (200, current));
    let waiting = format!("[{}]", row(2, "B", 10, "Ten"));
    assert_eq!(
        get(&twin, "/currplus/learnersubjects/1000?learner_id=2"),
        (200, waiting)
    );
    let unknown = format!("[{}]", row(3, "", 10, "Ten"));
    assert_eq!(
        get(&twin, "/currplus/learnersubjects/1000?learner_id=3"),
        (200, unknown)
    );
    twin.apply(&lines(
        r#"{"type":"school","school_id":1000,"current_year":2025}"#,
    ))
    .unwrap();
    let last_year = format!("[{}]", row(10, "A", 8, ""));
    assert_eq!(
        get(&twin, "/currplus/learnersubjects/1000"),
        (200, last_year)
    );
}

#[test]
fn absentees_stand_by_date_then_id() {
    let absentee = |id: &str, date: &str, learner: &str| {
        format!(
            r#"{{"type":"absentee","school_id":1000,"id":{id},"learner_id":{learner},"absent_date":"{date}"}}"#
        )
    };
    let data = [
        absentee("10", "2026-05-14", "1"),
        absentee("9", "2026-05-14", "\"07\""),
        absentee("11", "2026-04-14", "1"),
        absentee("1", "2026-05-15", "1"),
        absentee("2", "2026-04-13", "1"),
    ];
    let twin = twin(&data.join("\n"));
    let ids = |query: &str| {
        let (status, body) = get(&twin, &format!("/adminplus/learnerabsentees/1000?{query}"));
        assert_eq!(status, 200, "{body}");
        let rows: Vec<serde_json::Value> = serde_json::from_str(&body).unwrap();
        rows.iter()
            .map(|row| row["id"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
            .join(" ")
    };
    for (query, expected) in [
        ("", "11 9 10"),
        ("learner_id=1", "11 10"),
        ("from_date=2026-05-15&to_date=2026-05-15", "1"),
        ("to_date=2026-05-15", "9 10 1"),
        ("from_date=2026-04-13", "2 11 9 10"),
        ("from_date=2026-04-14&to_date=2026-05-15", "11 9 10 1"),
        ("to_date=2026-04-14&from_date=2026-03-14", "2 11"),
    ] {
        assert_eq!(ids(query), expected, "{query}");
    }
    let expected = r#"[{"id":"9","learner_id":"7","absent_date":"2026-05-14","absent_reason":""}]"#;
    assert_eq!(
        get(&twin, "/adminplus/learnerabsentees/1000?learner_id=7"),
        (200, expected.to_owned())
    );
}
