//! 4.2 the join, the gate, the marks.

use super::{error, get, get_at, lines, twin};

/// Grade 9, year 2026, term 1 of subject 10 with assessment 5, which is released.
const TERM: &str = r#"
{"type":"year","school_id":1000,"year":2026,"year_name":"This year"}
{"type":"term","school_id":1000,"year":2026,"term":1,"term_id":98,"start_date":"2026-01-15","end_date":"2026-05-14"}
{"type":"grade","school_id":1000,"grade_id":9,"grade":"7"}
{"type":"subject","school_id":1000,"subject_id":10,"subject_name":"Ten"}
{"type":"learning_outcome","school_id":1000,"learning_outcome_id":3,"learning_outcome_name":"LO"}
{"type":"assessment","school_id":1000,"assessment_id":5,"grade_id":9,"year":2026,"term":1,"subject_id":10,"learning_outcome_id":3,"assessment_name":"Test","assessment_date":"2026-02-01","weight":"10.005","mark_out_of":30}
{"type":"learner_subject","school_id":1000,"learner_id":1,"year":2026,"subject_id":10,"grade_id":9,"terms":[{"term":1},{"term":2}]}
"#;

const NONE: &str = "No subject mark records found";

fn marks(twin: &super::Twin, query: &str) -> (u16, String) {
    get(
        twin,
        &format!("/currplus/learnerassessmentmarks/1000?{query}"),
    )
}

/// The seven ids of every assessment that a query finds.
fn places(twin: &super::Twin, query: &str) -> Vec<String> {
    fn walk(value: &serde_json::Value, path: &str, found: &mut Vec<String>) {
        for below in [
            "years",
            "terms",
            "learners",
            "subjects",
            "learning_outcomes",
            "assessments",
        ] {
            if let Some(items) = value.get(below).and_then(serde_json::Value::as_object) {
                for (id, item) in items {
                    walk(item, &format!("{path}/{id}"), found);
                }
            }
        }
        if value.get("assessment_id").is_some() {
            found.push(path.to_owned());
        }
    }
    let (status, body) = marks(twin, query);
    let mut found = Vec::new();
    if status == 200 {
        let top: serde_json::Value = serde_json::from_str(&body).unwrap();
        for (id, item) in top.as_object().unwrap() {
            walk(item, id, &mut found);
        }
    }
    found
}

#[test]
fn the_nested_object() {
    let twin = twin(TERM);
    let around = |leaf: &str| {
        let start = r#"{"9":{"grade":"7","years":{"2026":{"year":"2026","year_name":"This year","terms":{"1":{"term":"1","learners":{"1":{"learner_id":"1","subjects":{"10":{"subject_id":"10","subject_name":"Ten","learning_outcomes":{"3":{"learning_outcome_id":"3","learning_outcome_name":"LO","assessments":{"5":"#;
        format!("{start}{leaf}{}", "}".repeat(13))
    };
    let full = r#"{"assessment_id":"5","assessment_name":"Test","assessment_date":"2026-02-01","weight":"10.01","dtime":"","percentage":"","mark":"","mark_out_of":"30.00","captured":"0"}"#;
    let short = r#"{"assessment_id":"5","assessment_name":"Test","assessment_date":"2026-02-01","weight":"10.01"}"#;
    assert_eq!(marks(&twin, "learner_id=1"), (200, around(full)));
    assert_eq!(
        marks(&twin, "grade_id=009&structure=False"),
        (200, around(full))
    );
    assert_eq!(marks(&twin, "grade_id=9&structure=1"), (200, around(short)));
}

#[test]
fn key_levels_ascend_as_numbers() {
    let mut twin = twin(TERM);
    for (id, outcome) in [("18446744073709551615", 3), ("40", 3), ("7", 20), ("6", 3)] {
        let line = format!(
            r#"{{"type":"assessment","school_id":1000,"assessment_id":{id},"grade_id":9,"year":2026,"term":1,"subject_id":10,"learning_outcome_id":{outcome},"assessment_date":"2026-02-01","weight":1,"mark_out_of":1}}"#
        );
        twin.apply(&[line]).unwrap();
    }
    let (_, body) = marks(&twin, "grade_id=9");
    let places: Vec<usize> = [
        "\"3\":{",
        "\"5\":{",
        "\"6\":{",
        "\"40\":{",
        "\"18446744073709551615\":{",
        "\"20\":{",
        "\"7\":{",
    ]
    .iter()
    .map(|key| body.find(key).unwrap())
    .collect();
    assert!(places.is_sorted(), "{body}");
}

#[test]
fn filters_are_on_the_assessment_itself() {
    let mut twin = twin(TERM);
    twin.apply(&lines(
        r#"
{"type":"mark","school_id":1000,"assessment_id":5,"learner_id":2,"mark":1}
{"type":"mark","school_id":1000,"assessment_id":99,"learner_id":2,"mark":1}
{"type":"learner_subject","school_id":1000,"learner_id":3,"year":2026,"subject_id":10,"grade_id":9,"terms":[{"term":2}]}
{"type":"learner_subject","school_id":1000,"learner_id":4,"year":2026,"subject_id":10,"grade_id":8,"terms":[{"term":1}]}
"#,
    ))
    .unwrap();
    let both = ["9/2026/1/1/10/3/5", "9/2026/1/2/10/3/5"];
    for query in [
        "grade_id=9",
        "grade_id=9&year=2026&term=01&subject_id=10&learning_outcome_id=3&assessment_id=5",
    ] {
        assert_eq!(places(&twin, query), both, "{query}");
    }
    assert_eq!(places(&twin, "learner_id=2"), [both[1]]);
    for query in [
        "learner_id=3",
        "learner_id=4",
        "grade_id=8",
        "learner_id=1&grade_id=8",
        "learner_id=1&year=2025",
        "learner_id=1&term=2",
        "learner_id=1&subject_id=1",
        "learner_id=1&learning_outcome_id=1",
        "learner_id=1&assessment_id=99",
    ] {
        assert_eq!(
            marks(&twin, query),
            error(404, "Not found", NONE),
            "{query}"
        );
    }
}

#[test]
fn the_gate_is_the_release_date_or_the_end_of_the_term() {
    let twin = twin(TERM);
    // Midnight of 14 May 2026 at +02:00.
    let midnight = 1_778_709_600;
    let open = |twin: &super::Twin, now: i64| {
        get_at(
            twin,
            now,
            "/currplus/learnerassessmentmarks/1000?learner_id=1",
        )
        .0
    };
    assert_eq!(
        [open(&twin, midnight - 1), open(&twin, midnight)],
        [404, 200]
    );
    let program = |more: &str| {
        let line = format!(
            r#"{{"type":"learning_program","school_id":1000,"grade_id":9,"year":2026,"term":1,"subject_id":10{more}}}"#
        );
        let mut twin = twin.clone();
        twin.apply(&[line]).unwrap();
        twin
    };
    let undated = program("");
    assert_eq!(
        [open(&undated, midnight - 1), open(&undated, midnight)],
        [404, 200]
    );
    let late = program(r#","mark_release_date":"2026-05-15""#);
    assert_eq!(
        [
            open(&late, midnight),
            open(&late, midnight + 86_399),
            open(&late, midnight + 86_400)
        ],
        [404, 404, 200]
    );
    let early = program(r#","mark_release_date":"2026-01-01""#);
    assert_eq!(open(&early, midnight - 86_400), 200);
    assert_eq!(
        get_at(
            &late,
            0,
            "/currplus/learnerassessmentmarks/1000?learner_id=1&structure=1"
        )
        .0,
        200
    );
    let remove =
        r#"{"type":"term","school_id":1000,"year":2026,"term":1,"deleted":true}"#.to_owned();
    let mut neither = undated.clone();
    neither.apply(std::slice::from_ref(&remove)).unwrap();
    assert_eq!(open(&neither, i64::MAX), 404);
    let mut early = early;
    early.apply(&[remove]).unwrap();
    assert_eq!(open(&early, midnight), 200);
}

#[test]
fn what_a_mark_answers() {
    let cases = [
        (r#""mark":20"#, ["", "66.67", "20.00", "1"]),
        (
            r#""mark":"1.5","percentage":"12.345","dtime":"2026-02-02 10:00:00""#,
            ["2026-02-02 10:00:00", "12.35", "1.50", "1"],
        ),
        (r#""percentage":"-0.004""#, ["", "0.00", "", "1"]),
        (r#""mark":0"#, ["", "0.00", "0.00", "1"]),
        (r#""mark":-1"#, ["", "-3.33", "-1.00", "1"]),
        (
            r#""mark":7,"percentage":"a","captured":0,"dtime":"2026-02-02 10:00:00""#,
            ["2026-02-02 10:00:00", "a", "", "1"],
        ),
        (
            r#""mark":7,"percentage":50,"captured":"00""#,
            ["", "", "", "0"],
        ),
        (r#""captured":null"#, ["", "", "", "1"]),
        (r#""mark":0.0015"#, ["", "0.01", "0.00", "1"]),
        (r#""mark":0.001499"#, ["", "0.00", "0.00", "1"]),
        (r#""mark":0.005"#, ["", "0.02", "0.01", "1"]),
    ];
    for (fields, expected) in cases {
        let line = format!(
            r#"{{"type":"mark","school_id":1000,"assessment_id":5,"learner_id":1,{fields}}}"#
        );
        let mut twin = twin(TERM);
        twin.apply(&[line]).unwrap();
        let body: serde_json::Value =
            serde_json::from_str(&marks(&twin, "learner_id=1").1).unwrap();
        let leaf = &body["9"]["years"]["2026"]["terms"]["1"]["learners"]["1"]["subjects"]["10"]["learning_outcomes"]
            ["3"]["assessments"]["5"];
        let found =
            ["dtime", "percentage", "mark", "captured"].map(|name| leaf[name].as_str().unwrap());
        assert_eq!(found, expected, "{fields}");
    }
}

#[test]
fn nothing_out_of_zero() {
    let mut twin = twin(TERM);
    let line = r#"{"type":"mark","school_id":1000,"assessment_id":5,"learner_id":1,"mark":20}"#;
    let zero = TERM.replace("\"mark_out_of\":30", "\"mark_out_of\":\"-0.0\"");
    twin.apply(&lines(&format!("{zero}{line}"))).unwrap();
    assert!(
        marks(&twin, "learner_id=1")
            .1
            .contains(r#""percentage":"","mark":"20.00","mark_out_of":"0.00","captured":"1""#)
    );
}
