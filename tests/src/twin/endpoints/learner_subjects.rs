//! 4.5 Get Learner Subjects.

use super::super::kinds::Kind;
use super::super::params::Params;
use super::super::question::{Row, Rows, View};
use super::super::records::Record;
use super::super::render::Json;
use super::super::v2::Types;
use super::Endpoint;

static LEARNER_SUBJECT: Types = Types {
    numbers: &["learner_id", "subject_id"],
    ids: &[],
    flags: &[],
    records: &[],
};

pub(super) static ENDPOINT: Endpoint = Endpoint {
    v1: "currplus/learnersubjects",
    v2: "currplus/learnersubjects",
    family: Some("curriculum"),
    none_found: "No learner subject records found",
    types: &LEARNER_SUBJECT,
    ..Endpoint::new(|params| Box::new(question(params)))
};

#[derive(Clone, Debug)]
struct LearnerSubjectsQuestion(Option<u64>);

fn question(params: &mut Params) -> LearnerSubjectsQuestion {
    LearnerSubjectsQuestion(params.integer("learner_id"))
}

impl super::Question for LearnerSubjectsQuestion {
    fn rows(&self, view: &View<'_>) -> Rows {
        Ok(rows(view, self.0))
    }
}

/// Returns the rows of the current year by learner id, then subject id. Without `learner_id`, only
/// learners whose status is `current`; with it, the learner of any status, with empty names if the
/// record does not exist.
fn rows(view: &View<'_>, learner: Option<u64>) -> Vec<Row> {
    let is_current = |id: u64| view.name(Kind::Learner, id, "status") == "current";
    let records = view.store.of_school(Kind::LearnerSubject, view.school);
    let mut rows: Vec<Row> = records
        .filter(|record| Some(record.id("year")) == view.year)
        .filter(|record| match learner {
            Some(id) => record.id("learner_id") == id,
            None => is_current(record.id("learner_id")),
        })
        .map(|record| row(view, record))
        .collect();
    rows.sort_by(|(one, _), (other, _)| one.cmp(other));
    rows
}

fn row(view: &View<'_>, record: &Record) -> Row {
    let (learner, subject) = (record.id("learner_id"), record.id("subject_id"));
    let text = |name: &str, value: String| (name.to_owned(), Json::Text(value));
    let of_learner = |name: &str| text(name, view.name(Kind::Learner, learner, name));
    let name = view.name(Kind::Subject, subject, "subject_name");
    let members = vec![
        text("learner_id", learner.to_string()),
        of_learner("first_name"),
        of_learner("last_name"),
        ("subject_id".to_owned(), Json::Number(subject)),
        text("subject_name", name),
    ];
    (vec![learner, subject], Json::Object(members))
}
