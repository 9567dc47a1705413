//! 4.9 Get Learner Absentees.

use super::answer::{Answered, bad_request, rows_or};
use super::dates::{days_after, month_before, parse_date};
use super::kinds::Kind;
use super::records::Record;
use super::render::Json;
use super::request::View;

/// By absent date, then id; the range is inclusive at both ends.
pub(crate) fn absentees(view: &View<'_>) -> Answered {
    let learner = view.params.integer("learner_id")?;
    let from = view.params.date("from_date")?;
    let to = view.params.date("to_date")?.unwrap_or(view.today);
    let from = from.unwrap_or_else(|| month_before(to));
    if to < from {
        return Err(bad_request("to_date must not be before from_date"));
    }
    if to > days_after(from, 31) {
        return Err(bad_request("from_date to to_date must not exceed 31 days"));
    }
    let wanted = |record: &&Record| {
        let within =
            parse_date(record.text("absent_date")).is_some_and(|date| from <= date && date <= to);
        within && learner.is_none_or(|id| record.id("learner_id") == id)
    };
    let mut records: Vec<&Record> = view
        .store
        .of_school(Kind::Absentee, view.school)
        .filter(wanted)
        .collect();
    records.sort_by_key(|record| (parse_date(record.text("absent_date")), record.id("id")));
    let row = |record: &Record| {
        let fields = ["id", "learner_id", "absent_date", "absent_reason"];
        Json::Object(
            fields
                .into_iter()
                .map(|name| (name.to_owned(), Json::text(record.text(name))))
                .collect(),
        )
    };
    rows_or(
        records.into_iter().map(row).collect(),
        "No learner absentee records found",
    )
}
