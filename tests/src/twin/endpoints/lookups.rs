//! The lookups that all schools share.

use super::super::kinds::Kind;
use super::super::question::{Row, Rows, View};
use super::super::records::Record;
use super::super::render::Json;
use super::super::v2::Types;
use super::Endpoint;

pub(super) static NAMED: Types = Types {
    numbers: &["id"],
    ids: &[],
    flags: &[],
    records: &[],
};

const ANY: Endpoint = Endpoint {
    id: Some("id"),
    last: "id",
    types: &NAMED,
    ..Endpoint::new(|_| Box::new(LookupsQuestion(Kind::EthnicGroup)))
};

pub(super) static ETHNIC_GROUPS: Endpoint = Endpoint {
    v1: "adminplus/lookup/ethnicgroup",
    v2: "adminplus/lookup/ethnicgroup",
    none_found: "No ethnic groups found",
    ..ANY
};

pub(super) static MARITAL_STATUSES: Endpoint = Endpoint {
    v1: "adminplus/lookup/maritalstatus",
    v2: "adminplus/lookup/maritalstatus",
    none_found: "No marital status' found",
    read: |_| Box::new(LookupsQuestion(Kind::MaritalStatus)),
    ..ANY
};

pub(super) static GENDERS: Endpoint = Endpoint {
    v1: "adminplus/lookup/gender",
    v2: "adminplus/lookup/gender",
    none_found: "No genders found",
    read: |_| Box::new(LookupsQuestion(Kind::Gender)),
    ..ANY
};

pub(super) static LANGUAGES: Endpoint = Endpoint {
    v1: "adminplus/lookup/language",
    v2: "adminplus/lookup/language",
    none_found: "No languages found",
    read: |_| Box::new(LookupsQuestion(Kind::Language)),
    ..ANY
};

#[derive(Clone, Debug)]
struct LookupsQuestion(Kind);

impl super::Question for LookupsQuestion {
    fn rows(&self, view: &View<'_>) -> Rows {
        Ok(view.store.all(self.0).map(row).collect())
    }
}

fn row(record: &Record) -> Row {
    let members = ["id", "name"].map(|name| (name.to_owned(), Json::text(record.text(name))));
    (vec![record.id("id")], Json::Object(members.to_vec()))
}
