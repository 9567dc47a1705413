//! 4.9 Get Learner Absentees.

use jiff::civil::Date;

use super::dates::{day_number, days_after, month_before, parse_date};
use super::kinds::Kind;
use super::params::{Params, fault};
use super::question::{Row, Rows, View};
use super::records::Record;
use super::render::Json;

#[derive(Clone, Debug)]
pub(crate) struct Question {
    learner: Option<u64>,
    from: Option<Date>,
    to: Option<Date>,
}

impl Question {
    pub(crate) fn meant(mut self, view: &View<'_>) -> Self {
        let to = self.to.unwrap_or(view.today);
        self.to = Some(to);
        self.from = self.from.or_else(|| Some(month_before(to)));
        self
    }
}

pub(crate) fn question(params: &mut Params) -> Question {
    Question {
        learner: params.integer("learner_id"),
        from: params.date("from_date"),
        to: params.date("to_date"),
    }
}

/// By absent date, then id; the range is inclusive at both ends.
pub(crate) fn rows(view: &View<'_>, question: &Question) -> Rows {
    let to = question.to.unwrap_or(view.today);
    let from = question.from.unwrap_or_else(|| month_before(to));
    let names = ["from_date", "to_date"];
    if to < from {
        return Err(fault(&names, "to_date must not be before from_date"));
    }
    if to > days_after(from, 31) {
        return Err(fault(
            &names,
            "from_date to to_date must not exceed 31 days",
        ));
    }
    let wanted = |record: &&Record| {
        let within = absent_date(record).is_some_and(|date| from <= date && date <= to);
        within
            && question
                .learner
                .is_none_or(|id| record.id("learner_id") == id)
    };
    let records = view.store.of_school(Kind::Absentee, view.school);
    let mut rows: Vec<Row> = records.filter(wanted).map(row).collect();
    rows.sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok(rows)
}

/// The record of an id, whatever its date.
pub(crate) fn by_id(view: &View<'_>, id: u64) -> Option<Row> {
    view.store.get(Kind::Absentee, &[view.school, id]).map(row)
}

fn absent_date(record: &Record) -> Option<Date> {
    parse_date(record.text("absent_date"))
}

fn row(record: &Record) -> Row {
    let date = absent_date(record).map_or(0, day_number);
    let fields = ["id", "learner_id", "absent_date", "absent_reason"];
    let record_json = Json::Object(
        fields
            .into_iter()
            .map(|name| (name.to_owned(), Json::text(record.text(name))))
            .collect(),
    );
    (vec![date, record.id("id")], record_json)
}
