//! 4.3 Get Learner Subjects Per Term.

use super::super::kinds::Kind;
use super::super::params::Params;
use super::super::question::{Row, Rows, View};
use super::super::records::{Fields, Record};
use super::super::render::Json;
use super::super::v2::Types;
use super::Endpoint;

static SUBJECT_PER_TERM: Types = Types {
    numbers: &["year", "subject_id", "grade_id"],
    ids: &["super_subject_id"],
    flags: &[],
    records: &[("terms", &TERM)],
};

static TERM: Types = Types {
    numbers: &["term_id", "term"],
    ids: &[
        "subject_group_id",
        "classroom_id",
        "subject_group_teacher_id",
    ],
    flags: &[],
    records: &[],
};

pub(super) static ENDPOINT: Endpoint = Endpoint {
    v1: "currplus/learnersubjectsperterm",
    v2: "currplus/learnersubjectsperterm",
    family: Some("curriculum"),
    none_found: "No learner subject records found",
    types: &SUBJECT_PER_TERM,
    ..Endpoint::new(|params| Box::new(question(params)))
};

#[derive(Clone, Debug)]
struct SubjectsPerTermQuestion(Option<u64>);

fn question(params: &mut Params) -> SubjectsPerTermQuestion {
    if params.text("learner_id").is_none() {
        params.refuse("learner_id", "Please provide a learner_id");
    }
    SubjectsPerTermQuestion(params.integer("learner_id"))
}

impl super::Question for SubjectsPerTermQuestion {
    fn rows(&self, view: &View<'_>) -> Rows {
        Ok(rows(view, self.0))
    }
}

/// Returns the rows by subject id, with the terms in ascending order.
fn rows(view: &View<'_>, learner: Option<u64>) -> Vec<Row> {
    // A record without a grade states only that the subject is taken.
    let records = subjects_of_learner(view, learner).into_iter();
    let records = records.filter(|record| record.number("grade_id").is_some());
    let row = |record: &Record| {
        let subject = record.id("subject_id");
        let mut members = vec![
            text("year", record.text("year")),
            text("subject_id", record.text("subject_id")),
        ];
        for name in ["subject_name", "super_subject_id", "super_subject_name"] {
            members.push(text(name, &view.name(Kind::Subject, subject, name)));
        }
        members.push(text("grade_id", record.text("grade_id")));
        members.push(text(
            "grade",
            &view.name(Kind::Grade, record.id("grade_id"), "grade"),
        ));
        let terms = record
            .terms
            .iter()
            .map(|(number, fields)| term(view, record.id("year"), *number, fields));
        members.push(("terms".to_owned(), Json::List(terms.collect())));
        (vec![subject], Json::Object(members))
    };
    records.map(row).collect()
}

/// Returns a term. `term_id` is that of the `term` record, or 0 if there is none.
fn term(view: &View<'_>, year: u64, number: u64, fields: &Fields) -> Json {
    let record = view.store.get(Kind::Term, &[view.school, year, number]);
    let term_id = record.map_or(0, |record| record.id("term_id"));
    let mut members = vec![
        ("term_id".to_owned(), Json::Number(term_id)),
        text("term", &number.to_string()),
    ];
    for name in [
        "subject_group_id",
        "subject_group_name",
        "classroom_id",
        "classroom_name",
        "subject_group_teacher_id",
    ] {
        members.push(text(name, fields.get(name).map_or("", String::as_str)));
    }
    Json::Object(members)
}

fn text(name: &str, value: &str) -> (String, Json) {
    (name.to_owned(), Json::text(value))
}

/// Returns the `learner_subject` records of a learner in the current year, by subject id.
pub(crate) fn subjects_of_learner<'a>(view: &View<'a>, learner: Option<u64>) -> Vec<&'a Record> {
    let records = view.store.of_school(Kind::LearnerSubject, view.school);
    let mut records: Vec<&Record> = records
        .filter(|record| Some(record.id("learner_id")) == learner)
        .filter(|record| Some(record.id("year")) == view.year)
        .collect();
    records.sort_by_key(|record| record.id("subject_id"));
    records
}
