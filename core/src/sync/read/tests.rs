//! Tests each reader with answers of the service and with invalid answers.

mod assessment_marks;

use super::{DecodeError, Evidence, MAX_ANSWER_BYTES, decode_answer};
use crate::dataset::LINE_BYTES;
use crate::date::Date;
use crate::record::Value;
use crate::sync::plan::resource::Resource;
use crate::sync::plan::resource_request::ResourceRequest;

const SCHOOL: u64 = 1000;

fn day(text: &str) -> Date {
    text.parse().unwrap_or(Date::MIN)
}

fn may() -> ResourceRequest {
    let days = (day("2026-05-01"), day("2026-05-31"));
    ResourceRequest::of_days(Resource::Absences, days)
}

const MARKS: ResourceRequest = ResourceRequest {
    year: Some(2026),
    ..ResourceRequest::of_id(Resource::MarksOfGrade, 9)
};
const STRUCTURE: ResourceRequest = ResourceRequest::of_id(Resource::StructureOfGrade, 9);
const CURRENT: ResourceRequest = ResourceRequest::new(Resource::CurrentLearners);
const SCHOOL_LIST: ResourceRequest = ResourceRequest::new(Resource::School);
const INFO: ResourceRequest = ResourceRequest::new(Resource::SchoolInfo);
const GRADES: ResourceRequest = ResourceRequest::new(Resource::Grades);
const GENDERS: ResourceRequest = ResourceRequest::new(Resource::Genders);
const PER_TERM: ResourceRequest = ResourceRequest::of_id(Resource::SubjectsPerTerm, 1);
const SUBJECT_MARKS: ResourceRequest = ResourceRequest::of_id(Resource::SubjectMarks, 1);

/// Returns one line for each decoded record: its kind and the fields that have a value.
fn decode(request: ResourceRequest, body: &str) -> Result<(Vec<String>, Evidence), DecodeError> {
    let (fetched, evidence) = decode_answer(request, SCHOOL, body.as_bytes())?;
    let records = fetched.records(SCHOOL).filter_map(Result::ok);
    let lines = records.map(|record| {
        let mut line = record.kind.name().to_owned();
        for (field, value) in record.kind.fields().iter().zip(&record.values) {
            let mut text = Vec::new();
            value.push_exact(&mut text);
            if let Value::Terms(terms) = value {
                text = format!("{terms:?}").into_bytes();
            }
            if !value.is_empty() && field.name != "school_id" {
                line.extend([" ", field.name, "=", &String::from_utf8_lossy(&text)]);
            }
        }
        line
    });
    let lines: Vec<String> = lines.collect();
    assert_eq!(evidence.records, lines.len() as u64);
    Ok((lines, evidence))
}

fn lines(request: ResourceRequest, body: &str) -> Vec<String> {
    match decode(request, body) {
        Ok((lines, evidence)) => {
            assert!(evidence.unknown.is_empty(), "{evidence:?}");
            lines
        }
        Err(reason) => vec![reason.to_string()],
    }
}

fn refused(request: ResourceRequest, body: &str) -> Option<DecodeError> {
    decode(request, body).err()
}

#[allow(clippy::unnecessary_wraps, reason = "the type of `refused`")]
fn invalid_value(of: &'static str, field: &'static str) -> Option<DecodeError> {
    Some(DecodeError::InvalidValue { of, field })
}

#[test]
fn learners_are_decoded_with_their_status_and_parents() {
    let body = r#"[{"id":"1","first_name":"Anna","grade_id":9,"parents":[{"id":"5","first_name":"Zoe","gross_annual_income":"1.50"}]},{"id":"2"}]"#;
    let expected = [
        "parent id=5 first_name=Zoe gross_annual_income=1.5",
        "learner id=1 first_name=Anna grade_id=9 status=current",
        "learner id=2 status=current",
    ];
    assert_eq!(lines(CURRENT, body), expected);
    assert_eq!(lines(CURRENT, "[]"), [""; 0]);
}

/// A residual field of a record is not a member of an answer.
#[test]
fn a_member_named_like_a_residual_field_is_unknown() -> Result<(), DecodeError> {
    for (request, residual_field) in [
        (CURRENT, "status"),
        (CURRENT, "school_id"),
        (CURRENT, "transfer_date"),
        (CURRENT, "account"),
        (CURRENT, "debtor_code"),
        (SCHOOL_LIST, "utc_offset"),
        (SCHOOL_LIST, "current_year"),
        (ResourceRequest::new(Resource::Staff), "status"),
        (GRADES, "grade_id"),
        (may(), "school_id"),
    ] {
        let rest = match request.resource {
            Resource::School => r#""school_name":"a""#,
            Resource::Absences => r#""id":"1","learner_id":"2","absent_date":"2026-05-01""#,
            _ => r#""id":"1""#,
        };
        let plain = decode(request, &format!("[{{{rest}}}]"))?;
        for value in [r#""2000""#, "{}", "[[1]]", "null"] {
            let (records, evidence) = decode(
                request,
                &format!(r#"[{{"{residual_field}":{value},{rest}}}]"#),
            )?;
            assert_eq!(records, plain.0, "{residual_field}");
            let named: Vec<_> = evidence.unknown.iter().map(|(_, name)| name).collect();
            assert_eq!(named, [residual_field]);
        }
    }
    Ok(())
}

#[test]
fn another_school_is_refused() {
    let school = |id: &str| format!(r#"[{{"school_id":{id},"school_name":"a"}}]"#);
    assert_eq!(
        lines(SCHOOL_LIST, &school("\"1000\"")),
        ["school school_name=a"]
    );
    for other in ["\"2000\"", "2000", "null", "\"x\""] {
        assert_eq!(
            refused(SCHOOL_LIST, &school(other)),
            Some(DecodeError::OtherSchool)
        );
    }
}

#[test]
fn objects_without_a_required_member_are_refused() {
    for (request, body) in [
        (INFO, r#"{"ok":true}"#),
        (INFO, "{}"),
        (INFO, "[]"),
        (SCHOOL_LIST, "[{}]"),
        (SCHOOL_LIST, r#"{"school_name":"a"}"#),
        (MARKS, r#"{"9":{"grade":"7"}}"#),
        (MARKS, r#"{"ok":{"years":{}}}"#),
        (MARKS, "[]"),
        (
            SUBJECT_MARKS,
            r#"[{"year":"2026","subject_id":"1","grade_id":"9"}]"#,
        ),
    ] {
        assert_eq!(refused(request, body), Some(DecodeError::Shape), "{body}");
    }
    assert_eq!(refused(CURRENT, "[{}]"), invalid_value("learner", "id"));
    assert_eq!(refused(CURRENT, r#"{"data":[]}"#), Some(DecodeError::Shape));
}

#[test]
fn a_body_that_is_not_json_is_reported() {
    let whole = r#"[{"id":"1","parents":[{"id":"5"}]}]"#;
    for body in [
        "",
        "<html><body>Log in</body></html>",
        "[{]",
        "[] []",
        "\u{0}",
    ] {
        assert_eq!(refused(CURRENT, body), Some(DecodeError::NoJson), "{body}");
    }
    for length in 0..whole.len() {
        let cut = whole.get(..length).unwrap_or_default();
        assert_eq!(refused(CURRENT, cut), Some(DecodeError::NoJson), "{cut}");
    }
    assert_eq!(
        decode_answer(CURRENT, SCHOOL, b"[\xff]").err(),
        Some(DecodeError::NoJson)
    );
    let deep = "[".repeat(100_000);
    assert!(refused(CURRENT, &deep).is_some());
    let unknown = format!(r#"[{{"id":"1","new":{deep}"#);
    assert_eq!(refused(CURRENT, &unknown), Some(DecodeError::NoJson));
    let large = vec![b' '; MAX_ANSWER_BYTES + 1];
    assert_eq!(
        decode_answer(CURRENT, SCHOOL, &large).err(),
        Some(DecodeError::TooLarge)
    );
}

/// The error contains the kind and the field, but never the value.
#[test]
fn values_of_a_wrong_type_are_reported_with_their_field() {
    for (body, field) in [
        (r#"[{"id":true}]"#, "id"),
        (r#"[{"id":"-1"}]"#, "id"),
        (r#"[{"id":"18446744073709551616"}]"#, "id"),
        (
            r#"[{"id":"1","date_of_birth":"2026-02-30"}]"#,
            "date_of_birth",
        ),
        (r#"[{"id":"1","first_name":["Anna"]}]"#, "first_name"),
        (r#"[{"id":"1","first_name":1.5}]"#, "first_name"),
        (r#"[{"id":"1","first_name":{"a":1}}]"#, "first_name"),
    ] {
        assert_eq!(
            refused(CURRENT, body),
            invalid_value("learner", field),
            "{body}"
        );
    }
    let parent = r#"[{"id":"1","parents":[{"id":"5","gross_annual_income":"much"}]}]"#;
    let wrong = invalid_value("parent", "gross_annual_income");
    assert_eq!(refused(CURRENT, parent), wrong);
    assert_eq!(
        refused(CURRENT, r#"[{"id":"1","parents":{}}]"#),
        Some(DecodeError::Shape)
    );
    assert_eq!(refused(CURRENT, "[1]"), Some(DecodeError::Shape));
}

/// A level of marks may have no id or no name in the table of levels.
#[test]
fn a_member_with_an_empty_name_is_skipped() {
    for body in [
        r#"{"9":{"":"x","grade":"7","years":{}}}"#,
        r#"{"9":{"grade":"7","years":{"2026":{"year":"2026","year_name":"","terms":{"1":{"term":"1","":"x","learners":{}}}}}}}"#,
    ] {
        assert_eq!(refused(MARKS, body), None, "{body}");
    }
}

#[test]
fn a_member_that_occurs_twice_is_refused() {
    for (request, body) in [
        (CURRENT, r#"[{"id":"1","first_name":"a","first_name":"a"}]"#),
        (CURRENT, r#"[{"id":"1","parents":[],"parents":[]}]"#),
        (
            SCHOOL_LIST,
            r#"[{"school_name":"a","school_id":"1000","school_id":"1000"}]"#,
        ),
        (MARKS, r#"{"9":{"years":{},"years":{}}}"#),
        (MARKS, r#"{"9":{"years":{}},"9":{"years":{}}}"#),
        (MARKS, r#"{"9":{"grade":"7","grade":"7","years":{}}}"#),
    ] {
        assert_eq!(refused(request, body), Some(DecodeError::Shape), "{body}");
    }
}

#[test]
fn days_that_were_not_requested_are_refused() {
    let absence = |date: &str| {
        format!(r#"[{{"id":"1","learner_id":"2","absent_date":{date},"absent_reason":""}}]"#)
    };
    assert_eq!(
        lines(may(), &absence("\"2026-05-31\"")),
        ["absentee id=1 learner_id=2 absent_date=2026-05-31"]
    );
    assert_eq!(
        refused(may(), &absence("\"2026-06-01\"")),
        Some(DecodeError::NotRequested)
    );
    for none in ["\"\"", "null"] {
        assert_eq!(
            refused(may(), &absence(none)),
            invalid_value("absentee", "absent_date")
        );
    }
}

#[test]
fn accounts_contain_learners_and_parents() {
    let request = ResourceRequest::new(Resource::AllAccounts);
    let body =
        r#"[{"learner_id":"1","first_name":"Anna","debtor_code":"007","parents":[{"id":"5"}]}]"#;
    let expected = [
        "parent id=5",
        "learner id=1 first_name=Anna debtor_code=007",
    ];
    assert_eq!(lines(request, body), expected);
}

#[test]
fn school_information_and_lookup_lists_are_decoded() {
    let info = r#"{"school_name":"a","tuition_languages":["English"],"website":null}"#;
    let expected = r#"school school_name=a tuition_languages=[\"English\"]"#;
    assert_eq!(lines(INFO, info), [expected]);
    let grade = r#"[{"id":"9","name":"Grade 7"}]"#;
    assert_eq!(lines(GRADES, grade), ["grade grade_id=9 name=Grade 7"]);
    let gender = r#"[{"id":"1","name":"M"}]"#;
    assert_eq!(lines(GENDERS, gender), ["gender id=1 name=M"]);
    let none = r#"[{"name":"M"}]"#;
    assert_eq!(refused(GENDERS, none), invalid_value("gender", "id"));
}

fn subject(terms: &str) -> String {
    format!(
        r#"[{{"year":"2026","subject_id":101,"subject_name":"Maths","super_subject_id":"","super_subject_name":"","grade_id":"9","grade":"7","terms":[{terms}]}}]"#
    )
}

#[test]
fn subjects_contain_the_year_and_the_terms() -> Result<(), DecodeError> {
    let request = PER_TERM;
    let body = subject(r#"{"term_id":11,"term":"1"},{"term_id":0,"term":"2"}"#);
    let (records, evidence) = decode(request, &body)?;
    assert_eq!(evidence.year, Some(2026));
    let start = [
        "term year=2026 term=1 term_id=11",
        "term year=2026 term=2 term_id=0",
        "subject subject_id=101 subject_name=Maths",
        "grade grade_id=9 grade=7",
    ];
    assert_eq!(records.get(..4), Some(start.map(str::to_owned).as_slice()));
    let taken = records.get(4).map_or("", String::as_str);
    let expected = "learner_subject learner_id=1 year=2026 subject_id=101 grade_id=9 terms=";
    assert!(taken.starts_with(expected), "{taken}");

    let twice = subject(r#"{"term_id":11,"term":"1"},{"term_id":11,"term":"01"}"#);
    assert_eq!(
        refused(request, &twice),
        invalid_value("learner_subject", "terms")
    );
    for no_id in [r#"{"term":"1"}"#, r#"{"term":"1","term_id":""}"#] {
        assert_eq!(
            refused(request, &subject(no_id)),
            invalid_value("term", "term_id")
        );
    }
    let marked = subject(r#"{"term":"1","term_id":1,"mark":"50.00"}"#);
    assert_eq!(refused(request, &marked), Some(DecodeError::Shape));
    let marks = SUBJECT_MARKS;
    assert_eq!(
        refused(marks, &subject(r#"{"term":"1","mark":"50.00"}"#)),
        None
    );
    let wrong = invalid_value("learner_subject", "terms");
    assert_eq!(
        refused(marks, &subject(r#"{"term":"1","mark":"much"}"#)),
        wrong
    );
    Ok(())
}

#[test]
fn an_answer_of_two_years_is_refused() {
    let other = r#"{"year":"2027","subject_id":"102","subject_name":"","grade_id":"9","terms":[]}"#;
    let both = subject("").replace("]}]", &format!("]}},{other}]"));
    assert_eq!(refused(PER_TERM, &both), Some(DecodeError::Shape));
    let twice = subject("").replace("]}]", &format!("]}},{}", &subject("")[1..]));
    assert_eq!(refused(PER_TERM, &twice), Some(DecodeError::Shape));
}

/// A record that no dataset could contain is refused.
#[test]
fn large_records_are_refused() {
    let learner = |bytes: usize| format!(r#"[{{"id":"1","first_name":"{}"}}]"#, "x".repeat(bytes));
    assert_eq!(refused(CURRENT, &learner(1_000_000)), None);
    let large = learner(LINE_BYTES);
    assert_eq!(refused(CURRENT, &large), Some(DecodeError::LargeRecord));
    let terms = |count: usize| {
        let terms = (1..=count).map(|term| format!(r#"{{"term":{term},"mark":1}}"#));
        subject(&terms.collect::<Vec<_>>().join(","))
    };
    let marks = SUBJECT_MARKS;
    assert_eq!(refused(marks, &terms(1_000)), None);
    assert_eq!(
        refused(marks, &terms(LINE_BYTES)),
        Some(DecodeError::LargeRecord)
    );
}

/// Names of unknown members are arbitrary: only a limited number is stored, and no long ones.
#[test]
fn the_number_of_unknown_members_is_limited() -> Result<(), DecodeError> {
    let many: Vec<String> = (0..1000).map(|n| format!(r#""new{n}":[{n}]"#)).collect();
    let long = "x".repeat(65);
    let body = format!(r#"[{{"id":"1","{long}":1,{}}}]"#, many.join(","));
    let (_, evidence) = decode(CURRENT, &body)?;
    assert_eq!(evidence.unknown.len(), 64);
    assert!(
        evidence
            .unknown
            .iter()
            .all(|(of, name)| *of == "learner" && name.len() < 65)
    );
    Ok(())
}
