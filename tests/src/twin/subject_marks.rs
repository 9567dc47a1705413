//! 4.4 Get Learner Subject Marks.

use super::kinds::Kind;
use super::parents::decimal;
use super::question::{Row, View};
use super::records::Record;
use super::render::Json;
use super::subjects_per_term::subjects_of_learner;

/// By subject id; the terms that have a mark, ascending; a subject with none is left out.
pub(crate) fn rows(view: &View<'_>, learner: Option<u64>) -> Vec<Row> {
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
