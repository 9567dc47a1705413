//! Datasets: whole schools, and small changes.

use super::World;
use super::fields::Fields;
use super::ids::{
    ABSENTEES, ACCOUNTABLE, API_TYPES, ASSESSMENTS, DISCIPLINE, GRADES, INTEGRATORS, LEARNERS,
    OUTCOMES, PARENTS, SCHOOLS, STAFF, SUBJECTS, TERMS, YEARS,
};

/// The kinds of records that a change adds, removes or changes.
#[derive(Clone, Copy)]
enum ChangedKind {
    Learner,
    LearnerSubject,
    Mark,
    Assessment,
    Absentee,
    Parent,
    Subject,
    Grade,
    Program,
    Term,
    Year,
    School,
    Outcome,
    Authorisation,
    ApiType,
    Integrator,
    Accountable,
    Staff,
    Discipline,
    Lookup,
}

const CHANGED_KINDS: [(usize, ChangedKind); 20] = [
    (14, ChangedKind::Learner),
    (14, ChangedKind::LearnerSubject),
    (14, ChangedKind::Mark),
    (10, ChangedKind::Assessment),
    (8, ChangedKind::Absentee),
    (7, ChangedKind::Parent),
    (5, ChangedKind::Subject),
    (5, ChangedKind::Grade),
    (6, ChangedKind::Program),
    (5, ChangedKind::Term),
    (3, ChangedKind::Year),
    (3, ChangedKind::School),
    (3, ChangedKind::Outcome),
    (3, ChangedKind::Authorisation),
    (2, ChangedKind::ApiType),
    (1, ChangedKind::Integrator),
    (2, ChangedKind::Accountable),
    (4, ChangedKind::Staff),
    (6, ChangedKind::Discipline),
    (4, ChangedKind::Lookup),
];

impl World {
    /// Returns a dataset that fills an empty store: API types, integrators, and every school with
    /// its authorisations.
    pub fn dataset(&mut self) -> Vec<String> {
        let mut records: Vec<Fields> = Vec::new();
        for place in 0..API_TYPES.len() {
            records.push(self.api_type(place));
        }
        for (_, (username, password)) in INTEGRATORS {
            records.push(self.integrator(username, password));
        }
        for _ in 0..20 {
            records.push(self.lookup());
        }
        for (_, school) in SCHOOLS {
            records.extend(self.populated(school));
        }
        self.dice.shuffle(&mut records);
        self.lines(&records)
    }

    /// Returns a whole school, with other lines that may be in the same dataset.
    pub(super) fn whole_school(&mut self, school: u64) -> Vec<String> {
        let mut records = self.populated(school);
        if self.dice.chance(30) {
            let place = self.dice.below(API_TYPES.len());
            records.push(self.api_type(place));
        }
        match self.dice.below(20) {
            0 | 1 => {
                let any = self.any_school();
                records.push(self.record(any));
            }
            2 => {
                let record = self.record(school);
                records.push(self.spoiled(record));
            }
            _ => {}
        }
        self.dice.shuffle(&mut records);
        self.lines(&records)
    }

    /// Returns a school and its records. The first school has most records.
    fn populated(&mut self, school: u64) -> Vec<Fields> {
        let first = school == SCHOOLS[0].1;
        let (share, more) = if first { (90, 12) } else { (40, 5) };
        let mut records = vec![self.school(school)];
        for (api_type, _) in API_TYPES {
            if self.dice.chance(94) {
                records.push(self.client_integration(school, INTEGRATORS[0].1.0, api_type));
            }
            if self.dice.chance(share) {
                records.push(self.client_integration(school, INTEGRATORS[1].1.0, api_type));
            }
        }
        records.push(self.any_client_integration(school));
        for (_, year) in &YEARS[..if first { 2 } else { 1 }] {
            if self.dice.chance(share) {
                records.push(self.year(school, *year));
            }
            for term in TERMS {
                if self.dice.chance(93) {
                    records.push(self.term(school, *year, term));
                }
            }
        }
        let mut some =
            |world: &mut Self, ids: &[u64], record: fn(&mut Self, u64, u64) -> Fields| {
                for id in ids {
                    if world.dice.chance(share) {
                        records.push(record(world, school, *id));
                    }
                }
            };
        some(self, &GRADES, Self::grade);
        some(self, &PARENTS, Self::parent);
        some(self, &LEARNERS, Self::learner);
        some(self, &SUBJECTS, Self::subject);
        some(self, &OUTCOMES, Self::learning_outcome);
        some(self, &ABSENTEES, Self::absentee);
        some(self, &ACCOUNTABLE, Self::accountable_person);
        some(self, &STAFF, Self::staff_member);
        some(self, &DISCIPLINE, Self::discipline);
        for place in 0..ASSESSMENTS.len() {
            if self.dice.chance(share) {
                records.push(self.assessment(school, place));
            }
        }
        for learner in 0..LEARNERS.len() {
            for subject in 0..2 {
                if self.dice.chance(share) {
                    records.push(self.enrolment(school, learner, subject));
                }
            }
        }
        for _ in 0..more {
            records.push(self.mark(school));
        }
        for _ in 0..more / 3 {
            records.push(self.learner_subject(school));
            records.push(self.learning_program(school));
        }
        records
    }

    /// Returns a few changes. Sometimes one of them is faulty.
    pub(super) fn changes(&mut self) -> Vec<String> {
        let mut records = Vec::new();
        for _ in 0..self.dice.weighted(&[(3, 1), (3, 2), (2, 4), (1, 8)]) {
            let school = self.any_school();
            let record = self.record(school);
            match self.dice.below(20) {
                0..2 => records.push(removal(&record)),
                2 => records.extend([removal(&record), record]),
                3 => records.extend([record.clone(), removal(&record)]),
                4 => {
                    let again = self.record_like(&record);
                    records.extend([record, again]);
                }
                _ => records.push(record),
            }
        }
        let mut lines = self.lines(&records);
        if self.dice.chance(14) {
            let school = self.any_school();
            let line = if self.dice.chance(80) {
                self.faulty_line(school)
            } else {
                self.in_a_missing_school()
            };
            let place = self.dice.between(0, lines.len());
            lines.insert(place, line);
        }
        lines
    }

    /// Returns a record of a school, or one that belongs to no school.
    pub(super) fn record(&mut self, school: u64) -> Fields {
        let year = self.dice.weighted(&YEARS);
        match self.dice.weighted(&CHANGED_KINDS) {
            ChangedKind::Learner => self.of_one(school, &LEARNERS, Self::learner),
            ChangedKind::Absentee => self.of_one(school, &ABSENTEES, Self::absentee),
            ChangedKind::Parent => self.of_one(school, &PARENTS, Self::parent),
            ChangedKind::Subject => self.of_one(school, &SUBJECTS, Self::subject),
            ChangedKind::Grade => self.of_one(school, &GRADES, Self::grade),
            ChangedKind::Outcome => self.of_one(school, &OUTCOMES, Self::learning_outcome),
            ChangedKind::Accountable => self.of_one(school, &ACCOUNTABLE, Self::accountable_person),
            ChangedKind::Staff => self.of_one(school, &STAFF, Self::staff_member),
            ChangedKind::Discipline => self.of_one(school, &DISCIPLINE, Self::discipline),
            ChangedKind::Lookup => self.lookup(),
            ChangedKind::LearnerSubject => self.learner_subject(school),
            ChangedKind::Mark => self.mark(school),
            ChangedKind::Program => self.learning_program(school),
            ChangedKind::Year => self.year(school, year),
            ChangedKind::School => self.school(school),
            ChangedKind::Authorisation => self.any_client_integration(school),
            ChangedKind::Term => {
                let term = self.dice.pick(&TERMS);
                self.term(school, year, term)
            }
            ChangedKind::Assessment => {
                let place = self.dice.below(ASSESSMENTS.len());
                self.assessment(school, place)
            }
            ChangedKind::ApiType => {
                let place = self.dice.below(API_TYPES.len());
                self.api_type(place)
            }
            ChangedKind::Integrator => {
                let (username, password) = self.dice.weighted(&INTEGRATORS);
                self.integrator(username, password)
            }
        }
    }

    fn of_one(
        &mut self,
        school: u64,
        ids: &[u64],
        record: fn(&mut Self, u64, u64) -> Fields,
    ) -> Fields {
        let id = self.dice.pick(ids);
        record(self, school, id)
    }

    /// Returns the same record, or the record without one of its optional fields.
    fn record_like(&mut self, record: &Fields) -> Fields {
        let mut again = record.clone();
        if self.dice.chance(50) {
            let place = self.dice.below(again.0.len());
            let required = |name: &str| keys_of(record).contains(&name) || REQUIRED.contains(&name);
            if !required(again.0[place].0.as_str()) {
                again.0.remove(place);
            }
        }
        again
    }

    fn lines(&mut self, records: &[Fields]) -> Vec<String> {
        let mut lines = Vec::new();
        for record in records {
            lines.push(record.line(&mut self.dice));
            if self.dice.chance(2) {
                lines.push(self.dice.pick(&["", " ", "\r", "\t"]).to_owned());
            }
        }
        lines
    }
}

/// Required fields of some kind, in addition to the key.
const REQUIRED: [&str; 20] = [
    "type",
    "current_year",
    "family",
    "term_id",
    "start_date",
    "end_date",
    "transfer_date",
    "grade_id",
    "term",
    "year",
    "subject_id",
    "password",
    "password_hash",
    "learner_id",
    "learning_outcome_id",
    "assessment_date",
    "weight",
    "mark_out_of",
    "absent_date",
    "discipline_date",
];

/// Returns the names of the key fields of a record's kind.
fn keys_of(record: &Fields) -> &'static [&'static str] {
    match record.0[0].1.trim_matches('"') {
        "school" => &["school_id"],
        "api_type" => &["api_type_id"],
        "integrator" => &["username"],
        "client_integration" => &["username", "school_id", "api_type_id"],
        "year" => &["school_id", "year"],
        "term" => &["school_id", "year", "term"],
        "grade" => &["school_id", "grade_id"],
        "subject" => &["school_id", "subject_id"],
        "learner_subject" => &["school_id", "learner_id", "year", "subject_id"],
        "learning_outcome" => &["school_id", "learning_outcome_id"],
        "learning_program" => &["school_id", "grade_id", "year", "term", "subject_id"],
        "assessment" => &["school_id", "assessment_id"],
        "mark" => &["school_id", "assessment_id", "learner_id"],
        "accountable_person" => &["school_id", "accountable_person_id"],
        "ethnic_group" | "marital_status" | "gender" | "language" => &["id"],
        _ => &["school_id", "id"],
    }
}

/// Returns the removal of a record.
fn removal(record: &Fields) -> Fields {
    let keys = keys_of(record);
    let included = |(name, _): &&(String, String)| name == "type" || keys.contains(&name.as_str());
    Fields(record.0.iter().filter(included).cloned().collect()).raw("deleted", "true".to_owned())
}
