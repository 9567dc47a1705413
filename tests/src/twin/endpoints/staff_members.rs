//! Get Staff Members.

use super::super::kinds::Kind;
use super::super::params::Params;
use super::super::question::{Row, Rows, View};
use super::super::records::Record;
use super::super::render::Json;
use super::super::v2::Types;
use super::Endpoint;

static STAFF_MEMBER: Types = Types {
    numbers: &["id"],
    ids: &[],
    flags: &[],
    records: &[],
};

pub(super) static ENDPOINT: Endpoint = Endpoint {
    v1: "adminplus/staffmembers",
    v2: "adminplus/staffmembers",
    id: Some("staff_member_id"),
    family: Some("administration"),
    none_found: "No staff member records found",
    types: &STAFF_MEMBER,
    ..Endpoint::new(|params| Box::new(question(params)))
};

#[derive(Clone, Debug)]
struct StaffMembersQuestion {
    member: Option<u64>,
}

impl super::Question for StaffMembersQuestion {
    fn rows(&self, view: &View<'_>) -> Rows {
        Ok(rows(view, self))
    }

    fn by_id(&mut self, id: u64) {
        self.member.get_or_insert(id);
    }
}

fn question(params: &mut Params) -> StaffMembersQuestion {
    StaffMembersQuestion {
        member: params.integer("staff_member_id"),
    }
}

/// Returns one member of the staff, or the current ones.
fn rows(view: &View<'_>, question: &StaffMembersQuestion) -> Vec<Row> {
    let wanted = |record: &&Record| match question.member {
        Some(id) => record.id("id") == id,
        None => record.text("status") == "current",
    };
    let staff = view.store.of_school(Kind::StaffMember, view.school);
    staff.filter(wanted).map(row).collect()
}

/// Returns all fields except the school and the status.
fn row(record: &Record) -> Row {
    let fields = Kind::StaffMember.fields().iter().map(|field| field.name);
    let answered = fields.filter(|name| !["school_id", "status"].contains(name));
    let members = answered.map(|name| (name.to_owned(), Json::text(record.text(name))));
    (vec![record.id("id")], Json::Object(members.collect()))
}
