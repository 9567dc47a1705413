//! Get Parents: the parents of a school's current learners.

use crate::error::Result;
use crate::json::OutputBuffer;
use crate::query::decoded::integrators::Family;
use crate::query::endpoint::{Endpoint, Last, Path};
use crate::query::lists::id_lists::PartitionQuery;
use crate::query::parameters::params::Params;
use crate::query::walk::Identity;
use crate::query::{CoverageCheck, Outcome, PageWriter, Query, Question, Then, View};
use crate::record::kinds::learner::{CURRENT, PARENT1_COLUMN, PARENT2_COLUMN, STATUS_COLUMN};
use crate::record::replication::coverage_key::{CoverageKey, CoverageKind};
use crate::store::{Block, Collection, Key, Partition, Reader, Snapshot, Sources};
use std::sync::Arc;

/// Get Parents: the parents of current learners (2.2), each of them once, ordered by id, or one
/// parent, regardless of the learners.
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
    /// Selects one parent, whether of a current learner or not.
    pub parent_id: Option<u64>,
}

/// The id of one record: a parameter, and the last segment of v2's path.
const ID: &str = "parent_id";

pub(crate) static ENDPOINT: Endpoint = Endpoint {
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
    fn listed(&self) -> PartitionQuery {
        PartitionQuery {
            of: Partition::new(self.school, Collection::Parents),
            id: self.parent_id,
        }
    }

    /// Returns the filter for parents of current learners, or `None` if one parent is selected.
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
        Sources::new(&[Collection::Parents]).and_if(
            self.parent_id.is_none(),
            Sources::new(&[Collection::Learners]),
        )
    }

    fn require_coverage(&self, reads: &CoverageCheck<'_>) -> Result<()> {
        let Parents { school, parent_id } = *self;
        match parent_id {
            Some(id) => reads.require_record(school, Collection::Parents, id, "the parent"),
            None => {
                reads.require(school, CoverageKey::new(CoverageKind::CurrentLearners))?;
                reads.require(school, CoverageKey::new(CoverageKind::Parents))
            }
        }
    }

    fn answer(&self, view: View<'_>, out: &mut OutputBuffer<'_>) -> Result<Outcome> {
        let mut filter = self.filter(view)?;
        let takes = &mut |block: &Block<'_>, index| ParentFilter::take(&mut filter, block, index);
        self.listed().answer(view, takes, out)
    }

    fn identify(&self, _: View<'_>, identity: &mut Identity) -> Result<()> {
        identity.number("school", Some(self.school));
        identity.number(ID, self.parent_id);
        Ok(())
    }

    fn write(&self, page: PageWriter<'_, '_>) -> Result<Outcome> {
        let mut filter = self.filter(page.view)?;
        let takes = &mut |block: &Block<'_>, index| ParentFilter::take(&mut filter, block, index);
        self.listed().write(takes, page)
    }
}

/// Ids of parents in ascending order, without duplicates.
struct ParentIds(Vec<u64>);

/// A filter by id. Look-ups may occur in any order, but ascending order is the fastest.
struct ParentFilter {
    ids: Arc<ParentIds>,
    /// The index after the id that was found last.
    next: usize,
}

impl ParentFilter {
    fn take(filter: &mut Option<ParentFilter>, block: &Block<'_>, index: usize) -> Result<bool> {
        let Some(ParentFilter { ids, next }) = filter else {
            return Ok(true);
        };
        let Key(id, _) = block.key(index)?;
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

/// Returns the ids of the parents of a school's current learners.
fn of_current_learners(snapshot: &Snapshot, school: u64) -> Result<Arc<ParentIds>> {
    const SOURCES: Sources = Sources::new(&[Collection::Learners]);
    let learners = Partition::new(school, Collection::Learners);
    snapshot.decoded(0, learners, SOURCES, || {
        let mut ids = Vec::new();
        let mut records = snapshot.records(learners)?.all();
        while let Some(record) = records.next()? {
            if record.filter_column(STATUS_COLUMN)? == CURRENT {
                ids.extend(record.filter_column(PARENT1_COLUMN)?);
                ids.extend(record.filter_column(PARENT2_COLUMN)?);
            }
        }
        ids.sort_unstable();
        ids.dedup();
        ids.shrink_to_fit();
        let bytes = ids.capacity() * size_of::<u64>();
        Ok((ParentIds(ids), bytes))
    })
}
