//! What a transaction keeps, needs and counts.

use super::{Twin, counts, get, lines, refused, twin};

const YEAR: &str = r#"{"type":"year","school_id":7,"year":2026}"#;
const SCHOOL_7: &str = r#"{"type":"school","school_id":7,"current_year":2026}"#;
const SCHOOL_7_GONE: &str = r#"{"type":"school","school_id":7,"deleted":true}"#;

#[test]
fn three_kinds_need_their_school() {
    let twin = Twin::default();
    let data = r#"
{"type":"learner","school_id":7,"id":1}
{"type":"client_integration","username":"x","school_id":"07","api_type_id":1}
{"type":"term","school_id":8,"year":2026,"term":1,"term_id":1,"start_date":"2026-01-01","end_date":"2026-01-01"}
{"type":"year","school_id":9,"year":2026}
{"type":"year","school_id":9,"year":2026,"year_name":"again"}
"#;
    assert_eq!(
        refused(&twin, data),
        "line 2: client_integration: school_id: school 7 is not in the store"
    );
    let faults = twin.check(&lines(data), 9);
    assert_eq!(
        faults,
        [
            "line 2: client_integration: school_id: school 7 is not in the store",
            "line 3: term: school_id: school 8 is not in the store",
            "line 5: year: school_id: school 9 is not in the store",
        ]
    );
    assert_eq!(twin.check(&lines(data), 2), faults[..2]);
    assert_eq!(
        refused(&twin, &format!("{data}{{}}")),
        "line 6: type: is missing"
    );
    assert!(
        twin.clone()
            .apply(&[YEAR.to_owned(), SCHOOL_7.to_owned()])
            .is_ok()
    );
}

#[test]
fn a_school_that_is_needed_stays() {
    let mut twin = Twin::default();
    twin.apply(&[SCHOOL_7.to_owned(), YEAR.to_owned()]).unwrap();
    let gone = "school: school_id: school 7 is still needed by a client_integration, year or term";
    assert_eq!(refused(&twin, SCHOOL_7_GONE), format!("line 1: {gone}"));
    assert_eq!(
        refused(
            &twin,
            &format!("{SCHOOL_7}\n\n{SCHOOL_7_GONE}\n{SCHOOL_7_GONE}")
        ),
        format!("line 4: {gone}")
    );
    assert_eq!(
        refused(&twin, &format!("{SCHOOL_7_GONE}\n{YEAR}")),
        "line 2: year: school_id: school 7 is not in the store"
    );
    let year_gone = YEAR.replace('}', ",\"deleted\":true}");
    for data in [
        [SCHOOL_7_GONE, &year_gone, ""],
        [&year_gone, SCHOOL_7_GONE, ""],
        [SCHOOL_7_GONE, SCHOOL_7, ""],
        [SCHOOL_7_GONE, YEAR, SCHOOL_7],
    ] {
        assert!(
            twin.clone().apply(&data.map(str::to_owned)).is_ok(),
            "{data:?}"
        );
    }
}

#[test]
fn a_fault_keeps_nothing() {
    let mut twin = twin("");
    let before = twin.export();
    let data = [
        r#"{"type":"learner","school_id":1000,"id":1}"#.to_owned(),
        "{}".to_owned(),
    ];
    assert!(twin.apply(&data).is_err());
    assert!(twin.replace_school(1000, &data).is_err());
    assert_eq!(twin.export(), before);
}

#[test]
fn only_the_last_line_of_a_key_counts() {
    let mut twin = twin("");
    let learner = |id: u8, name: &str| {
        format!(r#"{{"type":"learner","school_id":1000,"id":{id},"first_name":"{name}"}}"#)
    };
    let gone =
        |id: u8| format!(r#"{{"type":"learner","school_id":1000,"id":{id},"deleted":true}}"#);
    let summary = twin
        .apply(&[
            learner(1, "A"),
            gone(1),
            learner(2, "B"),
            learner(2, "C"),
            gone(3),
        ])
        .unwrap();
    assert_eq!(counts(&summary, "learner"), [1, 0, 0, 0]);
    assert_eq!(summary.len(), 1);
    let spelled = r#"{"type":"learner","id":"02","school_id":"1000","first_name":"\u0043","status":"current","last_name":null}"#;
    let summary = twin
        .apply(&[
            gone(2),
            learner(2, "D"),
            spelled.to_owned(),
            learner(4, "E"),
        ])
        .unwrap();
    assert_eq!(counts(&summary, "learner"), [1, 0, 0, 1]);
    let summary = twin.apply(&[learner(2, "D"), gone(4)]).unwrap();
    assert_eq!(counts(&summary, "learner"), [0, 1, 1, 0]);
    assert!(twin.apply(&[gone(4)]).unwrap().is_empty());
}

#[test]
fn a_school_is_replaced_as_a_whole() {
    let mut twin = twin(&format!(
        "{SCHOOL_7}\n{YEAR}\n{}",
        r#"{"type":"learner","school_id":1000,"id":1}"#
    ));
    let learner = r#"{"type":"learner","school_id":1001,"id":1}"#;
    assert_eq!(
        twin.replace_school(1000, &lines(&format!("{SCHOOL_7_GONE}\n{learner}"))),
        Err("line 1: school: school_id: 7 is not the school to replace (1000)".to_owned())
    );
    assert_eq!(
        twin.replace_school(
            1000,
            &lines("{\"type\":\"year\",\"school_id\":1000,\"year\":1}")
        ),
        Err("line 1: year: school_id: school 1000 is not in the store".to_owned())
    );
    let data = r#"
{"type":"school","school_id":1000,"current_year":2026}
{"type":"api_type","api_type_id":8,"api_type":"Admin","family":"administration"}
{"type":"client_integration","username":"demo","school_id":1000,"api_type_id":8}
{"type":"learner","school_id":1000,"id":2}
"#;
    let summary = twin.replace_school(1000, &lines(data)).unwrap();
    assert_eq!(counts(&summary, "school"), [0, 1, 0, 0]);
    assert_eq!(counts(&summary, "api_type"), [0, 1, 0, 0]);
    assert_eq!(counts(&summary, "client_integration"), [0, 0, 2, 1]);
    assert_eq!(counts(&summary, "learner"), [1, 0, 1, 0]);
    assert_eq!(get(&twin, "/adminplus/learners/1000").0, 200);
    assert_eq!(
        twin.export()
            .lines()
            .filter(|line| line.contains("\"school_id\":7,"))
            .count(),
        2
    );
}

#[test]
fn a_school_is_removed_with_all_that_bears_its_id() {
    let mut twin = twin(
        "{\"type\":\"learner\",\"school_id\":1000,\"id\":1}\n{\"type\":\"learner\",\"school_id\":7,\"id\":1}",
    );
    assert!(twin.remove_school(8).is_empty());
    let summary = twin.remove_school(1000);
    assert_eq!(counts(&summary, "client_integration"), [0, 0, 3, 0]);
    assert_eq!(counts(&summary, "learner"), [0, 0, 1, 0]);
    assert_eq!(counts(&summary, "school"), [0, 0, 1, 0]);
    assert!(!twin.export().contains("1000"));
    assert_eq!(twin.export().lines().count(), 4);
}

#[test]
fn a_learner_is_erased_but_not_its_parents() {
    let mut twin = twin(
        r#"
{"type":"learner","school_id":1000,"id":5,"parent1_id":5}
{"type":"learner","school_id":1001,"id":5}
{"type":"parent","school_id":1000,"id":5}
{"type":"accountable_person","school_id":1000,"accountable_person_id":5}
{"type":"learner_subject","school_id":1000,"learner_id":5,"year":2026,"subject_id":1,"grade_id":1}
{"type":"learner_subject","school_id":1000,"learner_id":6,"year":2026,"subject_id":5,"grade_id":5}
{"type":"mark","school_id":1000,"assessment_id":1,"learner_id":5}
{"type":"mark","school_id":1000,"assessment_id":5,"learner_id":1}
{"type":"absentee","school_id":1000,"id":1,"learner_id":5,"absent_date":"2026-01-01"}
{"type":"absentee","school_id":1000,"id":5,"learner_id":1,"absent_date":"2026-01-01"}
"#,
    );
    let summary = twin.erase_learner(1000, 5);
    assert_eq!(summary.len(), 4);
    for kind in ["learner", "learner_subject", "mark", "absentee"] {
        assert_eq!(counts(&summary, kind), [0, 0, 1, 0], "{kind}");
    }
    assert!(twin.erase_learner(1000, 5).is_empty());
    assert!(twin.erase_learner(1000, 7).is_empty());
}
