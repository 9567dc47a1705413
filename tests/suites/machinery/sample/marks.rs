//! Assessments, marks and term marks.

use super::{Record, of_kind, records, school};
use jiff::civil::date;
use rollbook_tests::sample::SampleSchool;
use std::collections::BTreeMap;

/// Returns a decimal in hundredths.
fn hundredths(text: &str) -> u64 {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    format!("{whole}{part:0<2}").parse().unwrap()
}

/// Divides, and rounds half up.
fn divided(dividend: u64, divisor: u64) -> u64 {
    (dividend + divisor / 2) / divisor
}

/// The fields that identify a programme.
const PROGRAMME: [&str; 4] = ["year", "term", "subject_id", "grade_id"];

/// The sum of the weighted percentages and the sum of the weights, by learner, year, term, subject
/// and grade.
type Scores = BTreeMap<(u64, [u64; 4]), (u64, u64)>;

fn scores(records: &[Record]) -> Scores {
    let assessments = of_kind(records, "assessment");
    let assessments: BTreeMap<_, _> = assessments
        .map(|r| (r.number("assessment_id"), r))
        .collect();
    let mut scores = Scores::new();
    for mark in of_kind(records, "mark") {
        let assessment = assessments[&mark.number("assessment_id")];
        let place = (mark.number("learner_id"), assessment.numbers(PROGRAMME));
        let score = scores.entry(place).or_default();
        if mark.text("mark").is_empty() {
            continue;
        }
        let out_of = assessment.number("mark_out_of");
        let percentage = divided(hundredths(&mark.text("mark")) * 100, out_of);
        let given = mark.text("percentage");
        assert!(given.is_empty() || hundredths(&given) == percentage);
        let weight = hundredths(&assessment.text("weight")) / 100;
        score.0 += percentage * weight;
        score.1 += weight;
    }
    scores
}

#[test]
fn a_term_mark_is_that_of_its_assessments() {
    for school_id in [1000, 1001] {
        let records = records(&SampleSchool {
            school_id,
            years: 2,
            ..school(40)
        });
        let mut scores = scores(&records);
        for taken in of_kind(&records, "learner_subject") {
            let [learner, year, subject, grade] =
                taken.numbers(["learner_id", "year", "subject_id", "grade_id"]);
            for term in taken.0["terms"].as_array().unwrap() {
                let number = term["term"].as_u64().unwrap();
                let place = (learner, [year, number, subject, grade]);
                let (sum, weights) = scores.remove(&place).unwrap();
                let mark = term["mark"].as_str().map(hundredths);
                assert_eq!(mark, (weights > 0).then(|| divided(sum, weights)));
            }
        }
        // Every mark belongs to a subject that the learner takes.
        assert!(scores.is_empty(), "{scores:?}");
    }
}

#[test]
fn weights_of_a_programme_make_a_hundred() {
    let records = records(&school(0));
    let mut weights = BTreeMap::<_, u64>::new();
    for assessment in of_kind(&records, "assessment") {
        let weight = hundredths(&assessment.text("weight"));
        *weights.entry(assessment.numbers(PROGRAMME)).or_default() += weight;
    }
    assert!(weights.len() > 100 && weights.values().all(|sum| *sum == 10_000));
}

#[test]
fn no_record_is_later_than_the_last_known_day() {
    let today = date(2026, 5, 14);
    let records = records(&SampleSchool {
        as_of: Some(today),
        ..school(60)
    });
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
    let left = of_kind(&records, "learner").map(|r| r.text("transfer_date"));
    let left: Vec<_> = left.filter(|day| !day.is_empty()).collect();
    let last_year = |day: &String| *day <= today && day.as_str() > "2025-05-13";
    assert!(!left.is_empty() && left.iter().all(last_year), "{left:?}");
    for enrolment in of_kind(&records, "learner_subject") {
        let terms = enrolment.0["terms"].as_array().unwrap();
        assert_eq!(terms.len(), 4);
        assert!(terms[1].get("mark").is_none() && terms[3].get("mark").is_none());
    }
}
