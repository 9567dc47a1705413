//! The parameters of every endpoint: mostly values that match records, sometimes wrong values.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use super::World;
use super::ids::{ASSESSMENTS, GRADES, LEARNERS, OUTCOMES, PARENTS, STAFF, SUBJECTS, TERMS, YEARS};

/// The names and values of a query, before they are encoded.
pub(super) type Query = Vec<(&'static str, String)>;

/// Values that are not integers.
const NO_INTEGERS: [&str; 12] = [
    "x",
    "-1",
    "+1",
    "1.0",
    " 1",
    "1 ",
    "18446744073709551616",
    "１",
    "1e3",
    "0x1",
    "1_000",
    "٣",
];

/// Values that are not dates.
const NO_DATES: [&str; 9] = [
    "x",
    "2026-2-01",
    "2026-02-30",
    "2023-02-29",
    "0000-01-01",
    "20260514",
    "2026-05-14T00:00:00",
    " 2026-05-14",
    "-026-05-14",
];

impl World {
    /// Returns the parameters of section 4.1.
    pub(super) fn learners_query(&mut self) -> Query {
        let mut query = Query::new();
        let status = self
            .dice
            .weighted(&[(58, ""), (8, "current"), (26, "left"), (8, "waitlist")]);
        if !status.is_empty() || self.dice.chance(5) {
            query.push(("status", status.to_owned()));
        }
        if self.dice.chance(if status == "left" { 60 } else { 5 }) {
            query.extend(self.window("since", "until"));
        }
        self.sometimes(&mut query, 10, "learner_id", &LEARNERS);
        if self.dice.chance(18) {
            query.push(("grade_id", self.grades()));
        }
        if self.dice.chance(30) {
            let value = self
                .dice
                .pick(&["", "1", "true", "yes", "x", "0", "False", "NO", "00"]);
            query.push(("include_parents", value.to_owned()));
        }
        if self.dice.chance(20) {
            query.push(("name", self.needle()));
        }
        self.sometimes(&mut query, 8, "family_code", &[1001, 1002, 0, u64::MAX]);
        self.spoil(
            &mut query,
            &[
                "status",
                "since",
                "until",
                "learner_id",
                "grade_id",
                "family_code",
            ],
        );
        query
    }

    /// Returns the parameters of section 4.2.
    pub(super) fn assessment_marks_query(&mut self) -> Query {
        let mut query = Query::new();
        let (learner, grade) = self.dice.weighted(&[
            (45, (100, 0)),
            (35, (0, 100)),
            (18, (100, 100)),
            (2, (0, 0)),
        ]);
        self.sometimes(&mut query, learner, "learner_id", &LEARNERS);
        self.sometimes(&mut query, grade, "grade_id", &GRADES[..2]);
        self.sometimes(&mut query, 10, "subject_id", &SUBJECTS[..2]);
        if self.dice.chance(10) {
            let year = self.dice.weighted(&YEARS);
            query.push(("year", self.digits(year)));
        }
        self.sometimes(&mut query, 8, "term", &TERMS);
        self.sometimes(&mut query, 6, "learning_outcome_id", &OUTCOMES);
        self.sometimes(&mut query, 6, "assessment_id", &ASSESSMENTS);
        if self.dice.chance(25) {
            let value = self.dice.pick(&["1", "true", "TRUE", "0", "False", ""]);
            query.push(("structure", value.to_owned()));
        }
        let names = [
            "learner_id",
            "grade_id",
            "subject_id",
            "year",
            "term",
            "learning_outcome_id",
            "assessment_id",
            "structure",
        ];
        self.spoil(&mut query, &names);
        query
    }

    /// Returns the parameters of sections 4.3 and 4.4.
    pub(super) fn one_learner_query(&mut self) -> Query {
        let mut query = Query::new();
        self.sometimes(&mut query, 96, "learner_id", &LEARNERS);
        self.spoil(&mut query, &["learner_id"]);
        query
    }

    /// Returns the parameters of section 4.5.
    pub(super) fn learner_subjects_query(&mut self) -> Query {
        let mut query = Query::new();
        self.sometimes(&mut query, 50, "learner_id", &LEARNERS);
        self.spoil(&mut query, &["learner_id"]);
        query
    }

    /// Returns the parameters of section 4.9, and of discipline.
    pub(super) fn absentees_query(&mut self) -> Query {
        let mut query = Query::new();
        self.sometimes(&mut query, 25, "learner_id", &LEARNERS);
        if self.dice.chance(50) {
            query.extend(self.range());
        }
        self.spoil(&mut query, &["learner_id", "from_date", "to_date"]);
        query
    }

    pub(super) fn parents_query(&mut self) -> Query {
        self.one_of("parent_id", &PARENTS)
    }

    pub(super) fn staff_query(&mut self) -> Query {
        self.one_of("staff_member_id", &STAFF)
    }

    pub(super) fn grades_query(&mut self) -> Query {
        self.one_of("grade_id", &GRADES)
    }

    /// Returns the parameters for all records or one.
    fn one_of(&mut self, name: &'static str, ids: &[u64]) -> Query {
        let mut query = Query::new();
        self.sometimes(&mut query, 35, name, ids);
        self.spoil(&mut query, &[name]);
        query
    }

    /// Adds a parameter with one of these ids, with this probability.
    pub(super) fn sometimes(
        &mut self,
        query: &mut Query,
        percent: usize,
        name: &'static str,
        ids: &[u64],
    ) {
        if self.dice.chance(percent) {
            let id = self.dice.pick(ids);
            query.push((name, self.digits(id)));
        }
    }

    /// Returns the digits of an id, sometimes with leading zeros.
    pub(super) fn digits(&mut self, id: u64) -> String {
        if self.dice.chance(10) {
            format!("000{id}")
        } else {
            id.to_string()
        }
    }

    /// Returns one or both bounds of a window of transfer dates.
    fn window(&mut self, since: &'static str, until: &'static str) -> Query {
        let (first, second) = (self.dice.edge(self.today), self.dice.edge(self.today));
        let in_order = self.dice.chance(90);
        let (first, second) = if first > second && in_order {
            (second, first)
        } else {
            (first, second)
        };
        match self.dice.below(3) {
            0 => vec![(since, first.to_string())],
            1 => vec![(until, second.to_string())],
            _ => vec![(until, second.to_string()), (since, first.to_string())],
        }
    }

    /// Returns one or both bounds of a range of absent dates.
    fn range(&mut self) -> Query {
        if self.dice.chance(15) {
            return self.window("from_date", "to_date");
        }
        let last = self.dice.recent(self.today);
        let first = self.dice.recent(last);
        match self.dice.below(3) {
            0 => vec![("from_date", last.to_string())],
            1 => vec![("to_date", last.to_string())],
            _ => vec![
                ("from_date", first.min(last).to_string()),
                ("to_date", last.max(first).to_string()),
            ],
        }
    }

    /// Returns one grade or a list of grades.
    fn grades(&mut self) -> String {
        let count = self.dice.between(1, 3);
        let mut items = Vec::new();
        for _ in 0..count {
            let grade = self.dice.weighted(&[(30, 9), (30, 10), (20, 3), (10, 77)]);
            let (before, after) =
                self.dice
                    .weighted(&[(80, ("", "")), (10, (" ", "")), (10, ("  ", " "))]);
            items.push(format!("{before}{}{after}", self.digits(grade)));
        }
        items.join(",")
    }

    /// Returns a name of some learner or a part of it, with another case or composition.
    fn needle(&mut self) -> String {
        let given = self.names.iter().rev().take(8).copied();
        let given: Vec<(&str, &str)> = given
            .chain([(self.dice.name(), self.dice.name())])
            .collect();
        let (first, last) = self.dice.pick(&given);
        let name = match self.dice.below(5) {
            0 => format!("{first} {last}"),
            1 => format!(" {last}"),
            2 => last.to_owned(),
            _ => first.to_owned(),
        };
        let letters: Vec<char> = name.chars().collect();
        let start = self
            .dice
            .weighted(&[(60, 0), (20, 1), (20, letters.len() / 2)]);
        let count = self
            .dice
            .weighted(&[(50, letters.len()), (25, 2), (25, letters.len() - 1)]);
        let part: String = letters.into_iter().skip(start).take(count).collect();
        match self.dice.below(8) {
            0 => part.to_lowercase(),
            1 => part.to_uppercase(),
            2 => part.nfd().collect(),
            3 => part.nfc().collect(),
            4 => part.nfkd().collect(),
            5 => part
                .nfd()
                .filter(|letter| !is_combining_mark(*letter))
                .collect(),
            _ => part,
        }
    }

    /// Sometimes replaces one value by one of the wrong type.
    pub(super) fn spoil(&mut self, query: &mut Query, names: &[&'static str]) {
        if !self.dice.chance(10) {
            return;
        }
        let name = self.dice.pick(names);
        let value = match name {
            "status" => self.dice.pick(&["Left", "left ", "all", "currently"]),
            "since" | "until" | "from_date" | "to_date" => self.dice.pick(&NO_DATES),
            "structure" | "all_accounts" | "reverse_order" => {
                self.dice.pick(&["yes", "2", "01", "true ", "t"])
            }
            "limit" => {
                self.dice
                    .pick(&["0", "000", "x", "-1", "1.0", " 5", "18446744073709551616"])
            }
            "grade_id" if names.contains(&"status") => self.dice.pick(&[
                "9,,10",
                "9,",
                ",9",
                "R",
                " ",
                "9;10",
                "9 10",
                "9,x",
                "+9",
                "9,18446744073709551616",
                "9,\t10",
                "9,10\u{a0}",
            ]),
            _ => self.dice.pick(&NO_INTEGERS),
        };
        query.retain(|(other, _)| *other != name);
        query.push((name, value.to_owned()));
    }
}
