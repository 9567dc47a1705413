//! Faults of datasets and their texts.

use super::super::{Twin, comparable};
use super::{lines, refused, twin};

/// A learner of school 1000 with more fields.
fn learner(more: &str) -> String {
    format!(r#"{{"type":"learner","school_id":1000,"id":1,{more}}}"#)
}

#[test]
fn a_line_by_itself() {
    let twin = twin("");
    let decimal = "is not a decimal (at most 12 digits, then at most 6 after a point)";
    let integer = "is not an unsigned integer (at most 18446744073709551615)";
    let cases = [
        (r#"{"school_id":1}"#.to_owned(), "type: is missing".to_owned()),
        (r#"{"type":"","x":1,"x":1}"#.to_owned(), "type: is missing".to_owned()),
        (r#"{"type":"pupil","x":1}"#.to_owned(), r#"type: "pupil" is not a kind of record"#.to_owned()),
        (r#"{"type":["learner"]}"#.to_owned(), r#"type: ["learner"] is not a kind of record"#.to_owned()),
        (learner(r#""nickname":"x","id":2"#), "learner: nickname: is not a field of learner".to_owned()),
        (learner(r#""\u0069d":2,"nickname":"x""#), "learner: id: stands twice".to_owned()),
        (r#"{"type":"learner","school_id":"x"}"#.to_owned(), format!("learner: school_id: \"x\" {integer}")),
        (r#"{"type":"learner","school_id":1,"id":""}"#.to_owned(), "learner: id: is missing".to_owned()),
        (r#"{"type":"learner","school_id":1,"id":-0}"#.to_owned(), format!("learner: id: -0 {integer}")),
        (r#"{"type":"learner","school_id":1,"id":1.0}"#.to_owned(), format!("learner: id: 1.0 {integer}")),
        (r#"{"type":"learner","school_id":1,"id":18446744073709551616}"#.to_owned(), format!("learner: id: 18446744073709551616 {integer}")),
        (learner(r#""first_name":1.5"#), "learner: first_name: 1.5 is not text (a string or an integer)".to_owned()),
        (learner(r#""first_name":1e3"#), "learner: first_name: 1e3 is not text (a string or an integer)".to_owned()),
        (learner(r#""last_name":[],"first_name":true"#), "learner: first_name: true is not text (a string or an integer)".to_owned()),
        (learner(r#""date_of_birth":"2018-02-30""#), r#"learner: date_of_birth: "2018-02-30" is not a date (YYYY-MM-DD)"#.to_owned()),
        (learner(r#""date_of_birth":20180101"#), "learner: date_of_birth: 20180101 is not a date (YYYY-MM-DD)".to_owned()),
        (learner(r#""status":"Left""#), r#"learner: status: "Left" is not one of current, left, waitlist"#.to_owned()),
        (learner(r#""status":"left","transfer_date":null"#), "learner: transfer_date: is missing".to_owned()),
        (learner(r#""deleted":false"#), "learner: deleted: false is not true".to_owned()),
        (learner(r#""deleted":"true""#), r#"learner: deleted: "true" is not true"#.to_owned()),
        (learner(r#""first_name":"x","deleted":true"#), "learner: first_name: does not go with deleted".to_owned()),
        (r#"{"type":"mark","school_id":1,"assessment_id":1,"learner_id":1,"dtime":"2026-01-01"}"#.to_owned(), r#"mark: dtime: "2026-01-01" is not a date-time (YYYY-MM-DD HH:MM:SS)"#.to_owned()),
        (r#"{"type":"mark","school_id":1,"assessment_id":1,"learner_id":1,"mark":1e2}"#.to_owned(), format!("mark: mark: 1e2 {decimal}")),
        (r#"{"type":"mark","school_id":1,"assessment_id":1,"learner_id":1,"mark":"0.0000001"}"#.to_owned(), format!("mark: mark: \"0.0000001\" {decimal}")),
        (r#"{"type":"mark","school_id":1,"assessment_id":1,"learner_id":1,"percentage":"A"}"#.to_owned(), format!("mark: percentage: \"A\" {decimal} or \"a\"")),
        (r#"{"type":"mark","school_id":1,"assessment_id":1,"learner_id":1,"captured":2}"#.to_owned(), "mark: captured: 2 is not one of 0, 1".to_owned()),
        (r#"{"type":"client_integration","username":"x","school_id":1,"api_type_id":1,"state":true}"#.to_owned(), "client_integration: state: true is not one of 0, 1".to_owned()),
        (r#"{"type":"api_type","api_type_id":1}"#.to_owned(), "api_type: family: is missing".to_owned()),
        (r#"{"type":"api_type","api_type_id":1,"family":"admin"}"#.to_owned(), r#"api_type: family: "admin" is not one of administration, curriculum, finance, parents"#.to_owned()),
        (r#"{"type":"school","school_id":1}"#.to_owned(), "school: current_year: is missing".to_owned()),
        (r#"{"type":"school","school_id":1,"has_hostel":"yes"}"#.to_owned(), r#"school: has_hostel: "yes" is not one of Yes, No"#.to_owned()),
        (r#"{"type":"school","school_id":1,"current_year":1,"utc_offset":"+18:01"}"#.to_owned(), r#"school: utc_offset: "+18:01" is not an offset (±HH:MM, at most 18:00)"#.to_owned()),
        (r#"{"type":"integrator","username":[]}"#.to_owned(), "integrator: username: [] is not text (a string or an integer)".to_owned()),
        (r#"{"type":"integrator","username":"x"}"#.to_owned(), "integrator: password: is missing".to_owned()),
        (r#"{"type":"integrator","username":"x","password":"p","password_hash":"$argon2id$v=19$m=16,t=2,p=1$YWFhYWFhYWE$YWFhYWFhYWFhYWFh"}"#.to_owned(), "integrator: password: does not go with password_hash".to_owned()),
        (format!(r#"{{"type":"integrator","username":"{}x","password":"p"}}"#, "é".repeat(128)), "integrator: username: is longer than 256 bytes".to_owned()),
        (r#"{"type":"term","school_id":1,"year":1,"term":1,"term_id":1,"end_date":"2026-01-01"}"#.to_owned(), "term: start_date: is missing".to_owned()),
    ];
    for (line, fault) in cases {
        assert_eq!(
            refused(&twin, &format!("\n\n{line}\n")),
            format!("line 1: {fault}")
        );
        assert_eq!(
            twin.check(&[String::new(), " \t\r".to_owned(), line], 9),
            [format!("line 3: {fault}")]
        );
    }
}

#[test]
fn terms_of_a_learner_subject() {
    let twin = twin("");
    let cases = [
        ("{}", "terms: {} is not an array of objects"),
        (
            "[{\"term\":1}, 2]",
            "terms: [{\"term\":1}, 2] is not an array of objects",
        ),
        ("\"x\"", "terms: \"x\" is not an array of objects"),
        ("[{\"mark\":1}]", "terms.term: is missing"),
        (
            "[{\"term\":1,\"mark\":\"x\"}]",
            "terms.mark: \"x\" is not a decimal (at most 12 digits, then at most 6 after a point)",
        ),
        (
            "[{\"term\":1,\"colour\":\"x\"}]",
            "terms.colour: is not a field of terms",
        ),
        (
            "[{\"term\":1,\"deleted\":true}]",
            "terms.deleted: is not a field of terms",
        ),
        ("[{\"term\":1,\"term\":2}]", "terms.term: stands twice"),
        (
            "[{\"term\":2},{\"term\":\"02\"}]",
            "terms: term 2 stands twice",
        ),
        (
            "[{\"term\":1,\"classroom_id\":1.5}]",
            "terms.classroom_id: 1.5 is not text (a string or an integer)",
        ),
    ];
    for (terms, fault) in cases {
        let line = format!(
            r#"{{"type":"learner_subject","school_id":1,"learner_id":1,"year":1,"subject_id":1,"grade_id":1,"terms":{terms}}}"#
        );
        assert_eq!(
            refused(&twin, &line),
            format!("line 1: learner_subject: {fault}")
        );
    }
}

#[test]
fn free_details_are_left_out_of_comparisons() {
    let twin = Twin::default();
    for line in [
        "[]",
        "{",
        "{\"type\":\"\\ud800\"}",
        "{\"\\udc00\":1}",
        "\u{feff}{}",
    ] {
        assert_eq!(
            comparable(&refused(&twin, line)),
            "line 1: is not a JSON object",
            "{line}"
        );
    }
    for hash in [
        "demo",
        "$argon2id$",
        "$argon2id$v=19$m=16,t=2,p=1$YWFhYWFhYWE",
    ] {
        let line = format!(r#"{{"type":"integrator","username":"x","password_hash":"{hash}"}}"#);
        assert_eq!(
            comparable(&refused(&twin, &line)),
            "line 1: integrator: password_hash: is not an Argon2id hash"
        );
    }
    let line = r#"{"type":"integrator","username":"x","password_hash":"$argon2i$v=19$m=16,t=2,p=1$YWFhYWFhYWE$"}"#;
    assert_eq!(
        comparable(&refused(&twin, line)),
        "line 1: integrator: password_hash: is not an Argon2id hash"
    );
    assert_eq!(
        comparable("line 1: type: is missing"),
        "line 1: type: is missing"
    );
}

#[test]
fn long_lines_and_long_values() {
    let mut twin = Twin::default();
    let padded = |length: usize| {
        let line = r#"{"type":"grade","school_id":1,"grade_id":1}"#;
        format!("{line}{}", " ".repeat(length - line.len()))
    };
    assert!(twin.apply(&[padded(1_048_576)]).is_ok());
    assert_eq!(
        twin.apply(&[padded(1_048_577)]),
        Err("line 1: is longer than 1 MiB".to_owned())
    );
    let value = "é".repeat(63);
    let line = format!(r#"{{"type":"{value}"}}"#);
    assert_eq!(
        refused(&twin, &line),
        format!("line 1: type: \"{value}... is not a kind of record")
    );
    let line = format!(r#"{{"type":"{}"}}"#, "é".repeat(62));
    assert_eq!(
        refused(&twin, &line),
        format!(
            "line 1: type: \"{}\" is not a kind of record",
            "é".repeat(62)
        )
    );
}

#[test]
fn what_values_may_be() {
    let mut twin = twin("");
    let data = r#"
{"type":"learner","school_id":"01000","id":"00018446744073709551615","first_name":-5,"last_name":"\u0000\u001f\ud83d\ude00","photo_url":007}
"#;
    assert_eq!(
        comparable(&refused(&twin, data)),
        "line 1: is not a JSON object"
    );
    twin.apply(&lines(&data.replace("007", "700"))).unwrap();
    let export = twin.export();
    let line = export.lines().last().unwrap();
    assert_eq!(
        line,
        r#"{"type":"learner","school_id":1000,"id":18446744073709551615,"first_name":"-5","last_name":"\u0000\u001f😀","photo_url":"700"}"#
    );
}
