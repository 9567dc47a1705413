//! The records that are a learner's own, found without looking at those of others.

use super::commit::marks::row_index;
use super::export::{line, mark_values, values};
use super::keys::partitions_of;
use crate::error::{Error, Result};
use crate::record::assessment::{SLOT_TAG, slot};
use crate::record::mark::Mark;
use crate::record::mark_row::{MarkRow, is_mark};
use crate::record::scope::Kinds;
use crate::record::{Kind, absentee, discipline};
use crate::store::{Collection, Key, Partition, Reader, Snapshot};
use std::collections::{BTreeSet, HashMap};

/// The learners of a school whose records are written.
pub(crate) struct OwnRecords<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) school: u64,
    pub(crate) kinds: Kinds,
}

/// Assessments of a grade, year and term by slot.
type Slots = HashMap<(Partition, u64), HashMap<u64, u64>>;

impl OwnRecords<'_> {
    /// Hands on each record of these learners as a line.
    pub(crate) fn each(
        &self,
        learners: &BTreeSet<u64>,
        each: &mut dyn FnMut(String),
    ) -> Result<()> {
        let partitions = partitions_of(self.snapshot, self.school)?;
        let mut slots = Slots::new();
        for partition in partitions {
            match partition.collection {
                Collection::Learners => {
                    for learner in learners {
                        self.between(
                            Kind::Learner,
                            partition,
                            Key::one(*learner),
                            Key::one(*learner),
                            each,
                        )?;
                    }
                }
                Collection::LearnerSubjects => {
                    for learner in learners {
                        let (from, to) = (Key(*learner, 0), Key(*learner, u64::MAX));
                        self.between(Kind::LearnerSubject, partition, from, to, each)?;
                    }
                }
                Collection::Absentees => {
                    self.tagged(
                        Kind::Absentee,
                        partition,
                        absentee::LEARNER_TAG,
                        learners,
                        each,
                    )?;
                }
                Collection::Discipline => {
                    self.tagged(
                        Kind::Discipline,
                        partition,
                        discipline::LEARNER_TAG,
                        learners,
                        each,
                    )?;
                }
                Collection::MarkRowIndex if self.kinds.has(Kind::Mark) => {
                    for learner in learners {
                        self.marks_of_year(partition, *learner, &mut slots, each)?;
                    }
                }
                Collection::WaitingMarks if self.kinds.has(Kind::Mark) => {
                    self.waiting_marks(partition, learners, each)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn between(
        &self,
        kind: Kind,
        partition: Partition,
        from: Key,
        to: Key,
        each: &mut dyn FnMut(String),
    ) -> Result<()> {
        if !self.kinds.has(kind) {
            return Ok(());
        }
        for pinned in self.snapshot.records(partition)?.between(from, to) {
            let (pinned, indices) = pinned?;
            let run = pinned.run()?;
            for index in indices {
                let values = values(kind, partition, run.key(index)?, &run.item(index)?)?;
                each(line(kind, &values));
            }
        }
        Ok(())
    }

    /// Records that lie by date: whose each is, a tag says.
    fn tagged(
        &self,
        kind: Kind,
        partition: Partition,
        tag: usize,
        learners: &BTreeSet<u64>,
        each: &mut dyn FnMut(String),
    ) -> Result<()> {
        if !self.kinds.has(kind) {
            return Ok(());
        }
        for pinned in self.snapshot.records(partition)?.all() {
            let (pinned, indices) = pinned?;
            let run = pinned.run()?;
            for index in indices {
                if run
                    .tag(tag, index)?
                    .is_some_and(|of| learners.contains(&of))
                {
                    let values = values(kind, partition, run.key(index)?, &run.item(index)?)?;
                    each(line(kind, &values));
                }
            }
        }
        Ok(())
    }

    /// The marks in the rows that a learner has in a year, as the index of rows tells.
    fn marks_of_year(
        &self,
        index: Partition,
        learner: u64,
        slots: &mut Slots,
        each: &mut dyn FnMut(String),
    ) -> Result<()> {
        let year = index.a;
        let (from, to) = (Key(learner, 0), Key(learner, u64::MAX));
        for pinned in self.snapshot.records(index)?.between(from, to) {
            let (pinned, indices) = pinned?;
            let run = pinned.run()?;
            for at in indices {
                let Key(_, grade) = run.key(at)?;
                let rows = Partition::of_grade_year(self.school, Collection::MarkRows, grade, year);
                for term in row_index::terms(run.record(0, at)?)? {
                    self.marks_of_row(rows, term, learner, slots, each)?;
                }
            }
        }
        Ok(())
    }

    fn marks_of_row(
        &self,
        rows: Partition,
        term: u64,
        learner: u64,
        slots: &mut Slots,
        each: &mut dyn FnMut(String),
    ) -> Result<()> {
        let Some((pinned, index)) = self.snapshot.records(rows)?.get(Key(term, learner))? else {
            return Ok(());
        };
        let assessments = match slots.entry((rows, term)) {
            std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::hash_map::Entry::Vacant(unknown) => {
                unknown.insert(self.slots(rows, term)?)
            }
        };
        for (slot, mark) in (0..).zip(MarkRow::open(pinned.run()?.record(0, index)?)?.slots()) {
            let mark = mark?;
            if !is_mark(mark) {
                continue;
            }
            let assessment = assessments.get(&slot).copied();
            let assessment =
                assessment.ok_or_else(|| Error::corrupt("a mark has no assessment"))?;
            self.mark(Key(assessment, learner), mark, each)?;
        }
        Ok(())
    }

    fn mark(&self, key: Key, mark: &[u8], each: &mut dyn FnMut(String)) -> Result<()> {
        if let Some(mark) = Mark::decode(mark)? {
            each(line(Kind::Mark, &mark_values(self.school, key, &mark)));
        }
        Ok(())
    }

    /// The assessments of a term by slot.
    fn slots(&self, rows: Partition, term: u64) -> Result<HashMap<u64, u64>> {
        let assessments = Partition {
            collection: Collection::Assessments,
            ..rows
        };
        let mut slots = HashMap::new();
        let records = self.snapshot.records(assessments)?;
        for pinned in records.between(Key(term, 0), Key(term, u64::MAX)) {
            let (pinned, indices) = pinned?;
            let run = pinned.run()?;
            for index in indices {
                slots.insert(slot(run.tag(SLOT_TAG, index)?)?, run.key(index)?.1);
            }
        }
        Ok(slots)
    }

    fn waiting_marks(
        &self,
        partition: Partition,
        learners: &BTreeSet<u64>,
        each: &mut dyn FnMut(String),
    ) -> Result<()> {
        for pinned in self.snapshot.records(partition)?.all() {
            let (pinned, indices) = pinned?;
            let run = pinned.run()?;
            for index in indices {
                let key = run.key(index)?;
                if learners.contains(&key.1) {
                    self.mark(key, run.record(0, index)?, each)?;
                }
            }
        }
        Ok(())
    }
}
