//! Tests of `line`.

use crate::dataset::input::line::*;
use crate::record::field::position;

fn fault(line: &str) -> String {
    parse(line.as_bytes()).err().unwrap_or_default()
}

#[test]
fn a_line_gives_its_kind_and_values() -> Result<(), String> {
    let text = r#" {"id":"007","type":"learner","school_id":1,"first_name":"\u0041\ud83d\ude00","grade_id":9,"status":"current","photo_url":null} "#;
    let line = parse(text.as_bytes())?;
    let line = line.ok_or("blank")?;
    assert_eq!(
        (line.kind, line.deleted, line.school()),
        (Kind::Learner, false, Some(1))
    );
    assert_eq!(line.key().collect::<Vec<_>>(), [1, 7]);
    let value = |name| line.values.get(position(Kind::Learner.fields(), name));
    assert_eq!(value("first_name").map(Value::text), Some("A😀"));
    assert_eq!(value("status"), Some(&Value::Empty));
    let deleted = parse(br#"{"type":"learner","school_id":1,"id":7,"deleted":true,"grade":""}"#)?;
    assert!(deleted.is_some_and(|line| line.deleted));
    for blank in ["", " ", "\t \r"] {
        assert_eq!(parse(blank.as_bytes())?, None);
    }
    Ok(())
}

#[test]
fn no_line_is_written_out_with_its_secrets() {
    for secret in ["password", "password_hash"] {
        let hash =
            "$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
        let line = format!(r#"{{"type":"integrator","username":"zoe","{secret}":"{hash}"}}"#);
        let written = format!("{:?}", parse(line.as_bytes()));
        assert!(
            written.contains("zoe") && !written.contains("argon2id"),
            "{written}"
        );
    }
}

#[test]
fn faults_name_type_field_and_what() {
    for (line, expected) in [
        (r#"{"school_id":1}"#, "type: is missing"),
        (
            r#"{"type":"lerner"}"#,
            r#"type: "lerner" is not a kind of record"#,
        ),
        (r#"{"type":5}"#, "type: 5 is not a kind of record"),
        (
            r#"{"type":"grade","school_id":1,"grade_id":2,"nick\u006eame":1}"#,
            "grade: nickname: is not a field of grade",
        ),
        (
            r#"{"type":"grade","type":"grade"}"#,
            "grade: type: stands twice",
        ),
        (
            r#"{"type":"grade","school_id":1,"school\u005fid":1}"#,
            "grade: school_id: stands twice",
        ),
        (
            r#"{"type":"grade","grade_id":2}"#,
            "grade: school_id: is missing",
        ),
        (
            r#"{"type":"grade","school_id":-1,"grade_id":2}"#,
            "grade: school_id: -1 is not an unsigned integer (at most 18446744073709551615)",
        ),
        (
            r#"{"type":"grade","school_id":1.0,"grade_id":2}"#,
            "grade: school_id: 1.0 is not an unsigned integer (at most 18446744073709551615)",
        ),
        (
            r#"{"type":"grade","school_id":1,"grade_id":2,"grade":true}"#,
            "grade: grade: true is not text (a string or an integer)",
        ),
        (
            r#"{"type":"learner","school_id":1,"id":2,"date_of_birth":"2018-02-30"}"#,
            r#"learner: date_of_birth: "2018-02-30" is not a date (YYYY-MM-DD)"#,
        ),
        (
            r#"{"type":"learner","school_id":1,"id":2,"deleted":false}"#,
            "learner: deleted: false is not true",
        ),
        (
            r#"{"type":"learner","school_id":1,"id":2,"deleted":true,"grade":"7"}"#,
            "learner: grade: does not go with deleted",
        ),
        (
            r#"{"type":"integrator","username":"u"}"#,
            "integrator: password: is missing",
        ),
        (
            r#"{"type":"integrator","username":"u","password":"p","password_hash":"h"}"#,
            "integrator: password: does not go with password_hash",
        ),
        (
            r#"{"type":"school","school_id":1,"current_year":2026,"has_hostel":"yes"}"#,
            r#"school: has_hostel: "yes" is not one of Yes, No"#,
        ),
        (
            r#"{"type":"learner_subject","school_id":1,"learner_id":1,"year":1,"subject_id":1,"grade_id":1,"terms":[{"term":1,"mark":"x"}]}"#,
            r#"learner_subject: terms.mark: "x" is not a decimal (at most 12 digits, then at most 6 after a point)"#,
        ),
        (
            r#"{"type":"learner_subject","school_id":1,"learner_id":1,"year":1,"subject_id":1,"grade_id":1,"terms":[{"term":1},{"term":"01"}]}"#,
            "learner_subject: terms: term 1 stands twice",
        ),
    ] {
        assert_eq!(fault(line), expected, "{line}");
    }
    for not_json in [
        "{",
        "[]",
        "5",
        r#"{"type":"grade"} x"#,
        r#"{"a":"\ud800"}"#,
        r#"{"a":"\udc00\ud800"}"#,
        r#"{"\ud800":1}"#,
        "{\"a\":\"\u{1}\"}",
    ] {
        assert!(
            fault(not_json).starts_with("is not a JSON object: "),
            "{not_json}: {}",
            fault(not_json)
        );
    }
    assert_eq!(parse(b"{\"\xff\":1}"), Err("is not UTF-8".to_owned()));
    assert_eq!(
        parse(&vec![b' '; LINE_BYTES + 1]),
        Err("is longer than 1 MiB".to_owned())
    );
    assert_eq!(parse(&vec![b' '; LINE_BYTES]), Ok(None));
}

/// A misplaced value before a colon may be personal data or a password.
#[test]
fn faults_show_no_name_that_may_be_a_value() {
    for (name, shown) in [
        ("nickname", "nickname"),
        ("First_name", "First_name"),
        ("name2", "name2"),
        ("Thandi", "..."),
        ("thandi nkosi", "..."),
        ("0105125009087", "..."),
        ("thandi@school.example", "..."),
        ("Zo\\u00eb", "..."),
        ("a\\nb", "..."),
        ("", "..."),
        (
            "a_name_of_thirty_two_characters_",
            "a_name_of_thirty_two_characters_",
        ),
        ("a_name_of_thirty_three_characters", "..."),
    ] {
        let grade = format!(r#"{{"type":"grade","school_id":1,"grade_id":2,"{name}":1}}"#);
        let expected = format!("grade: {shown}: is not a field of grade");
        assert_eq!(fault(&grade), expected);
        let terms = format!(
            r#"{{"type":"learner_subject","school_id":1,"learner_id":1,"year":1,"subject_id":1,"grade_id":1,"terms":[{{"{name}":1}}]}}"#
        );
        let expected = format!("learner_subject: terms.{shown}: is not a field of terms");
        assert_eq!(fault(&terms), expected);
    }
    let secret = r#"{"type":"integrator","username":"u","hunter2":"password"}"#;
    assert_eq!(
        fault(secret),
        "integrator: ...: is not a field of integrator"
    );
}

#[test]
fn families_are_some_of_four() {
    for (line, expected) in [
        (
            r#"{"type":"api_type","api_type_id":8,"family":[]}"#,
            "api_type: family: is missing",
        ),
        (
            r#"{"type":"api_type","api_type_id":8,"family":["finance","finance"]}"#,
            r#"api_type: family: ["finance","finance"] is not an array of administration, curriculum, finance, parents, each at most once"#,
        ),
        (
            r#"{"type":"api_type","api_type_id":8,"family":"[\"finance\",\"parents\"]"}"#,
            r#"api_type: family: "[\"finance\",\"parents\"]" is not one of administration, curriculum, finance, parents"#,
        ),
    ] {
        assert_eq!(fault(line), expected, "{line}");
    }
}

#[test]
fn faults_show_no_password() {
    for form in [
        "5",
        "1.5",
        "true",
        r#"["hunter2"]"#,
        r#"{"a":"hunter2"}"#,
        r#"[["hunter2"]]"#,
    ] {
        for field in ["password", "password_hash", "p\\u0061ssword"] {
            let line = format!(r#"{{"type":"integrator","username":"u","{field}":{form}}}"#);
            let fault = fault(&line);
            let named = fault.starts_with("integrator: password");
            assert!(form == "5" || named, "{line}: {fault}");
            assert!(
                !fault.contains("hunter2") && !fault.contains(form),
                "{fault}"
            );
        }
    }
    for secret in [
        r#""hunter2""#,
        r#"["password","hunter2"]"#,
        r#"{"type":{"Pass\u0077ord":"hunter2"},"school_id":1}"#,
        r#"{"type":"learner","school_id":["PASSWORD","hunter2"],"id":1}"#,
        r#"{"type":"integrator","password":"hunter2"#,
        r#"{"type":"integrator","password":"hunter2",}"#,
        r#"{"type":"integrator","password":hunter2}"#,
        r#"{"type":"integrator","password":"hunter2\x"}"#,
        r#"{"type":"integrator","password":"hunter2\ud800"}"#,
        "{\"type\":\"integrator\",\"password\":\"hunter2\u{1}\"}",
        r#"{"type":"integrator","password":"hunter2","password":"hunter2"}"#,
        r#"{"type":"integrator","Password":"hunter2"}"#,
        r#"{"type":"integratr","password":"hunter2"}"#,
        r#"{"type":"learner","school_id":1,"id":1,"password":"hunter2"}"#,
        r#"{"type":"integrator","username":"u","password":"hunter2","deleted":true}"#,
        r#"{"type":"learner_subject","school_id":1,"learner_id":1,"year":1,"subject_id":1,"grade_id":1,"terms":{"password":"hunter2"}}"#,
    ] {
        let fault = fault(secret);
        assert!(!fault.is_empty() && !fault.contains("hunter2"), "{fault}");
    }
}

#[test]
fn faults_show_little_of_a_long_value_or_name() {
    let long = "x".repeat(1000);
    for line in [
        format!("\"{long}\""),
        format!(r#"{{"type":"{long}"}}"#),
        format!(r#"{{"type":"grade","{long}":1}}"#),
        format!(r#"{{"type":"grade","school_id":"{long}"}}"#),
        format!(
            r#"{{"type":"learner_subject","school_id":1,"learner_id":1,"year":1,"subject_id":1,"grade_id":1,"terms":[{{"{long}":1}}]}}"#
        ),
    ] {
        let fault = fault(&line);
        assert!(!fault.is_empty() && !fault.contains(&long[..65]), "{fault}");
    }
}
