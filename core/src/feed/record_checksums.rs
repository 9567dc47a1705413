//! Checksums of the records that a follower has. The source and the follower both compute them; if
//! the checksums differ, so do the records.

use super::feed_lines::{FeedLine, RecordChecksum};
use super::line_sources::{CoverageEntries, NamedRecords};
use crate::dataset::{LineBuffer, LineSource, LineWriter, OwnRecords, find_record};
use crate::error::Result;
use crate::record::Kind;
use crate::record::replication::scope::{Audience, Kinds, RecordOwner};
use crate::store::Snapshot;
use std::collections::VecDeque;

/// Computes a checksum of records in steps, and then writes it as a line.
pub(super) struct ChecksumBuilder {
    /// The school of the records, or `None` for the lists that belong to no school.
    school: Option<u64>,
    sources: VecDeque<Box<dyn LineSource>>,
    sum: RecordChecksum,
    lines: LineBuffer,
    is_finished: bool,
}

impl ChecksumBuilder {
    /// Covers the lists that belong to no school.
    pub(super) fn of_lists() -> ChecksumBuilder {
        let mut summed = ChecksumBuilder::new(None);
        summed.add(LineWriter::of_lists());
        summed
    }

    /// Covers the records of a school that are in a scope.
    pub(super) fn in_scope(
        snapshot: &Snapshot,
        school: u64,
        audience: &Audience,
        kinds: Kinds,
    ) -> Result<ChecksumBuilder> {
        let mut summed = ChecksumBuilder::of_school(snapshot, school, |kind| {
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

    /// Covers the records of a school for whose kind `has` returns true, and the record of the school itself.
    pub(super) fn of_school(
        snapshot: &Snapshot,
        school: u64,
        has: impl Fn(Kind) -> bool,
    ) -> Result<ChecksumBuilder> {
        let mut summed = ChecksumBuilder::new(Some(school));
        if let Some(found) = find_record(snapshot, Kind::School, &[school])? {
            summed.sum.add(&found.line);
        }
        summed.add(LineWriter::of_school(snapshot, school, has)?);
        Ok(summed)
    }

    fn new(school: Option<u64>) -> ChecksumBuilder {
        ChecksumBuilder {
            school,
            sources: VecDeque::new(),
            sum: RecordChecksum::default(),
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
    ) -> Result<ChecksumBuilder> {
        if let Some(school) = self.school {
            self.add(CoverageEntries::new(snapshot, school, audience, 1)?);
        }
        Ok(self)
    }

    /// Adds all records and returns their checksum.
    pub(super) fn total(mut self, snapshot: &Snapshot) -> Result<RecordChecksum> {
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

impl LineSource for ChecksumBuilder {
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
