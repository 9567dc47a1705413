//! Learners, parents, accountable persons, staff, absentees, discipline, and the lookups of their
//! fields.

use super::World;
use super::fields::Fields;
use super::ids::{LEARNERS, LOOKUPS, SCHOOLS};
use crate::twin::texts_of;

const INCOMES: [&str; 7] = [
    "120000",
    "0",
    "0.005",
    "-0.004999",
    "999999999999.999999",
    "12500.50",
    "-1.005",
];

/// Points in the spellings of a dataset.
const POINTS: [&str; 8] = [
    "5",
    "-3",
    "\"-03\"",
    "\"007\"",
    "-0",
    "null",
    "-9223372036854775808",
    "9223372036854775807",
];

const ACCOUNTS: [(usize, &str); 3] = [(75, ""), (17, "open"), (8, "closed")];

/// The texts of a learner that have specific random values.
const LEARNER_TEXTS: [&str; 11] = [
    "first_name",
    "last_name",
    "grade_id",
    "family_code",
    "parent1_id",
    "parent2_id",
    "debtor_code",
    "accountable_person_id",
    "grade",
    "gender",
    "photo_url",
];

/// Returns the texts of a kind except these.
fn other_texts(kind: &str, drawn: &[&str]) -> Vec<&'static str> {
    let texts = texts_of(kind).into_iter();
    texts.filter(|name| !drawn.contains(name)).collect()
}

impl World {
    pub(super) fn learner(&mut self, school: u64, id: u64) -> Fields {
        let (today, dice) = (self.today, &mut self.dice);
        let mut fields = Fields::of_kind("learner")
            .id(dice, "school_id", school)
            .id(dice, "id", id);
        let (first, last) = (dice.name(), dice.name());
        if school == SCHOOLS[0].1 {
            self.names.push((first, last));
        }
        fields = fields
            .text(dice, "first_name", first)
            .text(dice, "last_name", last);
        let status = dice.weighted(&[(45, ""), (15, "current"), (30, "left"), (10, "waitlist")]);
        fields = fields.text(dice, "status", status);
        if dice.chance(if status == "left" { 92 } else { 10 }) {
            let date = dice.edge(today);
            fields = fields.raw("transfer_date", format!("\"{date}\""));
        }
        let (grade, family) = (dice.grade_reference(), dice.family_code());
        fields = fields
            .text(dice, "grade_id", grade)
            .text(dice, "family_code", family);
        let (one, two) = (dice.parent_reference(), dice.parent_reference());
        fields = fields.text(dice, "parent1_id", one);
        let two = if dice.chance(10) { one } else { two };
        fields = fields.text(dice, "parent2_id", two);
        let (code, person) = (dice.debtor_code(), dice.accountable_reference());
        fields = fields
            .text(dice, "debtor_code", code)
            .text(dice, "accountable_person_id", person);
        if dice.chance(20) {
            let date = dice.edge(today);
            fields = fields.raw("date_of_birth", format!("\"{date}\""));
        }
        fields = fields.texts(dice, 25, &["grade", "gender", "photo_url"]);
        let account = dice.weighted(&ACCOUNTS);
        fields = fields.text(dice, "account", account);
        let rest = other_texts("learner", &LEARNER_TEXTS);
        fields.texts(dice, 6, &rest)
    }

    pub(super) fn parent(&mut self, school: u64, id: u64) -> Fields {
        let (today, dice) = (self.today, &mut self.dice);
        let mut fields = Fields::of_kind("parent")
            .id(dice, "school_id", school)
            .id(dice, "id", id);
        let (first, last) = (dice.name(), dice.name());
        fields = fields
            .text(dice, "first_name", first)
            .text(dice, "last_name", last);
        if dice.chance(50) {
            let income = dice.pick(&INCOMES);
            fields = fields.decimal(dice, "gross_annual_income", income);
        }
        if dice.chance(20) {
            let date = dice.edge(today);
            fields = fields.raw("date_of_birth", format!("\"{date}\""));
        }
        let rest = other_texts("parent", &["first_name", "last_name"]);
        fields.texts(dice, 8, &rest)
    }

    pub(super) fn accountable_person(&mut self, school: u64, id: u64) -> Fields {
        let dice = &mut self.dice;
        let code = dice.debtor_code();
        let fields = Fields::of_kind("accountable_person")
            .id(dice, "school_id", school)
            .text(dice, "debtor_code", code);
        let account = dice.weighted(&ACCOUNTS);
        let fields = fields.text(dice, "account", account);
        let names = other_texts("accountable_person", &["debtor_code"]);
        fields
            .id(dice, "accountable_person_id", id)
            .texts(dice, 15, &names)
    }

    pub(super) fn absentee(&mut self, school: u64, id: u64) -> Fields {
        let (today, dice) = (self.today, &mut self.dice);
        let learner = dice.pick(&LEARNERS);
        let learner = if dice.chance(4) { 99 } else { learner };
        let date = dice.recent(today);
        let fields = Fields::of_kind("absentee")
            .id(dice, "school_id", school)
            .id(dice, "id", id);
        let fields = fields
            .id(dice, "learner_id", learner)
            .raw("absent_date", format!("\"{date}\""));
        fields.texts(dice, 60, &["absent_reason"])
    }

    pub(super) fn staff_member(&mut self, school: u64, id: u64) -> Fields {
        let (today, dice) = (self.today, &mut self.dice);
        let mut fields = Fields::of_kind("staff_member")
            .id(dice, "school_id", school)
            .id(dice, "id", id);
        let status = dice.weighted(&[(45, ""), (20, "current"), (35, "left")]);
        let educator = dice.weighted(&[(40, ""), (40, "Yes"), (20, "No")]);
        fields = fields
            .text(dice, "status", status)
            .text(dice, "is_educator", educator);
        if dice.chance(20) {
            let date = dice.edge(today);
            fields = fields.raw("date_of_birth", format!("\"{date}\""));
        }
        fields.texts(dice, 15, &texts_of("staff_member"))
    }

    pub(super) fn discipline(&mut self, school: u64, id: u64) -> Fields {
        let (today, dice) = (self.today, &mut self.dice);
        let learner = dice.pick(&LEARNERS);
        let date = dice.recent(today);
        let points = dice.pick(&POINTS);
        let fields = Fields::of_kind("discipline")
            .id(dice, "school_id", school)
            .id(dice, "id", id)
            .id(dice, "learner_id", learner)
            .raw("discipline_date", format!("\"{date}\""))
            .raw("discipline_points", points.to_owned());
        fields.texts(dice, 30, &texts_of("discipline"))
    }

    /// Returns a record of any lookup.
    pub(super) fn lookup(&mut self) -> Fields {
        let dice = &mut self.dice;
        let kind = dice.pick(&["ethnic_group", "marital_status", "gender", "language"]);
        let id = dice.pick(&LOOKUPS);
        let fields = Fields::of_kind(kind).id(dice, "id", id);
        fields.texts(dice, 80, &["name"])
    }
}
