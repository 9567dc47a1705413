//! Years, terms, grades, subjects, enrolments and learning programmes.

use super::World;
use super::fields::Fields;
use super::ids::{GRADES, LEARNERS, SUBJECTS, TERMS, YEARS};

const TERM_MARKS: [&str; 9] = [
    "66.665",
    "0",
    "-0.005",
    "100",
    "99.995",
    "33.333333",
    "-0.004999",
    "007.50",
    "999999999999.999999",
];

impl World {
    pub(super) fn year(&mut self, school: u64, year: u64) -> Fields {
        let dice = &mut self.dice;
        let fields = Fields::of_kind("year")
            .id(dice, "school_id", school)
            .id(dice, "year", year);
        let name = if dice.chance(20) {
            "2026"
        } else {
            dice.any_text()
        };
        fields.text(dice, "year_name", name)
    }

    pub(super) fn term(&mut self, school: u64, year: u64, term: u64) -> Fields {
        let (today, dice) = (self.today, &mut self.dice);
        let fields = Fields::of_kind("term")
            .id(dice, "school_id", school)
            .id(dice, "year", year);
        let term_id = dice.pick(&[98, 99, 0, u64::MAX]);
        let (start, end) = (dice.edge(today), dice.release(today));
        let fields = fields.id(dice, "term", term).id(dice, "term_id", term_id);
        let mut fields = fields;
        for (name, date) in [("start_date", start), ("end_date", end)] {
            match dice.below(20) {
                0 => {}
                1 => fields = fields.text(dice, name, ""),
                _ => fields = fields.raw(name, format!("\"{date}\"")),
            }
        }
        fields
    }

    pub(super) fn grade(&mut self, school: u64, id: u64) -> Fields {
        let dice = &mut self.dice;
        Fields::of_kind("grade")
            .id(dice, "school_id", school)
            .id(dice, "grade_id", id)
            .texts(dice, 90, &["grade"])
            .texts(dice, 30, &["name"])
    }

    pub(super) fn subject(&mut self, school: u64, id: u64) -> Fields {
        let dice = &mut self.dice;
        let fields =
            Fields::of_kind("subject")
                .id(dice, "school_id", school)
                .id(dice, "subject_id", id);
        let fields = fields.texts(dice, 90, &["subject_name"]);
        fields.texts(dice, 40, &["super_subject_id", "super_subject_name"])
    }

    pub(super) fn learning_outcome(&mut self, school: u64, id: u64) -> Fields {
        let dice = &mut self.dice;
        let fields = Fields::of_kind("learning_outcome").id(dice, "school_id", school);
        fields
            .id(dice, "learning_outcome_id", id)
            .texts(dice, 90, &["learning_outcome_name"])
    }

    pub(super) fn learning_program(&mut self, school: u64) -> Fields {
        let (today, dice) = (self.today, &mut self.dice);
        let (year, grade) = (
            dice.weighted(&YEARS),
            dice.weighted(&[(45, 0), (45, 1), (10, 2)]),
        );
        let (term, subject) = (
            dice.pick(&TERMS),
            dice.weighted(&[(40, 0), (40, 1), (10, 2), (10, 3)]),
        );
        let fields = Fields::of_kind("learning_program").id(dice, "school_id", school);
        let fields = fields
            .id(dice, "grade_id", GRADES[grade])
            .id(dice, "year", year);
        let fields = fields
            .id(dice, "term", term)
            .id(dice, "subject_id", SUBJECTS[subject]);
        let fields = match dice.below(10) {
            0 => fields.id(dice, "released", 0),
            1 => fields.id(dice, "released", 1),
            2 => fields.text(dice, "released", ""),
            _ => fields,
        };
        if dice.chance(20) {
            return fields.text(dice, "mark_release_date", "");
        }
        let date = dice.release(today);
        fields.raw("mark_release_date", format!("\"{date}\""))
    }

    /// Returns an enrolment of any learner in any subject.
    pub(super) fn learner_subject(&mut self, school: u64) -> Fields {
        let learner = self.dice.below(LEARNERS.len());
        let subject = self.dice.weighted(&[(35, 0), (35, 1), (15, 2), (15, 3)]);
        self.enrolment(school, learner, subject)
    }

    /// Returns an enrolment, mostly in the learner's own grade.
    pub(super) fn enrolment(&mut self, school: u64, learner: usize, subject: usize) -> Fields {
        let dice = &mut self.dice;
        let home = GRADES[learner % 2];
        let grade = if dice.chance(88) {
            home
        } else {
            dice.pick(&GRADES)
        };
        let year = dice.weighted(&YEARS);
        let fields = Fields::of_kind("learner_subject").id(dice, "school_id", school);
        let learner = if dice.chance(3) {
            99
        } else {
            LEARNERS[learner]
        };
        let fields = fields
            .id(dice, "learner_id", learner)
            .id(dice, "year", year);
        let fields = fields
            .id(dice, "subject_id", SUBJECTS[subject])
            .id(dice, "grade_id", grade);
        let terms = self.terms();
        match terms.as_slice() {
            [] => fields.text(&mut self.dice, "terms", ""),
            _ => fields.raw("terms", format!("[{}]", terms.join(","))),
        }
    }

    /// Returns the elements of `terms`, in any order.
    fn terms(&mut self) -> Vec<String> {
        let dice = &mut self.dice;
        let mut terms: Vec<String> = Vec::new();
        for term in TERMS.into_iter().chain([4]) {
            if !dice.chance(if term == 4 { 5 } else { 75 }) {
                continue;
            }
            let mut fields = Fields(Vec::new()).id(dice, "term", term);
            match dice.below(4) {
                0 => {}
                1 => fields = fields.text(dice, "mark", ""),
                _ => {
                    let mark = dice.pick(&TERM_MARKS);
                    fields = fields.decimal(dice, "mark", mark);
                }
            }
            let names = [
                "subject_group_id",
                "subject_group_name",
                "classroom_id",
                "classroom_name",
                "subject_group_teacher_id",
            ];
            terms.push(fields.texts(dice, 25, &names).object(dice));
        }
        dice.shuffle(&mut terms);
        terms
    }
}
