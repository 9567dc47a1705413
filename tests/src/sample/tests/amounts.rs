//! How many records there are, and how large their answers.

use std::collections::BTreeMap;

use super::super::dataset::{Checked, fields};
use super::super::{Phase, SampleSchool};
use super::{of_kind, records, school};

#[test]
fn every_learner_has_eight_subjects_and_224_marks_a_year() {
    for phase in [Phase::Primary, Phase::Secondary] {
        let school = SampleSchool {
            phase: Some(phase),
            ..school(24)
        };
        let records = records(&school);
        let mut marks = BTreeMap::new();
        for mark in of_kind(&records, "mark") {
            *marks.entry(mark.number("learner_id")).or_insert(0) += 1;
        }
        assert_eq!(marks.len(), 24);
        assert!(marks.values().all(|count| *count == 224));
        assert_eq!(of_kind(&records, "learner_subject").count(), 24 * 8);
    }
}

#[test]
fn marks_are_of_every_sort() {
    let records = records(&school(60));
    let marks: Vec<_> = of_kind(&records, "mark").collect();
    let share = |wanted: &dyn Fn(&Checked) -> bool| {
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

/// The length of a record's JSON as v1 answers it: every field a string, empty or not.
fn answered(record: &Checked, hidden: &[&str]) -> usize {
    let fields = fields(&record.kind)
        .into_iter()
        .filter(|field| !hidden.contains(field));
    let members = fields.map(|field| {
        let text = serde_json::to_string(&record.text(field)).unwrap();
        field.len() + text.len() + 4
    });
    members.sum::<usize>() + 1
}

#[test]
fn a_thousand_learners_answer_as_much_as_those_of_a_real_school() {
    let school = SampleSchool {
        marks: false,
        ..SampleSchool::default()
    };
    let records = records(&school);
    let average = |kind, hidden: &[&str]| {
        let sizes: Vec<_> = of_kind(&records, kind)
            .map(|r| answered(r, hidden))
            .collect();
        sizes.iter().sum::<usize>() / sizes.len()
    };
    let hidden = [
        "school_id",
        "status",
        "transfer_date",
        "debtor_code",
        "accountable_person_id",
    ];
    let learner = average("learner", &hidden);
    assert!((690..750).contains(&learner), "{learner} bytes a learner");
    let parent = average("parent", &["school_id"]);
    assert!((750..850).contains(&parent), "{parent} bytes a parent");

    let status = |status| {
        of_kind(&records, "learner")
            .filter(|r| r.text("status") == status)
            .count()
    };
    assert!((900..940).contains(&status("")), "{} current", status(""));
    assert!(status("left") > 30);
    assert!(status("waitlist") > 15);

    for month in 1..=12 {
        let start = format!("2026-{month:02}");
        let of_month =
            of_kind(&records, "absentee").filter(|r| r.text("absent_date").starts_with(&start));
        let sizes: Vec<_> = of_month.map(|r| answered(r, &["school_id"])).collect();
        assert!(
            (840..1040).contains(&sizes.len()),
            "{start}: {} absentees",
            sizes.len()
        );
        let size: usize = sizes.iter().sum();
        assert!((75_000..105_000).contains(&size), "{start}: {size} bytes");
    }
}
