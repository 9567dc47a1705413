//! 4.9 Get Learner Absentees.

use jiff::civil::Date;

use super::super::dates::{day_number, days_after, month_before, parse_date};
use super::super::kinds::Kind;
use super::super::params::{Params, fault};
use super::super::question::{Row, Rows, View};
use super::super::records::Record;
use super::super::render::Json;
use super::super::v2::Types;
use super::Endpoint;

static ABSENTEE: Types = Types {
    numbers: &["id", "learner_id"],
    ids: &[],
    flags: &[],
    records: &[],
};

pub(super) static ENDPOINT: Endpoint = Endpoint {
    v1: "adminplus/learnerabsentees",
    v2: "adminplus/learnerabsentees",
    id: Some("id"),
    family: Some("administration"),
    none_found: "No learner absentee records found",
    types: &ABSENTEE,
    by_id: Some(by_id),
    ..Endpoint::new(|params| Box::new(question(params)))
};

#[derive(Clone, Debug)]
struct AbsenteesQuestion {
    learner: Option<u64>,
    from: Option<Date>,
    to: Option<Date>,
}

impl AbsenteesQuestion {
    fn meant(mut self, view: &View<'_>) -> Self {
        let to = self.to.unwrap_or(view.today);
        self.to = Some(to);
        self.from = self.from.or_else(|| Some(month_before(to)));
        self
    }
}

impl super::Question for AbsenteesQuestion {
    fn rows(&self, view: &View<'_>) -> Rows {
        rows(view, self)
    }

    fn canonical_text(&self, view: &View<'_>) -> String {
        format!("{:?}", self.clone().meant(view))
    }
}

fn question(params: &mut Params) -> AbsenteesQuestion {
    AbsenteesQuestion {
        learner: params.integer("learner_id"),
        from: params.date("from_date"),
        to: params.date("to_date"),
    }
}

/// Returns the rows by absent date, then id. The range includes both ends.
fn rows(view: &View<'_>, question: &AbsenteesQuestion) -> Rows {
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

/// Returns the record of an id, with any date.
fn by_id(view: &View<'_>, id: u64) -> Option<Row> {
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
