//! Learner Parent Info, in v2 the learners of the finance family.

use super::super::integers::digits;
use super::super::kinds::Kind;
use super::super::params::Params;
use super::super::parents::{PARENT, parents};
use super::super::question::{Row, Rows, View};
use super::super::records::Record;
use super::super::render::Json;
use super::super::v2::Types;
use super::Endpoint;
use super::accountable_persons;
use super::accountable_persons::ACCOUNTABLE_PERSON;

pub(super) static FINANCE_LEARNER: Types = Types {
    numbers: &["learner_id"],
    ids: &["parent1_id", "parent2_id", "accountable_person_id"],
    flags: &[],
    records: &[
        ("parents", &PARENT),
        ("accountable_person", &ACCOUNTABLE_PERSON),
    ],
};

pub(super) static ENDPOINT: Endpoint = Endpoint {
    v1: "finplus/debtmanagement/learnerparentinfo",
    v2: "finplus/debtmanagement/learners",
    id: Some("learner_id"),
    family: Some("finance"),
    none_found: "No learner records found",
    types: &FINANCE_LEARNER,
    whole: without_nulls,
    ..Endpoint::new(|params| Box::new(question(params)))
};

#[derive(Clone, Debug)]
struct FinanceLearnersQuestion {
    learner: Option<u64>,
    debtor_code: Option<String>,
    accountable_person: Option<u64>,
    parent: Option<u64>,
    all_accounts: bool,
    include_parents: bool,
    include_accountable_person: bool,
}

impl FinanceLearnersQuestion {
    fn meant(mut self) -> Self {
        self.debtor_code = self.debtor_code.map(|code| plain_code(&code));
        self
    }
}

/// Returns a debtor code without leading zeros if it consists of digits, because it is a number
/// then.
pub(crate) fn plain_code(code: &str) -> String {
    digits(code).map_or_else(|| code.to_owned(), |number| number.to_string())
}

impl super::Question for FinanceLearnersQuestion {
    fn rows(&self, view: &View<'_>) -> Rows {
        Ok(rows(view, self))
    }

    fn canonical_text(&self, _: &View<'_>) -> String {
        format!("{:?}", self.clone().meant())
    }
}

fn question(params: &mut Params) -> FinanceLearnersQuestion {
    FinanceLearnersQuestion {
        learner: params.integer("learner_id"),
        debtor_code: params.text("debtor_code"),
        accountable_person: params.integer("accountable_person_id"),
        parent: params.integer("parent_id"),
        all_accounts: params.switch("all_accounts"),
        include_parents: params.included("include_parents"),
        include_accountable_person: params.included("include_accountable_person"),
    }
}

/// Returns whether a learner's account is open. Without `account`, it is open if the learner is
/// current.
pub(crate) fn is_open(learner: &Record) -> bool {
    match learner.text("account") {
        "" => learner.text("status") == "current",
        account => account == "open",
    }
}

/// Returns the rows by learner id that match all filters. Without `all_accounts`, only those with
/// open accounts.
fn rows(view: &View<'_>, question: &FinanceLearnersQuestion) -> Vec<Row> {
    let mut rows = Vec::new();
    for learner in view.store.of_school(Kind::Learner, view.school) {
        let id = learner.id("id");
        let refers = |name: &str, wanted: u64| learner.number(name) == Some(wanted);
        let code = question.debtor_code.as_deref().map(plain_code);
        let wanted = (question.all_accounts || is_open(learner))
            && question.learner.is_none_or(|wanted| id == wanted)
            && code.is_none_or(|code| plain_code(learner.text("debtor_code")) == code)
            && question
                .accountable_person
                .is_none_or(|wanted| refers("accountable_person_id", wanted))
            && question
                .parent
                .is_none_or(|wanted| refers("parent1_id", wanted) || refers("parent2_id", wanted));
        if !wanted {
            continue;
        }
        let mut members = fields(learner);
        if question.include_parents {
            members.push(("parents".to_owned(), parents(view, learner)));
        }
        if question.include_accountable_person {
            members.push(("accountable_person".to_owned(), person(view, learner)));
        }
        rows.push((vec![id], Json::Object(members)));
    }
    rows
}

/// Returns the nine fields of the record.
pub(crate) fn fields(learner: &Record) -> Vec<(String, Json)> {
    let own = |name: &str, field: &str| (name.to_owned(), Json::text(learner.text(field)));
    let mut members = vec![own("learner_id", "id")];
    for name in [
        "first_name",
        "last_name",
        "gender",
        "grade",
        "debtor_code",
        "parent1_id",
        "parent2_id",
        "accountable_person_id",
    ] {
        members.push(own(name, name));
    }
    members
}

/// Returns the accountable person, or null if there is none.
fn person(view: &View<'_>, learner: &Record) -> Json {
    let id = learner.number("accountable_person_id");
    let person = id.and_then(|id| view.store.get(Kind::AccountablePerson, &[view.school, id]));
    person.map_or(Json::Null, |person| {
        Json::Object(accountable_persons::fields(person))
    })
}

/// Returns the record of v1, which omits a missing accountable person.
fn without_null(record: Json) -> Json {
    let Json::Object(members) = record else {
        unreachable!("a learner is an object")
    };
    let there = |(_, value): &(String, Json)| !matches!(value, Json::Null);
    Json::Object(members.into_iter().filter(there).collect())
}

/// Returns the answer of v1.
fn without_nulls(_: &View<'_>, rows: &[Row]) -> Json {
    let records = rows.iter().map(|(_, record)| without_null(record.clone()));
    Json::List(records.collect())
}
