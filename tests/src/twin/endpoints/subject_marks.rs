//! 4.4 Get Learner Subject Marks.

use super::super::kinds::Kind;
use super::super::params::Params;
use super::super::parents::decimal;
use super::super::question::{Row, Rows, View};
use super::super::records::Record;
use super::super::render::Json;
use super::super::v2::Types;
use super::Endpoint;
use super::subjects_per_term::subjects_of_learner;

static SUBJECT_MARKS: Types = Types {
    numbers: &["year", "subject_id", "grade_id"],
    ids: &[],
    flags: &[],
    records: &[("terms", &MARKED_TERM)],
};

static MARKED_TERM: Types = Types {
    numbers: &["term", "mark"],
    ids: &[],
    flags: &[],
    records: &[],
};

pub(super) static ENDPOINT: Endpoint = Endpoint {
    v1: "currplus/learnersubjectmarks",
    v2: "currplus/learnersubjectmarks",
    family: Some("curriculum"),
    none_found: "No subject mark records found",
    types: &SUBJECT_MARKS,
    ..Endpoint::new(|params| Box::new(question(params)))
};

#[derive(Clone, Debug)]
struct SubjectMarksQuestion(Option<u64>);

fn question(params: &mut Params) -> SubjectMarksQuestion {
    if params.text("learner_id").is_none() {
        params.refuse("learner_id", "Please provide a learner_id");
    }
    SubjectMarksQuestion(params.integer("learner_id"))
}

impl super::Question for SubjectMarksQuestion {
    fn rows(&self, view: &View<'_>) -> Rows {
        Ok(rows(view, self.0))
    }
}

/// Returns the rows by subject id, with the terms that have a mark in ascending order. A subject
/// without such a term is omitted.
fn rows(view: &View<'_>, learner: Option<u64>) -> Vec<Row> {
    subjects_of_learner(view, learner)
        .into_iter()
        .filter_map(|record| row(view, record))
        .collect()
}

fn row(view: &View<'_>, record: &Record) -> Option<Row> {
    let marked = record
        .terms
        .iter()
        .filter_map(|(number, fields)| Some((number, fields.get("mark")?)));
    let terms: Vec<Json> = marked
        .map(|(number, mark)| {
            let term = ("term".to_owned(), Json::Text(number.to_string()));
            Json::Object(vec![term, ("mark".to_owned(), decimal(mark))])
        })
        .collect();
    if terms.is_empty() {
        return None;
    }
    let text = |name: &str, value: &str| (name.to_owned(), Json::text(value));
    let members = vec![
        text("year", record.text("year")),
        text("subject_id", record.text("subject_id")),
        text(
            "subject_name",
            &view.name(Kind::Subject, record.id("subject_id"), "subject_name"),
        ),
        text("grade_id", record.text("grade_id")),
        text(
            "grade",
            &view.name(Kind::Grade, record.id("grade_id"), "grade"),
        ),
        ("terms".to_owned(), Json::List(terms)),
    ];
    Some((vec![record.id("subject_id")], Json::Object(members)))
}
