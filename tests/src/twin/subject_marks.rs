//! 4.4 Get Learner Subject Marks.

use super::answer::{Answered, rows_or};
use super::kinds::Kind;
use super::parents::decimal;
use super::records::Record;
use super::render::Json;
use super::request::View;
use super::subjects_per_term::subjects_of_learner;

/// By subject id; the terms that have a mark, ascending; a subject with none is left out.
pub(crate) fn subject_marks(view: &View<'_>) -> Answered {
    let rows = subjects_of_learner(view)?
        .into_iter()
        .filter_map(|record| row(view, record));
    rows_or(rows.collect(), "No subject mark records found")
}

fn row(view: &View<'_>, record: &Record) -> Option<Json> {
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
    Some(Json::Object(vec![
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
    ]))
}
