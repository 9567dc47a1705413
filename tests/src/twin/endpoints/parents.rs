//! Get Parents.

use super::super::kinds::Kind;
use super::super::params::Params;
use super::super::parents::{PARENT, parent};
use super::super::question::{Row, Rows, View};
use super::super::records::Record;
use super::Endpoint;

pub(super) static ENDPOINT: Endpoint = Endpoint {
    v1: "adminplus/parents",
    v2: "adminplus/parents",
    id: Some("parent_id"),
    family: Some("administration"),
    none_found: "No parent records found",
    types: &PARENT,
    ..Endpoint::new(|params| Box::new(question(params)))
};

#[derive(Clone, Debug)]
struct ParentsQuestion {
    parent: Option<u64>,
}

impl super::Question for ParentsQuestion {
    fn rows(&self, view: &View<'_>) -> Rows {
        Ok(rows(view, self))
    }

    fn by_id(&mut self, id: u64) {
        self.parent.get_or_insert(id);
    }
}

fn question(params: &mut Params) -> ParentsQuestion {
    ParentsQuestion {
        parent: params.integer("parent_id"),
    }
}

/// Returns one parent, or each parent of a current learner once.
fn rows(view: &View<'_>, question: &ParentsQuestion) -> Vec<Row> {
    let wanted = |parent: &&Record| match question.parent {
        Some(id) => parent.id("id") == id,
        None => has_current_learner(view, parent.id("id")),
    };
    let parents = view.store.of_school(Kind::Parent, view.school);
    parents.filter(wanted).map(row).collect()
}

fn has_current_learner(view: &View<'_>, parent: u64) -> bool {
    let mut learners = view.store.of_school(Kind::Learner, view.school);
    learners.any(|learner| {
        let parents = ["parent1_id", "parent2_id"];
        learner.text("status") == "current"
            && parents
                .iter()
                .any(|name| learner.number(name) == Some(parent))
    })
}

fn row(record: &Record) -> Row {
    (vec![record.id("id")], parent(record))
}
