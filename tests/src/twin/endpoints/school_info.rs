//! Get School.

use super::super::json::Value;
use super::super::kinds::Kind;
use super::super::params::Params;
use super::super::question::{Row, Rows, View};
use super::super::records::Record;
use super::super::render::Json;
use super::super::v2::Types;
use super::Endpoint;

static SCHOOL: Types = Types {
    numbers: &[],
    ids: &[],
    flags: &[],
    records: &[],
};

pub(super) static ENDPOINT: Endpoint = Endpoint {
    v1: "adminplus/school",
    v2: "adminplus/school",
    family: Some("administration"),
    is_object: true,
    none_found: "No school record found",
    types: &SCHOOL,
    whole: |_, rows| rows[0].1.clone(),
    ..Endpoint::new(|params| Box::new(question(params)))
};

#[derive(Clone, Debug)]
struct SchoolInfoQuestion;

impl super::Question for SchoolInfoQuestion {
    fn rows(&self, view: &View<'_>) -> Rows {
        Ok(view
            .store
            .get(Kind::School, &[view.school])
            .map(row)
            .into_iter()
            .collect())
    }
}

fn question(_: &mut Params) -> SchoolInfoQuestion {
    SchoolInfoQuestion
}

fn row(record: &Record) -> Row {
    let names = [
        "school_name",
        "admin_email_address",
        "telephone_calling_code",
        "telephone_number",
        "website",
        "physical_address",
        "quantile",
        "medium",
        "emis_number",
        "country",
        "province",
    ];
    let texts = names.map(|name| (name.to_owned(), Json::text(record.text(name))));
    let mut members = texts.to_vec();
    let languages = Value {
        raw: record.text("tuition_languages").to_owned(),
    };
    let languages = languages.items().unwrap_or_default();
    let languages = languages.iter().filter_map(Value::text).map(Json::Text);
    members.push((
        "tuition_languages".to_owned(),
        Json::List(languages.collect()),
    ));
    (vec![record.id("school_id")], Json::Object(members))
}
