//! School Debtors, in v2 Accountable Persons.

use super::super::kinds::Kind;
use super::super::params::Params;
use super::super::question::{Row, Rows, View};
use super::super::records::Record;
use super::super::render::Json;
use super::super::v2::Types;
use super::Endpoint;
use super::finance_learners;
use super::finance_learners::FINANCE_LEARNER;

pub(super) static ACCOUNTABLE_PERSON: Types = Types {
    numbers: &["accountable_person_id"],
    ids: &[],
    flags: &[],
    records: &[("learners", &FINANCE_LEARNER)],
};

pub(super) static ENDPOINT: Endpoint = Endpoint {
    v1: "finplus/debtmanagement/schooldebtors",
    v2: "finplus/debtmanagement/accountablepersons",
    id: Some("accountable_person_id"),
    family: Some("finance"),
    none_found: "No debtor records found",
    types: &ACCOUNTABLE_PERSON,
    ..Endpoint::new(|params| Box::new(question(params)))
};

#[derive(Clone, Debug)]
struct AccountablePersonsQuestion {
    debtor_code: Option<String>,
    accountable_person: Option<u64>,
    all_accounts: bool,
    include_learners: bool,
}

impl AccountablePersonsQuestion {
    fn meant(mut self) -> Self {
        let code = self.debtor_code.as_deref();
        self.debtor_code = code.map(finance_learners::plain_code);
        self
    }
}

impl super::Question for AccountablePersonsQuestion {
    fn rows(&self, view: &View<'_>) -> Rows {
        Ok(rows(view, self))
    }

    fn canonical_text(&self, _: &View<'_>) -> String {
        format!("{:?}", self.clone().meant())
    }
}

fn question(params: &mut Params) -> AccountablePersonsQuestion {
    AccountablePersonsQuestion {
        debtor_code: params.text("debtor_code"),
        accountable_person: params.integer("accountable_person_id"),
        all_accounts: params.switch("all_accounts"),
        include_learners: params.included("include_learners"),
    }
}

/// Returns the rows by id. Without `all_accounts`, these are the persons whose account is open, or
/// if they have no `account`, those who are accountable for an open one. `learners` are the
/// learners they are accountable for, only with open accounts unless `all_accounts` is set.
fn rows(view: &View<'_>, question: &AccountablePersonsQuestion) -> Vec<Row> {
    let mut rows = Vec::new();
    for person in view.store.of_school(Kind::AccountablePerson, view.school) {
        let id = person.id("accountable_person_id");
        let learners: Vec<&Record> = view
            .store
            .of_school(Kind::Learner, view.school)
            .filter(|learner| learner.number("accountable_person_id") == Some(id))
            .filter(|learner| question.all_accounts || finance_learners::is_open(learner))
            .collect();
        let code = question.debtor_code.as_deref();
        let code = code.map(finance_learners::plain_code);
        let is_open = match person.text("account") {
            "" => !learners.is_empty(),
            account => account == "open",
        };
        let wanted = (question.all_accounts || is_open)
            && code.is_none_or(|code| {
                finance_learners::plain_code(person.text("debtor_code")) == code
            })
            && question
                .accountable_person
                .is_none_or(|wanted| id == wanted);
        if !wanted {
            continue;
        }
        let mut members = fields(person);
        if question.include_learners {
            let learners = learners.into_iter().map(finance_learners::fields);
            let learners = learners.map(Json::Object).collect();
            members.push(("learners".to_owned(), Json::List(learners)));
        }
        rows.push((vec![id], Json::Object(members)));
    }
    rows
}

/// Returns every field of the dataset's record except `school_id` and `account`, in the same order.
pub(crate) fn fields(person: &Record) -> Vec<(String, Json)> {
    let names = Kind::AccountablePerson
        .fields()
        .iter()
        .map(|field| field.name)
        .filter(|name| !["school_id", "account"].contains(name));
    names
        .map(|name| (name.to_owned(), Json::text(person.text(name))))
        .collect()
}
