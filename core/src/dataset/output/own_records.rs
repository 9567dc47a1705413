//! Reads the records that belong to some learners, without reading those of others where possible.

use super::line_buffer::{LineBuffer, LineSource};
use super::record_line::{line, mark_values, values};
use crate::dataset::commit::marks::row_index;
use crate::dataset::keys::{
    AssessmentsBySlot, assessments_by_slot, marks_of_record, partitions_of,
};
use crate::error::Result;
use crate::record::Kind;
use crate::record::kinds::mark::Mark;
use crate::record::kinds::{absentee, discipline};
use crate::record::replication::scope::Kinds;
use crate::store::{Collection, Key, Partition, Reader, Snapshot};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

/// Writes the records of some learners of a school: first those of one learner after the other,
/// then those that are stored by date, and marks that wait for their assessment.
pub(crate) struct OwnRecords {
    school: u64,
    learners: Arc<BTreeSet<u64>>,
    /// The partitions whose records are stored by learner.
    by_learner: Vec<Partition>,
    /// The learner whose records are written next.
    next: Option<u64>,
    /// The partitions that are read once for all learners, whose records contain their learner,
    /// each with the key from which it is read next.
    walks: VecDeque<(Partition, Key)>,
    slots: HashMap<Partition, AssessmentsBySlot>,
}

/// The maximum number of assessments whose slots are cached. When it is exceeded, the cache is
/// cleared.
const MAX_SLOTS: usize = 4096;

impl OwnRecords {
    pub(crate) fn new(
        snapshot: &Snapshot,
        school: u64,
        kinds: Kinds,
        learners: Arc<BTreeSet<u64>>,
    ) -> Result<OwnRecords> {
        let has = |of: Collection| {
            let kind = match of {
                Collection::MarkRowIndex => Some(Kind::Mark),
                _ => Kind::stored_in(of),
            };
            kind.is_some_and(|kind| kinds.has(kind))
        };
        let (mut by_learner, mut walks) = (Vec::new(), VecDeque::new());
        for partition in partitions_of(snapshot, school)? {
            match partition.collection {
                of if !has(of) => {}
                Collection::Learners | Collection::LearnerSubjects | Collection::MarkRowIndex => {
                    by_learner.push(partition);
                }
                Collection::Absentees | Collection::Discipline | Collection::WaitingMarks => {
                    walks.push_back((partition, Key::MIN));
                }
                _ => {}
            }
        }
        Ok(OwnRecords {
            school,
            next: learners.first().copied(),
            learners,
            by_learner,
            walks,
            slots: HashMap::new(),
        })
    }
}

impl LineSource for OwnRecords {
    fn write(&mut self, snapshot: &Snapshot, lines: &mut LineBuffer) -> Result<bool> {
        if let Some(learner) = self.next {
            for partition in self.by_learner.clone() {
                self.write_learner(snapshot, partition, learner, lines)?;
            }
            let others = self.learners.range(learner..);
            self.next = others.into_iter().nth(1).copied();
            return Ok(true);
        }
        let Some((partition, from)) = self.walks.pop_front() else {
            return Ok(false);
        };
        if let Some(next) = self.write_partition(snapshot, partition, from, lines)? {
            self.walks.push_front((partition, next));
        }
        Ok(true)
    }
}

impl OwnRecords {
    /// Writes the records of a learner in a partition.
    fn write_learner(
        &mut self,
        snapshot: &Snapshot,
        partition: Partition,
        learner: u64,
        lines: &mut LineBuffer,
    ) -> Result<()> {
        let (from, to) = (Key(learner, 0), Key(learner, u64::MAX));
        let mut records = snapshot.records(partition)?.cursor(from, to);
        while let Some(record) = records.next()? {
            let key = record.key()?;
            if partition.collection == Collection::MarkRowIndex {
                let (grade, year) = (key.1, partition.first);
                let of = (self.school, Collection::MarkRows);
                let rows = Partition::of_grade_year(of.0, of.1, grade, year);
                for term in row_index::terms(record.column(0)?)? {
                    self.write_marks(snapshot, rows, Key(term, learner), lines)?;
                }
            } else if let Some(kind) = Kind::stored_in(partition.collection) {
                let values = values(kind, partition, key, &record.item()?)?;
                lines.push(line(kind, &values));
            }
        }
        Ok(())
    }

    /// Writes the marks of a row.
    fn write_marks(
        &mut self,
        snapshot: &Snapshot,
        rows: Partition,
        at: Key,
        lines: &mut LineBuffer,
    ) -> Result<()> {
        let Some(row) = snapshot.records(rows)?.get(at)? else {
            return Ok(());
        };
        let assessments = match self.slots.get(&rows) {
            Some(known) => known,
            None => {
                let read = assessments_by_slot(snapshot, rows)?;
                let known: usize = self.slots.values().map(HashMap::len).sum();
                if known + read.len() > MAX_SLOTS {
                    self.slots.clear();
                }
                self.slots.entry(rows).or_insert(read)
            }
        };
        let school = self.school;
        marks_of_record(rows, at, row.column(0)?, assessments, &mut |key, mark| {
            push_mark(school, key, mark, lines)
        })
    }

    /// Writes the next records of the learners in a partition. Returns the key from which it is
    /// read next, if any record is left.
    fn write_partition(
        &self,
        snapshot: &Snapshot,
        partition: Partition,
        from: Key,
        lines: &mut LineBuffer,
    ) -> Result<Option<Key>> {
        let mut records = snapshot.records(partition)?.cursor(from, Key::MAX);
        while let Some(record) = records.next()? {
            let key = record.key()?;
            if lines.is_full() {
                return Ok(Some(key));
            }
            let learner = match partition.collection {
                Collection::Absentees => record.filter_column(absentee::LEARNER_COLUMN)?,
                Collection::Discipline => record.filter_column(discipline::LEARNER_COLUMN)?,
                _ => Some(key.1),
            };
            if !learner.is_some_and(|learner| self.learners.contains(&learner)) {
                continue;
            }
            match Kind::stored_in(partition.collection) {
                Some(Kind::Mark) => push_mark(partition.school, key, record.column(0)?, lines)?,
                Some(kind) => {
                    let values = values(kind, partition, key, &record.item()?)?;
                    lines.push(line(kind, &values));
                }
                None => {}
            }
        }
        Ok(None)
    }
}

fn push_mark(school: u64, key: Key, mark: &[u8], lines: &mut LineBuffer) -> Result<()> {
    if let Some(mark) = Mark::decode(mark)? {
        lines.push(line(Kind::Mark, &mark_values(school, key, &mark)));
    }
    Ok(())
}
