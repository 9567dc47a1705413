//! The numbers of records, and the sizes of answers.

use super::{Record, bytes, loaded, of_kind, records, school, without_marks};
use rollbook::{Absentees, Engine, Learners, Question};
use rollbook_tests::sample::{Phase, SampleSchool};
use std::collections::BTreeMap;

fn by_learner(records: &[Record], kind: &str) -> BTreeMap<u64, usize> {
    let mut counts = BTreeMap::new();
    for record in of_kind(records, kind) {
        *counts.entry(record.number("learner_id")).or_default() += 1;
    }
    counts
}

#[test]
fn every_learner_has_eight_subjects_and_224_marks_a_year() {
    for phase in [Phase::Primary, Phase::Secondary] {
        let of_phase = |school| SampleSchool {
            phase: Some(phase),
            ..school
        };
        let marks = by_learner(&records(&of_phase(school(24))), "mark");
        assert!(marks.len() == 24 && marks.values().all(|count| *count == 224));
        // There are enough learners for every choice of subjects in every grade.
        let taken = by_learner(&records(&of_phase(without_marks(600))), "learner_subject");
        assert!(taken.len() == 600 && taken.values().all(|count| *count == 8));
    }
}

#[test]
fn marks_are_of_every_sort() {
    let records = records(&school(60));
    let marks: Vec<_> = of_kind(&records, "mark").collect();
    let share = |wanted: &dyn Fn(&Record) -> bool| {
        marks.iter().filter(|mark| wanted(mark)).count() * 1000 / marks.len()
    };
    assert!((20..40).contains(&share(&|m| m.text("percentage") == "a")));
    assert!((8..22).contains(&share(&|m| m.text("captured") == "0")));
    assert!((250..350).contains(&share(&|m| m.text("percentage").contains('.'))));
    assert!((100..400).contains(&share(&|m| m.text("mark").contains('.'))));
    let released = of_kind(&records, "learning_program");
    let (with, without): (Vec<_>, Vec<_>) =
        released.partition(|r| !r.text("mark_release_date").is_empty());
    assert!(with.len() > 150 && without.len() > 80);
}

#[test]
fn most_learners_are_current_and_every_grade_is_filled_alike() {
    let records = records(&without_marks(1000));
    let count = |field: &str, value: &str| {
        of_kind(&records, "learner")
            .filter(|r| r.text(field) == value)
            .count()
    };
    assert!((900..940).contains(&count("status", "")));
    assert!(count("status", "left") > 30);
    assert!(count("status", "waitlist") > 15);
    for grade in 1..=9 {
        let count = count("grade_id", &grade.to_string());
        assert!((95..130).contains(&count), "{count} in grade {grade}");
    }
}

/// Returns the length of an answer, and the number of its records that have a field.
fn answered(engine: &Engine, question: &impl Question, field: &str) -> (usize, usize) {
    let answer = engine.ask(question).unwrap();
    let name = format!("\"{field}\":");
    (answer.body.len(), answer.text().matches(&name).count())
}

#[test]
fn a_thousand_learners_answer_as_much_as_those_of_a_real_school() {
    let (engine, _) = loaded(&bytes(&without_marks(1000)));
    let school = 1000;
    let learners = Learners {
        school,
        ..Learners::default()
    };
    let (size, count) = answered(&engine, &learners, "photo_url");
    assert!((690..750).contains(&(size / count)), "{size} of {count}");

    let with = Learners {
        include_parents: true,
        ..learners
    };
    let (with_parents, parents) = answered(&engine, &with, "gross_annual_income");
    let more = with_parents - size - count * ",\"parents\":[]".len();
    assert!(
        (750..850).contains(&(more / parents)),
        "{more} of {parents}"
    );

    for month in 1..=12 {
        let first = format!("2026-{month:02}-01").parse::<rollbook::Date>();
        let last = jiff::civil::date(2026, month, 1).last_of_month();
        let of_month = Absentees {
            school,
            from_date: first.ok(),
            to_date: last.to_string().parse().ok(),
            ..Absentees::default()
        };
        let (size, count) = answered(&engine, &of_month, "id");
        assert!((840..1040).contains(&count), "{month}: {count} absences");
        assert!((75_000..105_000).contains(&size), "{month}: {size} bytes");
    }
}
