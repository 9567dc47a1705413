//! Sums of the records that a follower has. The source and the follower both compute them; if the
//! sums differ, so do the records.

use super::feed_lines::{FeedLine, RecordSum};
use super::line_sources::{CoverageEntries, NamedRecords};
use crate::dataset::{LineBuffer, LineSource, LineWriter, OwnRecords, find_record};
use crate::error::Result;
use crate::record::Kind;
use crate::record::replication::scope::{Audience, Kinds, RecordOwner};
use crate::store::Snapshot;
use std::collections::VecDeque;

/// Adds up records in steps, and then writes their sum as a line.
pub(super) struct SummedRecords {
    /// The school of the records, or `None` for the lists that belong to no school.
    school: Option<u64>,
    sources: VecDeque<Box<dyn LineSource>>,
    sum: RecordSum,
    lines: LineBuffer,
    is_finished: bool,
}

impl SummedRecords {
    /// Sums the lists that belong to no school.
    pub(super) fn of_lists() -> SummedRecords {
        let mut summed = SummedRecords::new(None);
        summed.add(LineWriter::of_lists());
        summed
    }

    /// Sums the records of a school that are in a scope.
    pub(super) fn in_scope(
        snapshot: &Snapshot,
        school: u64,
        audience: &Audience,
        kinds: Kinds,
    ) -> Result<SummedRecords> {
        let mut summed = SummedRecords::of_school(snapshot, school, |kind| {
            let owner = RecordOwner::of_kind(kind);
            let is_table = matches!(owner, RecordOwner::Table | RecordOwner::TableOfMarks);
            kinds.has(kind) && (is_table || matches!(audience, Audience::Everybody))
        })?;
        if let Audience::Learners(learners) = audience {
            let named = NamedRecords::new(school, kinds, learners.clone());
            summed.add(named.each_once());
            summed.add(OwnRecords::new(snapshot, school, kinds, learners.clone())?);
        }
        Ok(summed)
    }

    /// Sums the records of a school whose kinds pass `has`, and the record of the school itself.
    pub(super) fn of_school(
        snapshot: &Snapshot,
        school: u64,
        has: impl Fn(Kind) -> bool,
    ) -> Result<SummedRecords> {
        let mut summed = SummedRecords::new(Some(school));
        if let Some(found) = find_record(snapshot, Kind::School, &[school])? {
            summed.sum.add(&found.line);
        }
        summed.add(LineWriter::of_school(snapshot, school, has)?);
        Ok(summed)
    }

    fn new(school: Option<u64>) -> SummedRecords {
        SummedRecords {
            school,
            sources: VecDeque::new(),
            sum: RecordSum::default(),
            lines: LineBuffer::default(),
            is_finished: false,
        }
    }

    fn add(&mut self, source: impl LineSource + 'static) {
        self.sources.push_back(Box::new(source));
    }

    /// Adds the coverage of the school, limited to these learners, one entry at a time.
    pub(super) fn with_coverage(
        mut self,
        snapshot: &Snapshot,
        audience: Audience,
    ) -> Result<SummedRecords> {
        if let Some(school) = self.school {
            self.add(CoverageEntries::new(snapshot, school, audience, 1)?);
        }
        Ok(self)
    }

    /// Adds up all records and returns their sum.
    pub(super) fn total(mut self, snapshot: &Snapshot) -> Result<RecordSum> {
        while self.step(snapshot)? {}
        Ok(self.sum)
    }

    /// Adds up some more records. Returns false if no source is left.
    fn step(&mut self, snapshot: &Snapshot) -> Result<bool> {
        let Some(source) = self.sources.front_mut() else {
            return Ok(false);
        };
        if !source.write(snapshot, &mut self.lines)? {
            self.sources.pop_front();
        }
        while let Some(line) = self.lines.pop() {
            self.sum.add(&line);
        }
        Ok(true)
    }
}

impl LineSource for SummedRecords {
    fn write(&mut self, snapshot: &Snapshot, lines: &mut LineBuffer) -> Result<bool> {
        if self.is_finished {
            return Ok(false);
        }
        if !self.step(snapshot)? {
            self.is_finished = true;
            lines.push(FeedLine::Sum(self.school, self.sum).to_line());
        }
        Ok(true)
    }
}
