//! 4.5 Get Learner Subjects.

use super::answer::{Answered, rows_or};
use super::kinds::Kind;
use super::records::Record;
use super::render::Json;
use super::request::View;

/// By learner id, then subject id, for the current year. Without `learner_id` only learners whose status is
/// `current`; with it, the learner whatever its status, with empty names if there is no such record.
pub(crate) fn learner_subjects(view: &View<'_>) -> Answered {
    let learner = view.params.integer("learner_id")?;
    let year = view.current_year();
    let is_current = |id: u64| view.name(Kind::Learner, id, "status") == "current";
    let records = view.store.of_school(Kind::LearnerSubject, view.school);
    let mut records: Vec<&Record> = records
        .filter(|record| Some(record.id("year")) == year)
        .filter(|record| match learner {
            Some(id) => record.id("learner_id") == id,
            None => is_current(record.id("learner_id")),
        })
        .collect();
    records.sort_by_key(|record| (record.id("learner_id"), record.id("subject_id")));
    rows_or(
        records
            .into_iter()
            .map(|record| row(view, record))
            .collect(),
        "No learner subject records found",
    )
}

fn row(view: &View<'_>, record: &Record) -> Json {
    let (learner, subject) = (record.id("learner_id"), record.id("subject_id"));
    Json::Object(vec![
        (
            "learner_id".to_owned(),
            Json::text(record.text("learner_id")),
        ),
        (
            "first_name".to_owned(),
            Json::Text(view.name(Kind::Learner, learner, "first_name")),
        ),
        (
            "last_name".to_owned(),
            Json::Text(view.name(Kind::Learner, learner, "last_name")),
        ),
        ("subject_id".to_owned(), Json::Number(subject)),
        (
            "subject_name".to_owned(),
            Json::Text(view.name(Kind::Subject, subject, "subject_name")),
        ),
    ])
}
