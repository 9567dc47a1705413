//! Tests assessment marks and their structure.

use super::*;

/// Returns marks of two learners with one assessment each; the object of the second learner is a
/// parameter.
fn marks(of_second: &str) -> String {
    let leaf = |id: &str, mark: &str| {
        format!(
            r#""subjects":{{"101":{{"subject_id":"101","subject_name":"Maths","learning_outcomes":{{"3":{{"learning_outcome_id":"3","learning_outcome_name":"","assessments":{{"{id}":{{"assessment_id":"{id}","assessment_name":"Test","assessment_date":"2026-02-01","weight":"10.00",{mark}}}}}}}}}}}}}"#
        )
    };
    let first = leaf(
        "77",
        r#""dtime":"2026-02-02 08:00:00","percentage":"50.00","mark":"5.00","mark_out_of":"10.00","captured":"1""#,
    );
    let second = leaf("77", of_second);
    format!(
        r#"{{"9":{{"grade":"7","years":{{"2026":{{"year":"2026","year_name":"2026","terms":{{"1":{{"term":"1","learners":{{"1":{{"learner_id":"1",{first}}},"2":{{"learner_id":"2",{second}}}}}}}}}}}}}}}}}"#
    )
}

const ABSENT: &str =
    r#""dtime":"","percentage":"a","mark":"","mark_out_of":"10.00","captured":"1""#;

#[test]
fn the_common_part_of_marks_is_decoded_once() -> Result<(), DecodeError> {
    let (records, evidence) = decode(MARKS, &marks(ABSENT))?;
    let expected = [
        "grade grade_id=9 grade=7",
        "year year=2026 year_name=2026",
        "learning_program grade_id=9 year=2026 term=1 subject_id=101 released=1",
        "subject subject_id=101 subject_name=Maths",
        "learning_outcome learning_outcome_id=3",
        "assessment assessment_id=77 grade_id=9 year=2026 term=1 subject_id=101 learning_outcome_id=3 assessment_name=Test assessment_date=2026-02-01 weight=10 mark_out_of=10",
        "mark assessment_id=77 learner_id=1 mark=5 percentage=50 captured=1 dtime=2026-02-02 08:00:00",
        "mark assessment_id=77 learner_id=2 percentage=a captured=1",
    ];
    assert_eq!(records, expected);
    assert_eq!(evidence.year, Some(2026));
    // The assessment differs for the second learner, so it is added again.
    let other = ABSENT.replace("10.00", "20.00");
    assert_eq!(lines(MARKS, &marks(&other)).len(), expected.len() + 1);
    Ok(())
}

#[test]
fn marks_of_others_are_refused() {
    let body = marks(ABSENT);
    for (request, reason) in [
        (MARKS, None),
        (
            ResourceRequest::of_id(Resource::MarksOfGrade, 8),
            Some(DecodeError::NotRequested),
        ),
        (
            ResourceRequest {
                year: Some(2025),
                ..MARKS
            },
            Some(DecodeError::NotRequested),
        ),
    ] {
        assert_eq!(refused(request, &body), reason);
    }
    for (from, to) in [
        (r#""year":"2026""#, r#""year":"2025""#),
        (r#""term":"1""#, r#""term":"2""#),
        (r#""learner_id":"2""#, r#""learner_id":"1""#),
        (r#""subject_id":"101""#, r#""subject_id":"102""#),
        (
            r#""learning_outcome_id":"3""#,
            r#""learning_outcome_id":"4""#,
        ),
        (r#""assessment_id":"77""#, r#""assessment_id":"78""#),
        // The same learner occurs twice.
        (r#""2":{"learner_id":"2""#, r#""1":{"learner_id":"1""#),
    ] {
        let other = body.replace(from, to);
        assert_ne!(other, body);
        assert_eq!(refused(MARKS, &other), Some(DecodeError::Shape), "{to}");
    }
    for (from, to, field) in [
        ("2026-02-01", "2026-02-31", "assessment_date"),
        ("10.00", "1e9", "weight"),
        ("2026-02-01", "", "assessment_date"),
    ] {
        let wrong = invalid_value("assessment", field);
        assert_eq!(refused(MARKS, &body.replace(from, to)), wrong);
    }
    for (from, to, field) in [
        ("08:00:00", "25:00:00", "dtime"),
        ("5.00", "x", "mark"),
        (r#""captured":"1""#, r#""captured":"2""#, "captured"),
    ] {
        assert_eq!(
            refused(MARKS, &body.replace(from, to)),
            invalid_value("mark", field)
        );
    }
}

/// Marks in an answer for the structure are unknown members.
#[test]
fn a_structure_contains_no_marks() -> Result<(), DecodeError> {
    let (records, evidence) = decode(STRUCTURE, &marks(ABSENT))?;
    assert_eq!(evidence.year, Some(2026));
    assert_eq!(evidence.unknown.len(), 5);
    let of = |kind: &str| {
        records
            .iter()
            .filter(|line| line.starts_with(kind))
            .collect::<Vec<_>>()
    };
    let program = "learning_program grade_id=9 year=2026 term=1 subject_id=101";
    assert_eq!(of("learning_program"), [program]);
    assert_eq!(of("mark assessment_id=77 learner_id=1 captured=0").len(), 1);
    assert!(of("assessment").iter().all(|line| !line.contains("out_of")));
    Ok(())
}
