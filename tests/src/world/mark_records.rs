//! Assessments and the marks for them.

use super::World;
use super::fields::Fields;
use super::ids::{ASSESSMENTS, GRADES, LEARNERS, OUTCOMES, SUBJECTS, TERMS, YEARS};

const MARKS: [&str; 18] = [
    "7",
    "20",
    "12.5",
    "0",
    "33.335",
    "1.005",
    "2.675",
    "66.665",
    "100",
    "-1",
    "-0.005",
    "0.0015",
    "0.001499",
    "0.000001",
    "-0",
    "007.50",
    "999999999999.999999",
    "50049.999999",
];

const OUT_OF: [(usize, &str); 10] = [
    (30, "30"),
    (20, "100"),
    (10, "3"),
    (8, "7"),
    (8, "0"),
    (5, "8"),
    (3, "-10"),
    (3, "0.000001"),
    (3, "1000000"),
    (3, "-0.0"),
];

const WEIGHTS: [&str; 7] = [
    "10",
    "12.5",
    "0",
    "33.335",
    "10.005",
    "-0.004",
    "999999999999",
];

const PERCENTAGES: [(usize, &str); 8] = [
    (30, "a"),
    (10, "50"),
    (10, "66.665"),
    (5, "-0.005"),
    (5, "0"),
    (5, "33.333333"),
    (5, "100.0"),
    (5, "-12.345"),
];

impl World {
    /// Returns an assessment, mostly with the usual grade, subject and term of its id, otherwise
    /// with others.
    pub(super) fn assessment(&mut self, school: u64, place: usize) -> Fields {
        let (today, dice) = (self.today, &mut self.dice);
        let mut at = |home: usize, count: usize| {
            if dice.chance(92) {
                home % count
            } else {
                dice.below(count)
            }
        };
        let grade = GRADES[at(place % 2, GRADES.len())];
        let subject = SUBJECTS[at(place / 2 % 2, SUBJECTS.len())];
        let term = TERMS[at(place, TERMS.len())];
        let outcome = OUTCOMES[at(place / 3, OUTCOMES.len())];
        let year = dice.weighted(&YEARS);
        let fields = Fields::of_kind("assessment").id(dice, "school_id", school);
        let fields = fields
            .id(dice, "assessment_id", ASSESSMENTS[place])
            .id(dice, "grade_id", grade);
        let fields =
            fields
                .id(dice, "year", year)
                .id(dice, "term", term)
                .id(dice, "subject_id", subject);
        let fields =
            fields
                .id(dice, "learning_outcome_id", outcome)
                .texts(dice, 80, &["assessment_name"]);
        let (date, weight, out_of) = (
            dice.edge(today),
            dice.pick(&WEIGHTS),
            dice.weighted(&OUT_OF),
        );
        let fields = fields
            .raw("assessment_date", format!("\"{date}\""))
            .decimal(dice, "weight", weight);
        match dice.below(16) {
            0 => fields,
            1 => fields.text(dice, "mark_out_of", ""),
            _ => fields.decimal(dice, "mark_out_of", out_of),
        }
    }

    /// Returns a mark, with or without an enrolment, sometimes for an assessment that does not
    /// exist.
    pub(super) fn mark(&mut self, school: u64) -> Fields {
        let (today, dice) = (self.today, &mut self.dice);
        let (assessment, learner) = (dice.pick(&ASSESSMENTS), dice.pick(&LEARNERS));
        let assessment = if dice.chance(3) { 98 } else { assessment };
        let learner = if dice.chance(3) { 99 } else { learner };
        let mut fields = Fields::of_kind("mark").id(dice, "school_id", school);
        fields = fields
            .id(dice, "assessment_id", assessment)
            .id(dice, "learner_id", learner);
        if dice.chance(75) {
            let mark = dice.pick(&MARKS);
            fields = fields.decimal(dice, "mark", mark);
        }
        match dice.below(10) {
            0..3 => {
                let percentage = dice.weighted(&PERCENTAGES);
                let json = if percentage == "a" {
                    "\"a\"".to_owned()
                } else {
                    dice.decimal_json(percentage)
                };
                fields = fields.raw("percentage", json);
            }
            3 => fields = fields.text(dice, "percentage", ""),
            _ => {}
        }
        match dice.below(10) {
            0 => fields = fields.id(dice, "captured", 0),
            1 => fields = fields.id(dice, "captured", 1),
            2 => fields = fields.text(dice, "captured", ""),
            _ => {}
        }
        if dice.chance(40) {
            let (date, time) = (
                dice.edge(today),
                dice.pick(&["00:00:00", "23:59:59", "12:30:01"]),
            );
            fields = fields.raw("dtime", format!("\"{date} {time}\""));
        }
        fields
    }
}
