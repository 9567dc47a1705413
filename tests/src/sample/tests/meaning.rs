//! What the records say together: references, families, days.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::date;

use super::super::SampleSchool;
use super::{of_kind, records, school};

#[test]
fn references_lead_to_records() {
    for school_id in [1000, 1001] {
        let school = SampleSchool {
            school_id,
            years: 2,
            ..school(24)
        };
        let records = records(&school);
        let known: BTreeSet<_> = records
            .iter()
            .map(|r| (r.kind.as_str(), r.key.clone()))
            .collect();
        let found = |kind, key: &[String]| {
            assert!(known.contains(&(kind, key.to_vec())), "no {kind} {key:?}");
        };
        let id = school_id.to_string();
        for record in &records {
            let by = |kind, names: &[&str]| {
                let values: Vec<_> = names.iter().map(|name| record.text(name)).collect();
                if values != [""] {
                    let key: Vec<_> = [id.clone()].into_iter().chain(values).collect();
                    found(kind, &key);
                }
            };
            match record.kind.as_str() {
                "client_integration" => {
                    found("integrator", &[record.text("username")]);
                    found("api_type", &[record.text("api_type_id")]);
                }
                "term" => by("year", &["year"]),
                "learner" => {
                    by("grade", &["grade_id"]);
                    by("parent", &["parent1_id"]);
                    by("parent", &["parent2_id"]);
                    by("accountable_person", &["accountable_person_id"]);
                }
                "learner_subject" => {
                    by("learner", &["learner_id"]);
                    by("subject", &["subject_id"]);
                    by("grade", &["grade_id"]);
                    by("year", &["year"]);
                }
                "learning_program" => by("term", &["year", "term"]),
                "assessment" => {
                    by("term", &["year", "term"]);
                    by("grade", &["grade_id"]);
                    by("subject", &["subject_id"]);
                    by("learning_outcome", &["learning_outcome_id"]);
                }
                "mark" => {
                    by("assessment", &["assessment_id"]);
                    by("learner", &["learner_id"]);
                }
                "absentee" => by("learner", &["learner_id"]),
                _ => {}
            }
        }
    }
}

#[test]
fn every_mark_is_of_a_subject_that_the_learner_takes() {
    let records = records(&SampleSchool {
        school_id: 1001,
        years: 2,
        ..school(40)
    });
    let taken: BTreeSet<_> = of_kind(&records, "learner_subject")
        .map(|r| {
            [
                r.number("learner_id"),
                r.number("year"),
                r.number("subject_id"),
                r.number("grade_id"),
            ]
        })
        .collect();
    let assessments: BTreeMap<_, _> = of_kind(&records, "assessment")
        .map(|r| {
            (
                r.number("assessment_id"),
                [
                    r.number("year"),
                    r.number("subject_id"),
                    r.number("grade_id"),
                ],
            )
        })
        .collect();
    for mark in of_kind(&records, "mark") {
        let [year, subject, grade] = assessments[&mark.number("assessment_id")];
        assert!(taken.contains(&[mark.number("learner_id"), year, subject, grade]));
    }
}

#[test]
fn siblings_share_parents_and_family_code() {
    let records = records(&SampleSchool {
        marks: false,
        ..school(600)
    });
    let mut families = BTreeMap::<_, BTreeSet<_>>::new();
    let mut parents = BTreeMap::<_, usize>::new();
    for learner in of_kind(&records, "learner") {
        let of_learner = [learner.text("parent1_id"), learner.text("parent2_id")];
        let known = of_learner.iter().filter(|id| !id.is_empty()).count();
        *parents.entry(known).or_default() += 1;
        families
            .entry(learner.text("family_code"))
            .or_default()
            .insert(of_learner);
    }
    assert!(families.len() < 500, "{} families", families.len());
    assert!(families.values().all(|parents| parents.len() == 1));
    assert!(
        parents[&2] > 450 && parents[&1] > 40 && parents[&0] > 10,
        "{parents:?}"
    );
}

#[test]
fn nothing_lies_behind_the_last_known_day() {
    let today = date(2026, 5, 14);
    let school = SampleSchool {
        as_of: Some(today),
        ..school(60)
    };
    let records = records(&school);
    let today = today.to_string();
    let dates: BTreeMap<_, _> = of_kind(&records, "assessment")
        .map(|r| (r.number("assessment_id"), r.text("assessment_date")))
        .collect();
    assert!(dates.values().any(|date| *date > today));
    for mark in of_kind(&records, "mark") {
        assert!(dates[&mark.number("assessment_id")] <= today);
    }
    for absentee in of_kind(&records, "absentee") {
        assert!(absentee.text("absent_date") <= today);
    }
    let left: Vec<_> = of_kind(&records, "learner")
        .map(|r| r.text("transfer_date"))
        .filter(|d| !d.is_empty())
        .collect();
    assert!(
        !left.is_empty()
            && left
                .iter()
                .all(|d| *d <= today && d.as_str() > "2025-05-13"),
        "{left:?}"
    );
    for enrolment in of_kind(&records, "learner_subject") {
        let terms = enrolment.value["terms"].as_array().unwrap();
        assert_eq!(terms.len(), 4);
        assert!(terms[1].get("mark").is_none() && terms[3].get("mark").is_none());
    }
}
