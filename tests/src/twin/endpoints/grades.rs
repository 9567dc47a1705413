//! The lookup of a school's grades.

use super::super::kinds::Kind;
use super::super::params::Params;
use super::super::question::{Row, Rows, View};
use super::super::records::Record;
use super::super::render::Json;
use super::Endpoint;
use super::lookups::NAMED;

pub(super) static ENDPOINT: Endpoint = Endpoint {
    v1: "adminplus/lookup/grade",
    v2: "adminplus/lookup/grade",
    id: Some("grade_id"),
    family: Some("administration"),
    none_found: "No grades found",
    types: &NAMED,
    ..Endpoint::new(|params| Box::new(question(params)))
};

#[derive(Clone, Debug)]
struct GradesQuestion {
    grade: Option<u64>,
}

impl super::Question for GradesQuestion {
    fn rows(&self, view: &View<'_>) -> Rows {
        let wanted = |record: &&Record| {
            self.grade
                .is_none_or(|grade| record.id("grade_id") == grade)
        };
        let grades = view.store.of_school(Kind::Grade, view.school);
        Ok(grades.filter(wanted).map(row).collect())
    }
}

fn question(params: &mut Params) -> GradesQuestion {
    GradesQuestion {
        grade: params.integer("grade_id"),
    }
}

fn row(record: &Record) -> Row {
    let id = record.id("grade_id");
    let members = vec![
        ("id".to_owned(), Json::Text(id.to_string())),
        ("name".to_owned(), Json::text(record.text("name"))),
    ];
    (vec![id], Json::Object(members))
}
