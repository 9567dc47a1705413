//! Get Schools (4.6).

use crate::error::Result;
use crate::query::decoded::authorisations::{self, all_of, authorisations};
use crate::query::decoded::key_lookup::KeyLookup;
use crate::query::endpoint::{Endpoint, Last, Path, SCHOOL_ID, SCHOOL_LOGIN_ID};
use crate::query::parameters::params::Params;
use crate::query::walk::Identity;
use crate::query::{CoverageCheck, Outcome, PageWriter, Query, Question, Then, View};
use crate::record::replication::coverage_key::{CoverageKey, CoverageKind};
use crate::record::stored::conversions;
use crate::store::{Collection, Key, Partition, Reader, Sources};
use std::ops::ControlFlow;

/// Get Schools (4.6): the schools that have authorised the integrator (2.8), ordered by id.
///
/// ```
/// # fn main() -> rollbook::Result<()> {
/// use rollbook::{Engine, Options, Schools};
/// let engine = Engine::memory(Options::default())?;
/// assert_eq!(engine.ask(&Schools { username: "demo", school: None })?.status.code, 404);
/// assert_eq!(engine.ask(&Schools { username: "demo", school: Some(1) })?.status.code, 401);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Schools<'a> {
    /// The integrator's user name.
    pub username: &'a str,
    /// Selects one school.
    pub school: Option<u64>,
}

pub(crate) static ENDPOINT: Endpoint = Endpoint {
    name: "schools",
    v1: Path(
        "finplus/debtmanagement/schools",
        Last::Optional(SCHOOL_LOGIN_ID),
    ),
    v2: Path("finplus/debtmanagement/schools", Last::Optional(SCHOOL_ID)),
    nothing: "No school records found",
    ..Endpoint::new(read)
};

fn read(params: &mut Params<'_>, then: Then<'_>) -> Result<Outcome> {
    let schools = Schools {
        username: params.username,
        school: params.school,
    };
    params.ask(&schools, then)
}

impl Question for Schools<'_> {}

impl Query for Schools<'_> {
    fn endpoint(&self) -> &'static Endpoint {
        &ENDPOINT
    }

    fn about(&self) -> Option<u64> {
        self.school
    }

    fn sources(&self) -> Sources {
        Sources::AUTHORISATIONS.union(Sources::new(&[Collection::Schools]))
    }

    fn require_coverage(&self, reads: &CoverageCheck<'_>) -> Result<()> {
        self.each(reads.view(), all_of(self.school), false, &mut |school| {
            reads.require(school, CoverageKey::new(CoverageKind::School))?;
            Ok(ControlFlow::Continue(()))
        })
    }

    fn identify(&self, _: View<'_>, identity: &mut Identity) -> Result<()> {
        identity.number("school", self.school);
        Ok(())
    }

    fn write(&self, page: PageWriter<'_, '_>) -> Result<Outcome> {
        let PageWriter {
            view,
            version,
            walk,
            out,
        } = page;
        if self.is_unauthorised(view)? {
            return Ok(Outcome::Unauthorised);
        }
        let (from, to) = all_of(self.school);
        let reverse = walk.is_reverse();
        // The key beyond all authorisations by the school, in the walk's direction.
        let end = if reverse { 0 } else { u64::MAX };
        let Some(rest) = walk.slice_after_cursor(from, to, |[school, ..]| Key(*school, end)) else {
            return Ok(Outcome::Found);
        };
        let schools = Partition::global(Collection::Schools);
        let mut schools = KeyLookup::new(view.snapshot.records(schools)?);
        self.each(view, rest, reverse, &mut |school| {
            if let Some((block, index)) = schools.find(Key::one(school))? {
                if !walk.take([school, 0, 0, 0, 0, 0, 0]) {
                    return Ok(ControlFlow::Break(()));
                }
                conversions::push_record(&block, index, version, out)?;
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(Outcome::Found)
    }
}

impl Schools<'_> {
    /// Returns true if one school is selected and it has not authorised the integrator.
    fn is_unauthorised(&self, view: View<'_>) -> Result<bool> {
        match self.school {
            Some(school) => Ok(authorisations(view.snapshot, self.username, school)?.is_empty()),
            None => Ok(false),
        }
    }

    /// Calls `each` once for each school that has authorised the integrator.
    fn each(
        &self,
        view: View<'_>,
        keys: (Key, Key),
        reverse: bool,
        each: &mut dyn FnMut(u64) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        let mut last = None;
        authorisations::each(view.snapshot, self.username, keys, reverse, &mut |client| {
            if last.replace(client.school) == Some(client.school) {
                return Ok(ControlFlow::Continue(()));
            }
            each(client.school)
        })
    }
}
