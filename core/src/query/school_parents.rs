//! Get Parents: the parents of a school's current learners.

use super::endpoint::{CLIENT_NOT_AUTHORISED, Endpoint, Last, Path};
use super::integrators::Family;
use super::listed::Listed;
use super::params::Params;
use super::walk::{Identity, Walk};
use super::{Outcome, Query, Question, Reads, Then, View};
use crate::error::Result;
use crate::json::Chunks;
use crate::record::coverage::{Part, Unit};
use crate::record::learner::{CURRENT, PARENT1_TAG, PARENT2_TAG, STATUS_TAG};
use crate::store::{Collection, Key, Partition, Reader, Run, Snapshot, Sources};
use std::sync::Arc;

/// Get Parents: the parents of current learners (2.2), each once, in the order of
/// their ids, or one parent, whoever the learners are.
///
/// ```
/// # fn main() -> rollbook::Result<()> {
/// use rollbook::{Engine, Options, Parents};
/// let engine = Engine::memory(Options::default())?;
/// engine.apply(r#"{"type":"parent","school_id":1,"id":40}
/// {"type":"learner","school_id":1,"id":7,"parent1_id":"40"}"#.as_bytes())?;
/// let parents = engine.ask(&Parents { school: 1, parent_id: None })?;
/// assert!(parents.text().starts_with(r#"[{"id":"40","title":"","#));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Parents {
    /// The school's login id.
    pub school: u64,
    /// One parent, be it of a current learner or not.
    pub parent_id: Option<u64>,
}

pub(super) static ENDPOINT: Endpoint = Endpoint {
    name: "parents",
    v1: Path("adminplus/parents", Last::SCHOOL),
    v2: Path("adminplus/parents", Last::Optional("parent_id")),
    family: Some(Family::Administration),
    has_parents: false,
    is_settable: false,
    is_object: false,
    refused: CLIENT_NOT_AUTHORISED,
    nothing: "No parent records found",
    read,
};

fn read(params: &mut Params<'_>, then: Then<'_>) -> Result<Outcome> {
    let parents = Parents {
        school: params.school(),
        parent_id: params.one("parent_id", true),
    };
    params.ask(&parents, then)
}

impl Question for Parents {}

impl Parents {
    fn listed(&self) -> Listed {
        Listed {
            of: Partition::of(self.school, Collection::Parents),
            id: self.parent_id,
        }
    }

    /// Who is asked for; nothing if one parent is.
    fn wanted(&self, view: View<'_>) -> Result<Option<Wanted>> {
        if self.parent_id.is_some() {
            return Ok(None);
        }
        let ids = of_current_learners(view.snapshot, self.school)?;
        Ok(Some(Wanted { ids, next: 0 }))
    }
}

impl Query for Parents {
    fn endpoint(&self) -> &'static Endpoint {
        &ENDPOINT
    }

    fn about(&self) -> Option<u64> {
        Some(self.school)
    }

    fn reads(&self, reads: &Reads<'_>) -> Result<()> {
        let Parents { school, parent_id } = *self;
        match parent_id {
            Some(id) => reads.record(school, Collection::Parents, id, "the parent"),
            None => {
                reads.whole(school, Unit::of(Part::CurrentLearners))?;
                reads.whole(school, Unit::of(Part::Parents))
            }
        }
    }

    fn answer(&self, view: View<'_>, out: &mut Chunks<'_>) -> Result<Outcome> {
        let mut wanted = self.wanted(view)?;
        let takes = &mut |run: &Run<'_>, index| Wanted::take(&mut wanted, run, index);
        self.listed().answer(view, takes, out)
    }

    fn identify(&self, _: View<'_>, identity: &mut Identity) -> Result<()> {
        identity.number("school", Some(self.school));
        identity.number("parent_id", self.parent_id);
        Ok(())
    }

    fn walk(&self, view: View<'_>, walk: &mut Walk, out: &mut Chunks<'_>) -> Result<Outcome> {
        let mut wanted = self.wanted(view)?;
        let takes = &mut |run: &Run<'_>, index| Wanted::take(&mut wanted, run, index);
        self.listed().walk(view, takes, walk, out)
    }
}

/// The ids of parents, ascending, each once.
struct Ids(Vec<u64>);

/// Parents who are looked for in any order, mostly in theirs.
struct Wanted {
    ids: Arc<Ids>,
    /// Behind the one that was found last.
    next: usize,
}

impl Wanted {
    fn take(wanted: &mut Option<Wanted>, run: &Run<'_>, index: usize) -> Result<bool> {
        let Some(Wanted { ids, next }) = wanted else {
            return Ok(true);
        };
        let Key(id, _) = run.key(index)?;
        let ids = &ids.0;
        let index = match ids.get(*next) {
            Some(at) if *at == id => Ok(*next),
            _ => ids.binary_search(&id),
        };
        if let Ok(index) = index {
            *next = index + 1;
        }
        Ok(index.is_ok())
    }
}

/// The parents of the current learners of a school.
fn of_current_learners(snapshot: &Snapshot, school: u64) -> Result<Arc<Ids>> {
    const SOURCES: Sources = Sources::of(&[Collection::Learners]);
    let learners = Partition::of(school, Collection::Learners);
    snapshot.decoded(0, learners, SOURCES, || {
        let mut ids = Vec::new();
        for pinned in snapshot.records(learners)?.all() {
            let (pinned, indices) = pinned?;
            let run = pinned.run()?;
            for index in indices {
                if run.tag(STATUS_TAG, index)? == CURRENT {
                    ids.extend(run.tag(PARENT1_TAG, index)?);
                    ids.extend(run.tag(PARENT2_TAG, index)?);
                }
            }
        }
        ids.sort_unstable();
        ids.dedup();
        ids.shrink_to_fit();
        let bytes = ids.capacity() * size_of::<u64>();
        Ok((Ids(ids), bytes))
    })
}
