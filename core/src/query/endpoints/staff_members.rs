//! Get Staff Members.

use crate::error::Result;
use crate::json::OutputBuffer;
use crate::query::decoded::integrators::Family;
use crate::query::endpoint::{Endpoint, Last, Path};
use crate::query::lists::id_lists::PartitionQuery;
use crate::query::parameters::params::Params;
use crate::query::walk::Identity;
use crate::query::{CoverageCheck, Outcome, PageWriter, Query, Question, Then, View};
use crate::record::kinds::staff_member::{CURRENT, STATUS_COLUMN};
use crate::record::replication::coverage_key::{CoverageKey, CoverageKind};
use crate::store::{Block, Collection, Partition, Sources};

/// Get Staff Members: the current staff of a school, ordered by id, or one member, whether
/// current or not.
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
    /// Selects one member of the staff, whether current or not.
    pub staff_member_id: Option<u64>,
}

/// The id of one record: a parameter, and the last segment of v2's path.
const ID: &str = "staff_member_id";

pub(crate) static ENDPOINT: Endpoint = Endpoint {
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
    fn listed(&self) -> PartitionQuery {
        PartitionQuery {
            of: Partition::new(self.school, Collection::StaffMembers),
            id: self.staff_member_id,
        }
    }

    fn takes(&self, block: &Block<'_>, index: usize) -> Result<bool> {
        Ok(self.staff_member_id.is_some() || block.filter_column(STATUS_COLUMN, index)? == CURRENT)
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
        Sources::new(&[Collection::StaffMembers])
    }

    fn require_coverage(&self, reads: &CoverageCheck<'_>) -> Result<()> {
        match self.staff_member_id {
            Some(id) => reads.require_record(
                self.school,
                Collection::StaffMembers,
                id,
                "the staff member",
            ),
            None => reads.require(self.school, CoverageKey::new(CoverageKind::Staff)),
        }
    }

    fn answer(&self, view: View<'_>, out: &mut OutputBuffer<'_>) -> Result<Outcome> {
        let takes = &mut |block: &Block<'_>, index| self.takes(block, index);
        self.listed().answer(view, takes, out)
    }

    fn identify(&self, _: View<'_>, identity: &mut Identity) -> Result<()> {
        identity.number("school", Some(self.school));
        identity.number(ID, self.staff_member_id);
        Ok(())
    }

    fn write(&self, page: PageWriter<'_, '_>) -> Result<Outcome> {
        let takes = &mut |block: &Block<'_>, index| self.takes(block, index);
        self.listed().write(takes, page)
    }
}
