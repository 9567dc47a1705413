//! The kinds of records: each a serde type, a table, and the statement that
//! adds or replaces one.

use super::super::fold::fold;
use super::value::{Captured, Decimal, Integer, OptionalDate, Percentage, Reference, Status, Text};
use rusqlite::{Result, Statement, params};
use serde::Deserialize;
use serde::de::IgnoredAny;

/// A record that is a row.
pub(super) trait Row {
    /// Its place among the tables.
    const PLACE: usize;
    const TABLE: &'static str;
    const KEY: &'static [&'static str];
    const COLUMNS: &'static [&'static str];

    /// Adds the row or replaces what is kept of it, by the statement of
    /// [`Row::upsert`]; how many rows that changed.
    fn put(&self, upsert: &mut Statement<'_>) -> Result<usize>;

    /// A row that is equal already is not written again.
    fn upsert() -> String {
        let (table, columns) = (Self::TABLE, Self::COLUMNS);
        let all = [Self::KEY, columns].concat();
        let list = |each: &dyn Fn(&str) -> String| {
            let parts: Vec<_> = columns.iter().map(|column| each(column)).collect();
            parts.join(",")
        };
        let insert = format!(
            "INSERT INTO {table} ({}) VALUES ({})",
            all.join(","),
            vec!["?"; all.len()].join(",")
        );
        if columns.is_empty() {
            return format!("{insert} ON CONFLICT DO NOTHING");
        }
        format!(
            "{insert} ON CONFLICT ({}) DO UPDATE SET {} WHERE ({}) IS NOT ({})",
            Self::KEY.join(","),
            list(&|column| format!("{column}=excluded.{column}")),
            list(&|column| format!("{table}.{column}")),
            list(&|column| format!("excluded.{column}")),
        )
    }
}

/// How many tables there are.
pub(super) const TABLES: usize = 18;

/// A kind: the place and name of its table, its key fields, the fields that it
/// must have, the others, and what columns are made out of them.
macro_rules! kind {
    (
        $place:literal $name:ident $table:literal
        [$($key:ident: $key_type:ty),*]
        {$($needed:ident: $needed_type:ty),*}
        {$($field:ident: $type:ty),* $(,)?}
        $($made:ident: $make:expr)?
    ) => {
        #[derive(Debug, Deserialize)]
        #[serde(deny_unknown_fields, bound(deserialize = "'de: 'a"))]
        pub(super) struct $name<'a> {
            #[serde(default, rename = "type")]
            _kind: IgnoredAny,
            $($key: $key_type,)*
            $($needed: $needed_type,)*
            $(#[serde(default)] $field: $type,)*
        }

        impl Row for $name<'_> {
            const PLACE: usize = $place;
            const TABLE: &'static str = $table;
            const KEY: &'static [&'static str] = &[$(stringify!($key)),*];
            const COLUMNS: &'static [&'static str] = &[
                $(stringify!($needed),)* $(stringify!($field),)* $(stringify!($made))?
            ];

            fn put(&self, upsert: &mut Statement<'_>) -> Result<usize> {
                upsert.execute(params![
                    $(self.$key,)* $(self.$needed,)* $(self.$field,)* $($make(self))?
                ])
            }
        }
    };
}

kind! { 0 School "school" [school_id: Integer] { current_year: Integer } {
    school_name: Text<'a>, school_short_name: Text<'a>, ownership_type: Text<'a>,
    country: Text<'a>, province: Text<'a>, town: Text<'a>, suburb: Text<'a>,
    district: Text<'a>, district_code: Text<'a>, circuit: Text<'a>, quantile: Text<'a>,
    emis_number: Text<'a>, telephone_number: Text<'a>, lowest_grade: Text<'a>,
    highest_grade: Text<'a>, admin_email_address: Text<'a>,
    debtors_email_address: Text<'a>, finance_email_address: Text<'a>,
    physical_address: Text<'a>, postal_address: Text<'a>,
    has_after_school_center: Text<'a>, has_hostel: Text<'a>, uses_debit_orders: Text<'a>,
    uses_cashless: Text<'a>, telephone_calling_code: Text<'a>, utc_offset: Text<'a>,
} }

kind! { 1 ApiType "api_type" [api_type_id: Integer] { family: Text<'a> } {
    api_type: Text<'a>,
} }

kind! { 2 Year "year" [school_id: Integer, year: Integer] {} { year_name: Text<'a> } }

kind! { 3 Term "term" [school_id: Integer, year: Integer, term: Integer] {
    term_id: Integer, start_date: Text<'a>, end_date: Text<'a>
} {} }

kind! { 4 Grade "grade" [school_id: Integer, grade_id: Integer] {} { grade: Text<'a> } }

kind! { 5 Parent "parent" [school_id: Integer, id: Integer] {} {
    title: Text<'a>, first_name: Text<'a>, last_name: Text<'a>,
    mobile_calling_code: Text<'a>, mobile_number: Text<'a>, email_address: Text<'a>,
    date_of_birth: Text<'a>, gender: Text<'a>, ethnic_group_id: Text<'a>,
    ethnic_group: Text<'a>, residential_address: Text<'a>, postal_address: Text<'a>,
    home_language_id: Text<'a>, home_language: Text<'a>, nationality: Text<'a>,
    family_code: Text<'a>, id_number: Text<'a>, passport_number: Text<'a>,
    marital_status_id: Text<'a>, marital_status: Text<'a>, occupation_status: Text<'a>,
    occupation: Text<'a>, employment_sector: Text<'a>, gross_annual_income: Decimal,
} }

kind! { 6 Learner "learner" [school_id: Integer, id: Integer] {} {
    first_name: Text<'a>, last_name: Text<'a>, mobile_calling_code: Text<'a>,
    mobile_number: Text<'a>, email_address: Text<'a>, date_of_birth: Text<'a>,
    gender: Text<'a>, ethnic_group_id: Text<'a>, ethnic_group: Text<'a>,
    home_language_id: Text<'a>, home_language: Text<'a>, tuition_language_id: Text<'a>,
    tuition_language: Text<'a>, nationality: Text<'a>, admission_number: Text<'a>,
    family_code: Text<'a>, id_number: Text<'a>, passport_number: Text<'a>,
    grade_id: Reference, grade: Text<'a>, register_class_name: Text<'a>,
    register_class_teacher_id: Text<'a>, country: Text<'a>, province: Text<'a>,
    education_stream: Text<'a>, photo_url: Text<'a>, parent1_id: Reference,
    parent2_id: Reference, status: Status<'a>, transfer_date: Text<'a>,
    debtor_code: Text<'a>, accountable_person_id: Text<'a>,
} folded_name: |learner: &Learner<'_>| {
    fold(&format!("{} {}", learner.first_name.0, learner.last_name.0))
} }

kind! { 7 Subject "subject" [school_id: Integer, subject_id: Integer] {} {
    subject_name: Text<'a>, super_subject_id: Text<'a>, super_subject_name: Text<'a>,
} }

kind! { 8 LearningOutcome "learning_outcome"
    [school_id: Integer, learning_outcome_id: Integer] {} { learning_outcome_name: Text<'a> }
}

kind! { 9 LearningProgram "learning_program" [
    school_id: Integer, year: Integer, grade_id: Integer, term: Integer, subject_id: Integer
] {} { mark_release_date: OptionalDate<'a> } }

kind! { 10 AccountablePerson "accountable_person"
    [school_id: Integer, accountable_person_id: Integer] {} {
    title: Text<'a>, first_name: Text<'a>, full_names: Text<'a>, last_name: Text<'a>,
    debtor_code: Text<'a>, mobile_calling_code: Text<'a>, mobile_number: Text<'a>,
    work_tel_number: Text<'a>, home_tel_number: Text<'a>, email_address: Text<'a>,
    residential_address: Text<'a>, postal_address: Text<'a>, home_language: Text<'a>,
    nationality: Text<'a>, id_number: Text<'a>, passport_number: Text<'a>,
    employer: Text<'a>, employer_address: Text<'a>,
} }

kind! { 11 Absentee "absentee" [school_id: Integer, id: Integer] {
    learner_id: Integer, absent_date: Text<'a>
} { absent_reason: Text<'a> } }

kind! { 12 Assessment "assessment" [school_id: Integer, assessment_id: Integer] {
    grade_id: Integer, year: Integer, term: Integer, subject_id: Integer,
    learning_outcome_id: Integer, assessment_date: Text<'a>, weight: Decimal,
    mark_out_of: Decimal
} { assessment_name: Text<'a> } }

kind! { 13 Mark "mark" [school_id: Integer, assessment_id: Integer, learner_id: Integer] {} {
    mark: Decimal, percentage: Percentage, captured: Captured, dtime: Text<'a>,
} absent: |mark: &Mark<'_>| mark.percentage.absent }

/// An integrator, without its password.
#[derive(Debug, Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
pub(super) struct Integrator<'a> {
    username: Text<'a>,
}

impl Row for Integrator<'_> {
    const PLACE: usize = 14;
    const TABLE: &'static str = "integrator";
    const KEY: &'static [&'static str] = &["username"];
    const COLUMNS: &'static [&'static str] = &[];

    fn put(&self, upsert: &mut Statement<'_>) -> Result<usize> {
        upsert.execute(params![self.username])
    }
}

/// A school's authorisation; a state that is not given is left as it is.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'a"))]
pub(super) struct ClientIntegration<'a> {
    #[serde(default, rename = "type")]
    _kind: IgnoredAny,
    username: Text<'a>,
    school_id: Integer,
    api_type_id: Integer,
    state: Option<Integer>,
}

impl Row for ClientIntegration<'_> {
    const PLACE: usize = 15;
    const TABLE: &'static str = "client_integration";
    const KEY: &'static [&'static str] = &["username", "school_id", "api_type_id"];
    const COLUMNS: &'static [&'static str] = &["state"];

    fn upsert() -> String {
        "INSERT INTO client_integration (username, school_id, api_type_id, state)
         VALUES (?1, ?2, ?3, coalesce(?4, 0))
         ON CONFLICT DO UPDATE SET state = ?4 WHERE ?4 IS NOT NULL AND state IS NOT ?4"
            .to_owned()
    }

    fn put(&self, upsert: &mut Statement<'_>) -> Result<usize> {
        upsert.execute(params![
            self.username,
            self.school_id,
            self.api_type_id,
            self.state
        ])
    }
}

/// A subject that a learner takes in a year, with its terms.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'a"))]
pub(super) struct LearnerSubject<'a> {
    #[serde(default, rename = "type")]
    _kind: IgnoredAny,
    pub(super) school_id: Integer,
    pub(super) year: Integer,
    pub(super) learner_id: Integer,
    pub(super) subject_id: Integer,
    grade_id: Integer,
    #[serde(default)]
    pub(super) terms: Vec<SubjectTerm<'a>>,
}

/// A term of a learner's subject.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'a"))]
pub(super) struct SubjectTerm<'a> {
    pub(super) term: Integer,
    #[serde(default)]
    mark: Decimal,
    #[serde(default)]
    subject_group_id: Text<'a>,
    #[serde(default)]
    subject_group_name: Text<'a>,
    #[serde(default)]
    classroom_id: Text<'a>,
    #[serde(default)]
    classroom_name: Text<'a>,
    #[serde(default)]
    subject_group_teacher_id: Text<'a>,
}

impl Row for LearnerSubject<'_> {
    const PLACE: usize = 16;
    const TABLE: &'static str = "learner_subject";
    const KEY: &'static [&'static str] = &["school_id", "year", "learner_id", "subject_id"];
    const COLUMNS: &'static [&'static str] = &["grade_id"];

    fn put(&self, upsert: &mut Statement<'_>) -> Result<usize> {
        upsert.execute(params![
            self.school_id,
            self.year,
            self.learner_id,
            self.subject_id,
            self.grade_id
        ])
    }
}

/// A term's row.
pub(super) struct TermOf<'a>(
    pub(super) &'a LearnerSubject<'a>,
    pub(super) &'a SubjectTerm<'a>,
);

impl Row for TermOf<'_> {
    const PLACE: usize = 17;
    const TABLE: &'static str = "learner_subject_term";
    const KEY: &'static [&'static str] = &["school_id", "year", "learner_id", "subject_id", "term"];
    const COLUMNS: &'static [&'static str] = &[
        "mark",
        "subject_group_id",
        "subject_group_name",
        "classroom_id",
        "classroom_name",
        "subject_group_teacher_id",
    ];

    fn put(&self, upsert: &mut Statement<'_>) -> Result<usize> {
        let TermOf(of, term) = self;
        upsert.execute(params![
            of.school_id,
            of.year,
            of.learner_id,
            of.subject_id,
            term.term,
            term.mark,
            term.subject_group_id,
            term.subject_group_name,
            term.classroom_id,
            term.classroom_name,
            term.subject_group_teacher_id,
        ])
    }
}
