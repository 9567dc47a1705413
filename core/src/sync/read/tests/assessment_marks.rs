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
        assert!(has_wrong_shape(MARKS, &other), "{to}");
    }
}

/// An assessment without a date or a weight cannot be stored. A mark whose value cannot be used
/// would be answered wrongly. Both are left out, and everything else is read.
#[test]
fn values_of_marks_that_cannot_be_used_cost_only_their_record() -> Result<(), DecodeError> {
    let body = marks(ABSENT);
    let (expected, _) = decode(MARKS, &body)?;
    for (from, to, field, left_out) in [
        (
            "2026-02-01",
            "2026-02-31",
            "assessment_date",
            "assessment assessment_id=77",
        ),
        (
            "2026-02-01",
            "",
            "assessment_date",
            "assessment assessment_id=77",
        ),
        ("10.00", "1e9", "weight", "assessment assessment_id=77"),
        (
            "5.00\",\"mark_out_of",
            "x\",\"mark_out_of",
            "mark",
            "mark assessment_id=77 learner_id=1",
        ),
        (
            "50.00",
            "b",
            "percentage",
            "mark assessment_id=77 learner_id=1",
        ),
        (
            r#""captured":"1""#,
            r#""captured":"2""#,
            "captured",
            "mark assessment_id=77 learner_id=1",
        ),
    ] {
        let other = body.replacen(from, to, 1);
        assert_ne!(other, body);
        let found = lines(MARKS, &other);
        let without = format!("without {left_out}");
        assert!(found.contains(&without), "{to}: {found:#?}");
        let (kind, _) = left_out.split_once(' ').unwrap_or_default();
        let key = if kind == "mark" { "77/1" } else { "77" };
        let finding = format!("{kind}.{field} of {key}: 1 left out");
        assert_eq!(findings(MARKS, &other), [finding], "{to}");
        let others = expected.iter().filter(|line| !line.starts_with(left_out));
        let lost: Vec<_> = others.filter(|line| !found.contains(line)).collect();
        assert_eq!(lost, [""; 0]);
    }
    for time in ["0000-00-00 00:00:00", "2026-02-02 25:00:00"] {
        let other = body.replace("2026-02-02 08:00:00", time);
        assert_eq!(findings(MARKS, &other), ["mark.dtime of 77/1: 1 empty"]);
        let mark = "mark assessment_id=77 learner_id=1 mark=5 percentage=50 captured=1";
        assert!(lines(MARKS, &other).contains(&mark.to_owned()));
    }
    let other = body.replacen(r#""captured":"1""#, r#""captured":true"#, 1);
    assert_eq!(decode(MARKS, &other)?.0, expected);
    let other = body.replace(r#""percentage":"a""#, r#""percentage":"A""#);
    assert_eq!(decode(MARKS, &other)?.0, expected);
    Ok(())
}

/// The objects of other learners repeat the name of a subject and the values of an assessment.
#[test]
fn a_repeated_value_is_taken_where_it_can_be_used() -> Result<(), DecodeError> {
    let body = marks(ABSENT);
    let (expected, _) = decode(MARKS, &body)?;
    let last = |from: &str, to: &str| {
        let (before, after) = body.rsplit_once(from).unwrap_or_default();
        [before, to, after].concat()
    };
    for (from, to, finding) in [
        (
            r#""Maths""#,
            r#"["Maths"]"#,
            "subject.subject_name of 101: 1 empty",
        ),
        (
            r#""weight":"10.00""#,
            r#""weight":"x""#,
            "assessment.weight of 77: 1 empty",
        ),
        (
            r#""mark_out_of":"10.00""#,
            r#""mark_out_of":"-""#,
            "assessment.mark_out_of of 77: 1 empty",
        ),
        (
            r#""subject_id":"101""#,
            r#""subject_id":"x""#,
            "subject.subject_id of 101: 1 empty",
        ),
    ] {
        assert_eq!(findings(MARKS, &last(from, to)), [finding]);
        assert_eq!(decode(MARKS, &last(from, to))?.0, expected, "{to}");
    }
    // The first object of the assessment cannot be used, and the second one can.
    let first = body.replacen(r#""weight":"10.00""#, r#""weight":"x""#, 1);
    let found = lines(MARKS, &first);
    let lost: Vec<_> = expected
        .iter()
        .filter(|line| !found.contains(line))
        .collect();
    assert_eq!(lost, [""; 0]);
    Ok(())
}

/// An object whose name is no id may contain any assessment and any mark.
#[test]
fn objects_that_cannot_be_identified_are_skipped() {
    let body = marks(ABSENT);
    for (from, to, finding) in [
        (
            r#""2":{"learner_id"#,
            r#""":{"learner_id"#,
            "learner.learner_id of : 1 left out",
        ),
        (
            r#""2":{"learner_id"#,
            r#""x":{"learner_id"#,
            "learner.learner_id of : 1 left out",
        ),
    ] {
        let other = body.replace(from, to);
        assert_ne!(other, body);
        assert_eq!(findings(MARKS, &other), [finding]);
        let found = lines(MARKS, &other);
        assert!(found.contains(&"without mark".to_owned()), "{found:#?}");
        assert!(
            found
                .iter()
                .any(|line| line.starts_with("mark assessment_id=77 learner_id=1"))
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
