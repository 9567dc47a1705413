//! 4.1 Get Learner(s).

use jiff::civil::Date;
use unicode_normalization::UnicodeNormalization as _;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};

use super::super::dates::{month_before, parse_date, year_after};
use super::super::kinds::Kind;
use super::super::params::{Fault, Params, fault};
use super::super::parents::{PARENT, parents};
use super::super::question::{Rows, View};
use super::super::records::Record;
use super::super::render::Json;
use super::super::v2::Types;
use super::Endpoint;

static LEARNER: Types = Types {
    numbers: &["id"],
    ids: &[
        "ethnic_group_id",
        "home_language_id",
        "tuition_language_id",
        "grade_id",
        "register_class_teacher_id",
        "parent1_id",
        "parent2_id",
    ],
    flags: &[],
    records: &[("parents", &PARENT)],
};

pub(super) static ENDPOINT: Endpoint = Endpoint {
    v1: "adminplus/learners",
    v2: "adminplus/learners",
    id: Some("learner_id"),
    family: Some("administration"),
    none_found: "No learner records found",
    types: &LEARNER,
    ..Endpoint::new(|params| Box::new(question(params)))
};

#[derive(Clone, Debug)]
struct LearnersQuestion {
    status: String,
    since: Option<Date>,
    until: Option<Date>,
    learner: Option<u64>,
    grades: Option<Vec<u64>>,
    include_parents: bool,
    /// The folded text that names are compared with.
    name: Option<String>,
    family_code: Option<u64>,
    /// Whether learners that left are found at any date.
    any_date: bool,
}

impl LearnersQuestion {
    fn meant(mut self, view: &View<'_>) -> Self {
        if self.status != "left" {
            (self.since, self.until) = (None, None);
        } else if let Ok((since, until)) = transfer_window(view.today, self.since, self.until) {
            (self.since, self.until) = (Some(since), Some(until));
        }
        if let Some(grades) = &mut self.grades {
            grades.sort_unstable();
            grades.dedup();
        }
        self.name = self.name.filter(|name| !name.is_empty());
        self
    }
}

impl super::Question for LearnersQuestion {
    fn rows(&self, view: &View<'_>) -> Rows {
        rows(view, self)
    }

    fn canonical_text(&self, view: &View<'_>) -> String {
        format!("{:?}", self.clone().meant(view))
    }

    fn by_id(&mut self, _: u64) {
        self.any_date = self.since.is_none() && self.until.is_none();
    }
}

fn question(params: &mut Params) -> LearnersQuestion {
    let status = params.text("status");
    let status = status.unwrap_or_else(|| "current".to_owned());
    if !["current", "left", "waitlist"].contains(&status.as_str()) {
        params.refuse("status", "status must be current, left or waitlist");
    }
    LearnersQuestion {
        status,
        since: params.date("since"),
        until: params.date("until"),
        learner: params.integer("learner_id"),
        grades: params.grades(),
        include_parents: params.included("include_parents"),
        name: params.text("name").map(|name| fold(&name)),
        family_code: params.integer("family_code"),
        any_date: false,
    }
}

/// Returns the rows by learner id that match all filters.
fn rows(view: &View<'_>, question: &LearnersQuestion) -> Rows {
    let window = if question.status == "left" && !question.any_date {
        Some(transfer_window(view.today, question.since, question.until)?)
    } else {
        None
    };
    let wanted = |record: &&Record| {
        record.text("status") == question.status
            && window.is_none_or(|(since, until)| {
                parse_date(record.text("transfer_date"))
                    .is_some_and(|date| since <= date && date <= until)
            })
            && question.learner.is_none_or(|id| record.id("id") == id)
            && question.grades.as_ref().is_none_or(|grades| {
                record
                    .number("grade_id")
                    .is_some_and(|grade| grades.contains(&grade))
            })
            && question
                .name
                .as_ref()
                .is_none_or(|name| bears_name(record, name))
            && question
                .family_code
                .is_none_or(|code| record.number("family_code") == Some(code))
    };
    let row = |record: &Record| {
        // The fields that `dataset.md` adds to the record begin with the status.
        let names = Kind::Learner.fields().iter().map(|field| field.name);
        let names = names.take_while(|name| *name != "status");
        let mut members: Vec<(String, Json)> = names
            .filter(|name| *name != "school_id")
            .map(|name| (name.to_owned(), Json::text(record.text(name))))
            .collect();
        if question.include_parents {
            members.push(("parents".to_owned(), parents(view, record)));
        }
        (vec![record.id("id")], Json::Object(members))
    };
    let records = view.store.of_school(Kind::Learner, view.school);
    Ok(records.filter(wanted).map(row).collect())
}

/// Returns the bounds of the window, both inclusive. The default of `until` is today, and that of
/// `since` is one month before `until`.
fn transfer_window(
    today: Date,
    since: Option<Date>,
    until: Option<Date>,
) -> Result<(Date, Date), Fault> {
    let until = until.unwrap_or(today);
    let since = since.unwrap_or_else(|| month_before(until));
    let names = ["since", "until"];
    if since > until {
        return Err(fault(&names, "since must not be later than until"));
    }
    if until > year_after(since) {
        return Err(fault(&names, "since to until must not exceed 1 year"));
    }
    Ok((since, until))
}

/// Returns whether the folded name is part of the first name, the last name, or both with a space
/// between them.
fn bears_name(record: &Record, folded: &str) -> bool {
    let (first, last) = (record.text("first_name"), record.text("last_name"));
    [fold(first), fold(last), fold(&format!("{first} {last}"))]
        .iter()
        .any(|name| name.contains(folded))
}

/// Returns the folded name that the parameter `name` compares (`decisions.md`, "Queries", `name`):
/// the text in NFD, without general category Mn, in Unicode lower case.
fn fold(text: &str) -> String {
    let without_marks: String = text
        .nfd()
        .filter(|letter| letter.general_category() != GeneralCategory::NonspacingMark)
        .collect();
    without_marks.to_lowercase()
}
