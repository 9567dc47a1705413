//! Get Parents: the parents of a school's current learners.

use super::endpoint::{Endpoint, Last, Path};
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

/// The id of one record: a parameter, and the last segment of v2's path.
const ID: &str = "parent_id";

pub(super) static ENDPOINT: Endpoint = Endpoint {
    name: "parents",
    v1: Path("adminplus/parents", Last::SCHOOL),
    v2: Path("adminplus/parents", Last::Optional(ID)),
    family: Some(Family::Administration),
    nothing: "No parent records found",
    ..Endpoint::new(read)
};

fn read(params: &mut Params<'_>, then: Then<'_>) -> Result<Outcome> {
    let parents = Parents {
        school: params.school(),
        parent_id: params.one(ID, true),
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
    fn filter(&self, view: View<'_>) -> Result<Option<ParentFilter>> {
        if self.parent_id.is_some() {
            return Ok(None);
        }
        let ids = of_current_learners(view.snapshot, self.school)?;
        Ok(Some(ParentFilter { ids, next: 0 }))
    }
}

impl Query for Parents {
    fn endpoint(&self) -> &'static Endpoint {
        &ENDPOINT
    }

    fn about(&self) -> Option<u64> {
        Some(self.school)
    }

    fn sources(&self) -> Sources {
        Sources::of(&[Collection::Parents]).and_if(
            self.parent_id.is_none(),
            Sources::of(&[Collection::Learners]),
        )
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
        let mut filter = self.filter(view)?;
        let takes = &mut |run: &Run<'_>, index| ParentFilter::take(&mut filter, run, index);
        self.listed().answer(view, takes, out)
    }

    fn identify(&self, _: View<'_>, identity: &mut Identity) -> Result<()> {
        identity.number("school", Some(self.school));
        identity.number(ID, self.parent_id);
        Ok(())
    }

    fn walk(&self, view: View<'_>, walk: &mut Walk, out: &mut Chunks<'_>) -> Result<Outcome> {
        let mut filter = self.filter(view)?;
        let takes = &mut |run: &Run<'_>, index| ParentFilter::take(&mut filter, run, index);
        self.listed().walk(view, takes, walk, out)
    }
}

/// The ids of parents, ascending, each once.
struct ParentIds(Vec<u64>);

/// Parents who are looked for in any order, mostly in theirs.
struct ParentFilter {
    ids: Arc<ParentIds>,
    /// Behind the one that was found last.
    next: usize,
}

impl ParentFilter {
    fn take(filter: &mut Option<ParentFilter>, run: &Run<'_>, index: usize) -> Result<bool> {
        let Some(ParentFilter { ids, next }) = filter else {
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
fn of_current_learners(snapshot: &Snapshot, school: u64) -> Result<Arc<ParentIds>> {
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
        Ok((ParentIds(ids), bytes))
    })
}
