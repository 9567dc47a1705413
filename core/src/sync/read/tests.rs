//! Tests each reader with answers of the service and with invalid answers.

mod assessment_marks;
mod subjects;

use super::{DecodeError, Evidence, MAX_ANSWER_BYTES, decode_answer};
use crate::dataset::LINE_BYTES;
use crate::date::Date;
use crate::record::Value;
use crate::sync::fetched_records::RecordState;
use crate::sync::resources::resource::Resource;
use crate::sync::resources::resource_request::ResourceRequest;

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
    let records = records.filter(|record| record.state != RecordState::Emptied);
    let lines = records.map(|record| {
        let mut line = match record.state {
            RecordState::Read => record.kind.name().to_owned(),
            _ => format!("without {}", record.kind.name()),
        };
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

/// Returns whether an answer is refused because of its structure.
fn has_wrong_shape(request: ResourceRequest, body: &str) -> bool {
    matches!(refused(request, body), Some(DecodeError::Shape { .. }))
}

#[allow(clippy::unnecessary_wraps, reason = "the type of `refused`")]
fn no_record(of: &'static str, field: &'static str) -> Option<DecodeError> {
    Some(DecodeError::NoRecord { of, field })
}

/// Returns the values of an answer that cannot be used: the field, the keys of the records, and
/// whether these are left out.
fn findings(request: ResourceRequest, body: &str) -> Vec<String> {
    let notes = match decode(request, body) {
        Ok((_, evidence)) => evidence.notes.findings.into_iter(),
        Err(reason) => return vec![reason.to_string()],
    };
    let findings = notes.map(|(of, found)| {
        let effect = if of.is_left_out { "left out" } else { "empty" };
        let key = |key: &Vec<u64>| {
            let numbers: Vec<_> = key.iter().map(u64::to_string).collect();
            numbers.join("/")
        };
        let keys: Vec<_> = found.keys.iter().map(key).collect();
        let (kind, field, keys) = (of.kind.name(), of.field, keys.join(" "));
        format!("{kind}.{field} of {keys}: {} {effect}", found.count)
    });
    findings.collect()
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
    for other in ["\"2000\"", "2000"] {
        assert_eq!(
            refused(SCHOOL_LIST, &school(other)),
            Some(DecodeError::OtherSchool)
        );
    }
    for none in ["null", "\"x\"", "[]"] {
        let expected = no_record("school", "school_id");
        assert_eq!(refused(SCHOOL_LIST, &school(none)), expected, "{none}");
    }
    for empty in ["[]", "{}"] {
        assert_eq!(refused(SCHOOL_LIST, empty), no_record("school", ""));
    }
}

#[test]
fn objects_without_a_required_member_are_refused() {
    for (request, body) in [
        (INFO, r#"{"ok":true}"#),
        (INFO, "{}"),
        (INFO, "[]"),
        (SCHOOL_LIST, "[{}]"),
    ] {
        assert!(has_wrong_shape(request, body), "{body}");
    }
}

/// An answer in which no record can be identified is another answer than the expected one.
#[test]
fn other_answers_are_refused() {
    assert_eq!(refused(CURRENT, "[{}]"), no_record("learner", "id"));
    for body in ["1", "\"a\"", "true", "[1]", "[[1]]", r#"{"data":[]}"#] {
        assert_eq!(refused(CURRENT, body), no_record("learner", ""), "{body}");
    }
    let school = no_record("school", "");
    assert_eq!(refused(SCHOOL_LIST, r#"{"school_name":"a"}"#), school);
    assert_eq!(refused(INFO, "[1]"), school);
    for body in [r#"{"ok":{"years":{}}}"#, r#"{"9":[1]}"#, r#"{"error":"a"}"#] {
        assert_eq!(refused(MARKS, body), no_record("grade", ""), "{body}");
    }
    let enrolments = ResourceRequest::new(Resource::LearnerSubjects);
    let expected = no_record("learner_subject", "learner_id");
    assert_eq!(refused(enrolments, r#"[{"error":"a"}]"#), expected);
    assert_eq!(
        refused(MARKS, r#"{"9":{"years":{"2026":{"year":"2026"}}}}"#),
        no_record("year", "terms")
    );
    for request in [CURRENT, INFO, MARKS] {
        assert!(has_wrong_shape(request, " null "));
    }
}

/// PHP writes an empty array and an empty object in the same way, and an array with gaps as an
/// object.
#[test]
fn arrays_and_objects_are_as_php_writes_them() {
    for body in ["[]", "{}"] {
        assert_eq!(lines(CURRENT, body), [""; 0]);
        assert_eq!(lines(MARKS, body), [""; 0]);
        assert_eq!(lines(MARKS, &format!(r#"{{"9":{body}}}"#)), [""; 0]);
        let years = format!(r#"{{"9":{{"grade":"7","years":{body}}}}}"#);
        assert_eq!(lines(MARKS, &years), ["grade grade_id=9 grade=7"]);
        let learner = format!(r#"[{{"id":"1","parents":{body}}}]"#);
        assert_eq!(lines(CURRENT, &learner), ["learner id=1 status=current"]);
    }
    let gaps = r#"{"0":{"id":"1","parents":{"1":{"id":"5"}}},"2":{"id":"2","parents":null}}"#;
    let expected = [
        "parent id=5",
        "learner id=1 status=current",
        "learner id=2 status=current",
    ];
    assert_eq!(lines(CURRENT, gaps), expected);
}

#[test]
fn a_body_that_is_not_json_is_reported() {
    let whole = r#"[{"id":"1","parents":[{"id":"5"}]}]"#;
    let no_answer = Some(DecodeError::NoAnswer);
    let is_no_json = |reason| matches!(reason, Some(DecodeError::NoJson(_)));
    assert_eq!(
        refused(CURRENT, "\n<html><body>Log in</body></html>"),
        no_answer
    );
    for body in ["[{]", "[] []", "\u{0}", "Fatal error"] {
        assert!(is_no_json(refused(CURRENT, body)), "{body}");
    }
    for length in 0..whole.len() {
        let cut = whole.get(..length).unwrap_or_default();
        assert_eq!(refused(CURRENT, cut), no_answer, "{cut}");
    }
    assert!(is_no_json(decode_answer(CURRENT, SCHOOL, b"[\xff]").err()));
    let deep = "[".repeat(100_000);
    assert!(refused(CURRENT, &deep).is_some());
    let unknown = format!(r#"[{{"id":"1","new":{deep}"#);
    assert_eq!(refused(CURRENT, &unknown), no_answer);
    let large = vec![b' '; MAX_ANSWER_BYTES + 1];
    assert_eq!(
        decode_answer(CURRENT, SCHOOL, &large).err(),
        Some(DecodeError::TooLarge)
    );
}

/// The reports contain the kind, the field and the key of the record, but never the value.
#[test]
fn a_value_that_cannot_be_used_costs_only_itself() {
    for value in [
        r#""0000-00-00""#,
        r#""2026-02-30""#,
        r#""14/05/2018""#,
        "true",
        "20180514",
        "[]",
        r#"{"a":1}"#,
        r#""\ud83d""#,
    ] {
        let body = format!(
            r#"[{{"id":"1","first_name":"Anna","date_of_birth":{value}}},{{"id":"2","first_name":"Ben"}}]"#
        );
        let expected = [
            "learner id=1 first_name=Anna status=current",
            "learner id=2 first_name=Ben status=current",
        ];
        assert_eq!(lines(CURRENT, &body), expected, "{value}");
        let expected = "learner.date_of_birth of 1: 1 empty";
        assert_eq!(findings(CURRENT, &body), [expected], "{value}");
    }
    let parents = r#"[{"id":"1","parents":[{"id":"5","gross_annual_income":"120,000.00"}]},{"id":"2","parents":[{"id":"5","gross_annual_income":"120,000.00"},{"id":"6","gross_annual_income":120000.50}]}]"#;
    let expected = "parent.gross_annual_income of 5: 2 empty";
    assert_eq!(findings(CURRENT, parents), [expected]);
    assert!(
        lines(CURRENT, parents).contains(&"parent id=6 gross_annual_income=120000.5".to_owned())
    );
    let flags = r#"[{"school_id":1000,"school_name":"a","has_hostel":true,"uses_cashless":"N","uses_debit_orders":"perhaps"}]"#;
    let expected = "school school_name=a has_hostel=Yes uses_cashless=No";
    assert_eq!(lines(SCHOOL_LIST, flags), [expected]);
    let expected = "school.uses_debit_orders of : 1 empty";
    assert_eq!(findings(SCHOOL_LIST, flags), [expected]);
}

#[test]
fn a_record_without_a_usable_key_is_left_out() {
    for value in ["true", r#""-1""#, r#""18446744073709551616""#, "null", "[]"] {
        let body = format!(r#"[{{"id":"1"}},{{"id":{value},"first_name":"Ben"}}]"#);
        let expected = ["learner id=1 status=current", "without learner"];
        assert_eq!(lines(CURRENT, &body), expected, "{value}");
        let expected = "learner.id of : 1 left out";
        assert_eq!(findings(CURRENT, &body), [expected], "{value}");
    }
    let body = r#"[{"id":"1","parents":"none"},7,{"id":"2","parents":[null]}]"#;
    let expected = [
        "without parent",
        "learner id=1 status=current",
        "without learner",
        "without parent",
        "learner id=2 status=current",
    ];
    assert_eq!(lines(CURRENT, body), expected);
    let expected = ["parent. of : 2 left out", "learner. of : 1 left out"];
    assert_eq!(findings(CURRENT, body), expected);
}

/// A byte that is not UTF-8 costs the text that contains it.
#[test]
fn a_text_that_is_not_utf8_is_empty() {
    let body = b"[{\"id\":\"1\",\"first_name\":\"Ren\xe9\",\"last_name\":\"Muller\"}]";
    let (fetched, evidence) = decode_answer(CURRENT, SCHOOL, body).unwrap_or_default();
    let records = fetched.records(SCHOOL).filter_map(Result::ok);
    let states: Vec<_> = records.map(|record| record.state).collect();
    assert_eq!(states, [RecordState::Read, RecordState::Emptied]);
    let fields = evidence.notes.findings.keys();
    let fields: Vec<_> = fields.map(|of| (&*of.field, of.is_left_out)).collect();
    assert_eq!(fields, [("first_name", false)]);
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
        assert!(has_wrong_shape(request, body), "{body}");
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
    let midnight = absence("\"2026-05-31 00:00:00\"");
    let expected = ["absentee id=1 learner_id=2 absent_date=2026-05-31"];
    assert_eq!(lines(may(), &midnight), expected);
    for none in ["\"\"", "null", "\"2026-05-31 08:00:00\"", "\"0000-00-00\""] {
        assert_eq!(lines(may(), &absence(none)), ["without absentee id=1"]);
        let expected = "absentee.absent_date of 1: 1 left out";
        assert_eq!(findings(may(), &absence(none)), [expected], "{none}");
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
    assert_eq!(refused(GENDERS, none), no_record("gender", "id"));
}

/// A record that no dataset could contain is left out.
#[test]
fn large_records_are_left_out() {
    let learner = |bytes: usize| format!(r#"[{{"id":"1","first_name":"{}"}}]"#, "x".repeat(bytes));
    assert_eq!(refused(CURRENT, &learner(1_000_000)), None);
    let large = learner(LINE_BYTES);
    assert_eq!(lines(CURRENT, &large), ["without learner id=1"]);
    assert_eq!(
        findings(CURRENT, &large),
        ["learner.first_name of 1: 1 left out"]
    );
    let terms = |count: usize| {
        let terms = (1..=count).map(|term| format!(r#"{{"term":{term},"mark":1}}"#));
        subjects::subject(&terms.collect::<Vec<_>>().join(","))
    };
    let marks = SUBJECT_MARKS;
    assert_eq!(refused(marks, &terms(1_000)), None);
    let expected = "learner_subject.terms of 1/2026/101: 1 left out";
    assert_eq!(findings(marks, &terms(LINE_BYTES)), [expected]);
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
