//! Turns the segments of a feed into lines, in steps.

use super::feed_lines::{FeedLine, LineChecksum, digest_of};
use super::line_sources::{ChangedRecords, CoverageEntries, ENTRIES_PER_LINE, NamedRecords};
use super::plan::{Plan, Segment};
use super::record_checksums::ChecksumBuilder;
use crate::dataset::{LineBuffer, LineSource, LineWriter, OwnRecords, find_record};
use crate::error::Result;
use crate::record::Kind;
use crate::record::replication::position::FollowerPosition;
use crate::record::replication::resume_token::ResumeToken;
use crate::record::replication::scope::{Audience, RecordOwner, Scope};
use crate::store::{LogPartition, Snapshot};
use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

/// Writes the remaining segments of a feed. The writer's memory use does not depend on the number of
/// records.
pub(super) struct FeedWriter {
    scope: Scope,
    /// The position of the follower, if the source knows the changes since then.
    after: Option<ResumeToken>,
    segments: VecDeque<Segment>,
    /// The sources of the remaining lines of the current segment.
    sources: VecDeque<Box<dyn LineSource>>,
    /// The position of the follower after the part that is being written.
    at: FollowerPosition,
}

impl FeedWriter {
    pub(super) fn new(scope: Scope, plan: Plan) -> FeedWriter {
        FeedWriter {
            scope,
            after: plan.after,
            segments: plan.segments,
            sources: VecDeque::new(),
            at: plan.first,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.segments.is_empty() && self.sources.is_empty()
    }

    /// Discards everything that is left.
    pub(super) fn clear(&mut self) {
        self.segments.clear();
        self.sources.clear();
    }

    /// Writes the next lines. All earlier lines must have been taken, and `sum` must be the checksum
    /// of those of the current part. A new part resets `sum`.
    pub(super) fn write(
        &mut self,
        snapshot: &Snapshot,
        lines: &mut LineBuffer,
        sum: &mut LineChecksum,
    ) -> Result<()> {
        if let Some(source) = self.sources.front_mut() {
            if !source.write(snapshot, lines)? {
                self.sources.pop_front();
            }
            return Ok(());
        }
        match self.segments.pop_front() {
            None => {}
            Some(Segment::Feed(head)) => {
                *sum = LineChecksum::default();
                lines.push(FeedLine::Feed(head).to_line());
            }
            Some(Segment::Part(schools)) => {
                *sum = LineChecksum::default();
                self.begin_part(schools, lines);
            }
            Some(Segment::End) => lines.push(FeedLine::End(*sum).to_line()),
            Some(Segment::Lists) => {
                lines.push(FeedLine::Whole(None).to_line());
                self.add(LineWriter::of_lists());
            }
            Some(Segment::ChangedLists) => {
                if let Some(after) = &self.after {
                    let kinds = self.scope.kinds;
                    self.add(ChangedRecords::of_lists(after.change_position, kinds));
                }
            }
            Some(Segment::Sum(None)) => self.add(ChecksumBuilder::of_lists()),
            Some(Segment::Sum(Some(school))) => self.add_sum(snapshot, school)?,
            Some(Segment::School(school)) => self.write_school(snapshot, school, lines)?,
            Some(Segment::Changes {
                school,
                has_coverage_changes,
            }) => {
                self.write_changes(snapshot, school, has_coverage_changes, lines)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, source: impl LineSource + 'static) {
        self.sources.push_back(Box::new(source));
    }

    fn begin_part(&mut self, schools: Vec<u64>, lines: &mut LineBuffer) {
        let from = digest_of(&self.at.to_text());
        self.at.parts += 1;
        for school in &schools {
            if let Some(audience) = self.scope.audience(*school) {
                self.at.scope.schools.insert(*school, audience.clone());
            }
        }
        let is_part = |segment: &Segment| matches!(segment, Segment::Part(_));
        self.at.is_incomplete = self.segments.iter().any(is_part);
        self.segments.push_front(Segment::End);
        let segments = schools.iter().rev().map(|school| Segment::School(*school));
        for segment in segments {
            self.segments.push_front(segment);
        }
        lines.push(FeedLine::Part(from, schools.into_iter().collect()).to_line());
    }

    /// Writes all records of a school that are in the scope.
    fn write_school(
        &mut self,
        snapshot: &Snapshot,
        school: u64,
        lines: &mut LineBuffer,
    ) -> Result<()> {
        let Some(audience) = self.scope.audience(school).cloned() else {
            return Ok(());
        };
        let kinds = self.scope.kinds;
        lines.push(FeedLine::Whole(Some(school)).to_line());
        if let Some(found) = find_record(snapshot, Kind::School, &[school])? {
            lines.push(found.line);
        }
        let is_table = |kind| {
            let tables = [RecordOwner::Table, RecordOwner::TableOfMarks];
            tables.contains(&RecordOwner::of_kind(kind))
        };
        let is_whole = matches!(audience, Audience::Everybody);
        self.add(LineWriter::of_school(snapshot, school, |kind| {
            kinds.has(kind) && (is_whole || is_table(kind))
        })?);
        if let Audience::Learners(learners) = &audience {
            self.add_learners(snapshot, school, learners.clone())?;
        }
        self.write_coverage(snapshot, school, audience, lines)
    }

    /// Queues the sources of the changes of a school that the follower has.
    fn write_changes(
        &mut self,
        snapshot: &Snapshot,
        school: u64,
        has_coverage_changes: bool,
        lines: &mut LineBuffer,
    ) -> Result<()> {
        let kinds = self.scope.kinds;
        let (Some(audience), Some(after)) = (self.scope.audience(school).cloned(), &self.after)
        else {
            return Ok(());
        };
        let Some(change) = after.change(school, kinds, &audience) else {
            return Ok(());
        };
        let (log_partition, since) = (LogPartition::School(school), after.change_position);
        let (staying, entering) = (change.staying, change.entering);
        // A record that changes its owner from a learner who stays to one who enters is removed
        // first.
        self.add(ChangedRecords::new(
            log_partition,
            since,
            kinds,
            audience.clone(),
            staying,
        ));
        self.add_learners(snapshot, school, Arc::new(entering))?;
        if has_coverage_changes {
            self.write_coverage(snapshot, school, audience, lines)?;
        }
        Ok(())
    }

    /// Queues the sources of all records of some learners, and of the people that they name.
    fn add_learners(
        &mut self,
        snapshot: &Snapshot,
        school: u64,
        learners: Arc<BTreeSet<u64>>,
    ) -> Result<()> {
        let kinds = self.scope.kinds;
        if !learners.is_empty() {
            self.add(NamedRecords::new(school, kinds, learners.clone()));
            self.add(OwnRecords::new(snapshot, school, kinds, learners)?);
        }
        Ok(())
    }

    /// Queues the source of the checksum of the records of a school that are in the scope.
    fn add_sum(&mut self, snapshot: &Snapshot, school: u64) -> Result<()> {
        let Some(audience) = self.scope.audience(school).cloned() else {
            return Ok(());
        };
        let mut sum = ChecksumBuilder::in_scope(snapshot, school, &audience, self.scope.kinds)?;
        if snapshot.owners().get(school).has_coverage() {
            sum = sum.with_coverage(snapshot, audience)?;
        }
        self.add(sum);
        Ok(())
    }

    /// Writes the coverage of a school, or a line that says that the school's data is complete.
    fn write_coverage(
        &mut self,
        snapshot: &Snapshot,
        school: u64,
        audience: Audience,
        lines: &mut LineBuffer,
    ) -> Result<()> {
        if !snapshot.owners().get(school).has_coverage() {
            lines.push(FeedLine::Complete(school).to_line());
            return Ok(());
        }
        // The empty line tells the follower that the school has coverage, even without any entry.
        lines.push(FeedLine::Coverage(school, Vec::new()).to_line());
        self.add(CoverageEntries::new(
            snapshot,
            school,
            audience,
            ENTRIES_PER_LINE,
        )?);
        Ok(())
    }
}
