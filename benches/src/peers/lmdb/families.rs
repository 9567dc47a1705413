//! Learners with their parents, whose rows are in other runs.

use super::run::Run;
use super::shared::{NONE, PARENTS};
use super::span::{LAST, run_key};
use super::store::Snapshot;
use crate::peers::rendered::{Table, push_family, push_row};
use anyhow::Result;
use std::ops::Range;

/// The parents of the learners of one run. They are read in order before the learners are written,
/// so that each of their runs is looked up once.
#[derive(Default)]
pub(super) struct Families {
    learners: Vec<usize>,
    /// The ids of the parents, each with the range of its row in `rows`. The range is empty if
    /// there is no such parent.
    parents: Vec<(u64, Range<usize>)>,
    rows: Vec<u8>,
}

impl Families {
    /// Adds learners of a run, each with the parents that exist.
    pub(super) fn push(
        &mut self,
        snapshot: &Snapshot<'_>,
        school: u64,
        run: &Run<'_>,
        learners: impl Iterator<Item = usize>,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        self.learners.clear();
        self.learners.extend(learners);
        self.read(snapshot, school, run)?;
        for learner in &self.learners {
            push_family(run.rows(*learner..learner + 1), out, |out| {
                for tag in PARENTS {
                    if let Some(row) = self.parent(run.tag(tag, *learner)) {
                        push_row(row, out);
                    }
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    fn read(&mut self, snapshot: &Snapshot<'_>, school: u64, run: &Run<'_>) -> Result<()> {
        let Families {
            learners,
            parents,
            rows,
        } = self;
        parents.clear();
        rows.clear();
        for learner in learners {
            let ids = PARENTS.map(|tag| run.tag(tag, *learner));
            let ids = ids.into_iter().filter(|id| *id != NONE);
            parents.extend(ids.map(|id| (id, 0..0)));
        }
        parents.sort_unstable_by_key(|(id, _)| *id);
        parents.dedup();
        let to = run_key(&[school], LAST);
        let mut rest = parents.as_mut_slice();
        while let [(id, _), ..] = rest {
            let from = run_key(&[school], (*id, 0));
            let Some(value) = snapshot.first(Table::Parents, &from, &to)? else {
                break;
            };
            let run = Run::open(value, Table::Parents)?;
            let here = rest.partition_point(|(id, _)| (*id, 0) <= run.last());
            let Some((here, after)) = rest.split_at_mut_checked(here) else {
                break;
            };
            for (id, range) in here {
                let start = rows.len();
                rows.extend_from_slice(run.rows(run.between((*id, 0), (*id, 0))));
                *range = start..rows.len();
            }
            rest = after;
        }
        Ok(())
    }

    fn parent(&self, id: u64) -> Option<&[u8]> {
        let place = self.parents.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        let (_, range) = self.parents.get(place)?;
        let row = self.rows.get(range.clone())?;
        (!row.is_empty()).then_some(row)
    }
}
