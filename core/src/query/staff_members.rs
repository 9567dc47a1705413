//! Get Staff Members.

use super::endpoint::{Endpoint, Last, Path};
use super::integrators::Family;
use super::listed::Listed;
use super::params::Params;
use super::walk::{Identity, Walk};
use super::{Outcome, Query, Question, Reads, Then, View};
use crate::error::Result;
use crate::json::Chunks;
use crate::record::coverage::{Part, Unit};
use crate::record::staff_member::{CURRENT, STATUS_TAG};
use crate::store::{Collection, Partition, Run, Sources};

/// Get Staff Members: the current staff of a school, in the order of their ids, or
/// one of its staff, be it current or not.
///
/// ```
/// # fn main() -> rollbook::Result<()> {
/// use rollbook::{Engine, Options, StaffMembers};
/// let engine = Engine::memory(Options::default())?;
/// engine.apply(&br#"{"type":"staff_member","school_id":1,"id":13,"title":"Ms"}"#[..])?;
/// let staff = engine.ask(&StaffMembers { school: 1, staff_member_id: None })?;
/// assert!(staff.text().starts_with(r#"[{"id":"13","title":"Ms","#));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StaffMembers {
    /// The school's login id.
    pub school: u64,
    /// One member of the staff, current or not.
    pub staff_member_id: Option<u64>,
}

/// The id of one record: a parameter, and the last segment of v2's path.
const ID: &str = "staff_member_id";

pub(super) static ENDPOINT: Endpoint = Endpoint {
    name: "staffmembers",
    v1: Path("adminplus/staffmembers", Last::SCHOOL),
    v2: Path("adminplus/staffmembers", Last::Optional(ID)),
    family: Some(Family::Administration),
    nothing: "No staff member records found",
    ..Endpoint::new(read)
};

fn read(params: &mut Params<'_>, then: Then<'_>) -> Result<Outcome> {
    let staff = StaffMembers {
        school: params.school(),
        staff_member_id: params.one(ID, true),
    };
    params.ask(&staff, then)
}

impl Question for StaffMembers {}

impl StaffMembers {
    fn listed(&self) -> Listed {
        Listed {
            of: Partition::of(self.school, Collection::StaffMembers),
            id: self.staff_member_id,
        }
    }

    fn takes(&self, run: &Run<'_>, index: usize) -> Result<bool> {
        Ok(self.staff_member_id.is_some() || run.tag(STATUS_TAG, index)? == CURRENT)
    }
}

impl Query for StaffMembers {
    fn endpoint(&self) -> &'static Endpoint {
        &ENDPOINT
    }

    fn about(&self) -> Option<u64> {
        Some(self.school)
    }

    fn sources(&self) -> Sources {
        Sources::of(&[Collection::StaffMembers])
    }

    fn reads(&self, reads: &Reads<'_>) -> Result<()> {
        match self.staff_member_id {
            Some(id) => reads.record(
                self.school,
                Collection::StaffMembers,
                id,
                "the staff member",
            ),
            None => reads.whole(self.school, Unit::of(Part::Staff)),
        }
    }

    fn answer(&self, view: View<'_>, out: &mut Chunks<'_>) -> Result<Outcome> {
        let takes = &mut |run: &Run<'_>, index| self.takes(run, index);
        self.listed().answer(view, takes, out)
    }

    fn identify(&self, _: View<'_>, identity: &mut Identity) -> Result<()> {
        identity.number("school", Some(self.school));
        identity.number(ID, self.staff_member_id);
        Ok(())
    }

    fn walk(&self, view: View<'_>, walk: &mut Walk, out: &mut Chunks<'_>) -> Result<Outcome> {
        let takes = &mut |run: &Run<'_>, index| self.takes(run, index);
        self.listed().walk(view, takes, walk, out)
    }
}
