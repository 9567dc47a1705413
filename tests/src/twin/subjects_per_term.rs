//! 4.3 Get Learner Subjects Per Term.

use super::answer::{Answered, TwinAnswer, bad_request, rows_or};
use super::kinds::Kind;
use super::records::{Fields, Record};
use super::render::Json;
use super::request::View;

/// By subject id, terms ascending.
pub(crate) fn subjects_per_term(view: &View<'_>) -> Answered {
    let rows = subjects_of_learner(view)?.into_iter().map(|record| {
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
        Json::Object(members)
    });
    rows_or(rows.collect(), "No learner subject records found")
}

/// `term_id` is that of the `term` record; without one it is 0.
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

/// The `learner_subject` records of the required `learner_id` in the current year, by subject id.
pub(crate) fn subjects_of_learner<'a>(view: &View<'a>) -> Result<Vec<&'a Record>, TwinAnswer> {
    let learner = view.params.integer("learner_id")?;
    let learner = learner.ok_or_else(|| bad_request("Please provide a learner_id"))?;
    let year = view.current_year();
    let records = view.store.of_school(Kind::LearnerSubject, view.school);
    let mut records: Vec<&Record> = records
        .filter(|record| record.id("learner_id") == learner && Some(record.id("year")) == year)
        .collect();
    records.sort_by_key(|record| record.id("subject_id"));
    Ok(records)
}
