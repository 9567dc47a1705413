//! Sources of the lines of a feed: changed records, the people that learners name, and coverage.
//! Each source writes its lines in steps.

use super::feed_lines::FeedLine;
use crate::dataset::replication::coverage_entries::{coverage_entries, coverage_partitions};
use crate::dataset::{LineBuffer, LineSource, NamedPeople, find_record, removal_line};
use crate::error::Result;
use crate::record::Kind;
use crate::record::replication::scope::{Audience, Kinds, RecordOwner};
use crate::store::{ChangePosition, ChangedKey, LogPartition, Partition, Snapshot};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::vec::IntoIter;

/// The maximum number of changed keys in memory.
const WINDOW_KEYS: usize = 4096;

/// The number of learners whose named people are looked up in one step. A person that learners of
/// two such groups name is sent twice.
const LEARNERS_PER_STEP: usize = 1000;

/// A source of the records of a log partition that changed since a change position: their current
/// content, or their removal. It also writes the people that changed learners name, because they
/// may be named for the first time.
pub(super) struct ChangedRecords {
    log_partition: LogPartition,
    since: ChangePosition,
    kinds: Kinds,
    /// The audience of the follower: the learners of the school whose records it has.
    audience: Audience,
    /// The part of the audience whose changes are sent, because the follower already has its
    /// records.
    staying: Audience,
    window: IntoIter<ChangedKey>,
    /// The last key of the latest window that was not empty.
    last: Option<ChangedKey>,
    is_finished: bool,
    /// Learners that were written since the people they name were last looked up.
    changed: BTreeSet<u64>,
    named: Option<NamedRecords>,
}

impl ChangedRecords {
    /// Returns a source of the changed lists that belong to no school.
    pub(super) fn of_lists(since: ChangePosition, kinds: Kinds) -> ChangedRecords {
        ChangedRecords::new(
            LogPartition::Global,
            since,
            kinds,
            Audience::Everybody,
            Audience::Everybody,
        )
    }

    pub(super) fn new(
        log_partition: LogPartition,
        since: ChangePosition,
        kinds: Kinds,
        audience: Audience,
        staying: Audience,
    ) -> ChangedRecords {
        ChangedRecords {
            log_partition,
            since,
            kinds,
            audience,
            staying,
            window: Vec::new().into_iter(),
            last: None,
            is_finished: false,
            changed: BTreeSet::new(),
            named: None,
        }
    }

    /// Returns the number of changed records, or `None` if it is more than `most`.
    pub(super) fn count(mut self, snapshot: &Snapshot, max: usize) -> Result<Option<usize>> {
        let mut count = 0;
        while !self.is_finished && count <= max {
            self.read_window(snapshot)?;
            count += self.window.len();
        }
        Ok(Some(count).filter(|count| *count <= max))
    }

    /// Reads the next window of changed keys.
    fn read_window(&mut self, snapshot: &Snapshot) -> Result<()> {
        let mut named = None;
        let found = snapshot.changed_keys(
            self.log_partition,
            self.since,
            self.last,
            WINDOW_KEYS,
            &mut |one| {
                let Some(kind) = Kind::numbered(one.kind).filter(|kind| self.kinds.has(*kind))
                else {
                    return Ok(false);
                };
                let (Audience::Learners(_), LogPartition::School(school)) =
                    (&self.audience, self.log_partition)
                else {
                    return Ok(true);
                };
                Ok(match RecordOwner::of_kind(kind) {
                    RecordOwner::Table | RecordOwner::TableOfMarks => true,
                    RecordOwner::Learner => self.staying.has(learner(kind, one)),
                    RecordOwner::Named => {
                        if named.is_none() {
                            named = NamedPeople::by(snapshot, school, &self.audience, self.kinds)?;
                        }
                        let named = named.as_ref();
                        named.is_some_and(|named| named.has(kind, one.words[0]))
                    }
                    RecordOwner::Staff | RecordOwner::App => false,
                })
            },
        )?;
        self.is_finished = found.len() < WINDOW_KEYS;
        self.last = found.last().copied().or(self.last);
        self.window = found.into_iter().collect::<Vec<_>>().into_iter();
        Ok(())
    }

    /// Returns the line of a record: its current content, or its removal.
    fn record(&mut self, snapshot: &Snapshot, changed_key: ChangedKey) -> Result<Option<String>> {
        let Some(kind) = Kind::numbered(changed_key.kind) else {
            return Ok(None);
        };
        let count = kind.fields().iter().filter(|field| field.is_key()).count();
        let school = match self.log_partition {
            LogPartition::Global => None,
            LogPartition::School(school) => Some(school),
        };
        let words = changed_key.words.into_iter();
        let key: Vec<u64> = school.into_iter().chain(words).take(count).collect();
        let found = find_record(snapshot, kind, &key)?;
        // The record may belong to another learner now.
        let is_here = |learner| self.staying.has(learner);
        let found = found.filter(|found| found.learner.is_none_or(is_here));
        if kind == Kind::Learner && found.is_some() {
            self.changed.insert(changed_key.words[0]);
        }
        Ok(Some(match found {
            Some(found) => found.line,
            None => removal_line(kind, &key),
        }))
    }
}

impl LineSource for ChangedRecords {
    fn write(&mut self, snapshot: &Snapshot, lines: &mut LineBuffer) -> Result<bool> {
        if let Some(named) = &mut self.named {
            if !named.write(snapshot, lines)? {
                self.named = None;
            }
            return Ok(true);
        }
        if self.window.len() == 0 {
            let changed = std::mem::take(&mut self.changed);
            if let (Audience::Learners(_), LogPartition::School(school)) =
                (&self.audience, self.log_partition)
                && !changed.is_empty()
            {
                self.named = Some(NamedRecords::new(school, self.kinds, changed.into()));
                return Ok(true);
            }
            if self.is_finished {
                return Ok(false);
            }
            self.read_window(snapshot)?;
        }
        while !lines.is_full()
            && let Some(changed_key) = self.window.next()
        {
            if let Some(line) = self.record(snapshot, changed_key)? {
                lines.push(line);
            }
        }
        Ok(true)
    }
}

/// Returns the learner to whom a changed record belongs.
fn learner(kind: Kind, ChangedKey { words, .. }: &ChangedKey) -> u64 {
    match kind {
        Kind::Learner | Kind::LearnerSubject => words[0],
        _ => words[1],
    }
}

/// A source of the parents and accountable persons that learners name.
pub(super) struct NamedRecords {
    school: u64,
    kinds: Kinds,
    learners: Arc<BTreeSet<u64>>,
    /// The first learner whose named people were not looked up yet.
    next: Option<u64>,
    /// The number of learners whose named people are looked up in one step.
    learners_per_step: usize,
    found: IntoIter<(Kind, u64)>,
}

impl NamedRecords {
    pub(super) fn new(school: u64, kinds: Kinds, learners: Arc<BTreeSet<u64>>) -> NamedRecords {
        NamedRecords {
            school,
            kinds,
            next: learners.first().copied(),
            learners,
            learners_per_step: LEARNERS_PER_STEP,
            found: Vec::new().into_iter(),
        }
    }

    /// Returns the same source, changed to write each record only once.
    pub(super) fn each_once(self) -> NamedRecords {
        NamedRecords {
            learners_per_step: usize::MAX,
            ..self
        }
    }
}

impl LineSource for NamedRecords {
    fn write(&mut self, snapshot: &Snapshot, lines: &mut LineBuffer) -> Result<bool> {
        if self.found.len() == 0 {
            let Some(next) = self.next else {
                return Ok(false);
            };
            let rest = || self.learners.range(next..).copied();
            let group = rest().take(self.learners_per_step);
            let named = NamedPeople::of_learners(snapshot, self.school, group, self.kinds)?;
            self.next = rest().nth(self.learners_per_step);
            let named = named.each().filter(|(kind, _)| self.kinds.has(*kind));
            self.found = named.collect::<Vec<_>>().into_iter();
        }
        while !lines.is_full()
            && let Some((kind, id)) = self.found.next()
        {
            if let Some(found) = find_record(snapshot, kind, &[self.school, id])? {
                lines.push(found.line);
            }
        }
        Ok(true)
    }
}

/// A source of the coverage of a school, if the sending store does not have the school completely.
pub(super) struct CoverageEntries {
    school: u64,
    audience: Audience,
    partitions: IntoIter<Partition>,
    /// The partition and the index of the block to be read next.
    next: Option<(Partition, usize)>,
    entries_per_line: usize,
}

/// The maximum number of coverage entries in a line of a feed. Such a line is far shorter than the
/// longest permitted line.
pub(super) const ENTRIES_PER_LINE: usize = 1000;

impl CoverageEntries {
    pub(super) fn new(
        snapshot: &Snapshot,
        school: u64,
        audience: Audience,
        entries_per_line: usize,
    ) -> Result<CoverageEntries> {
        let mut partitions = coverage_partitions(snapshot, school)?.into_iter();
        Ok(CoverageEntries {
            school,
            audience,
            next: partitions.next().map(|first| (first, 0)),
            partitions,
            entries_per_line,
        })
    }
}

impl LineSource for CoverageEntries {
    fn write(&mut self, snapshot: &Snapshot, lines: &mut LineBuffer) -> Result<bool> {
        let Some((partition, block)) = self.next else {
            return Ok(false);
        };
        let Some(mut entries) = coverage_entries(snapshot, partition, block)? else {
            self.next = self.partitions.next().map(|next| (next, 0));
            return Ok(true);
        };
        self.next = Some((partition, block + 1));
        entries.retain(|one| !one.key.kind.is_of_learner() || self.audience.has(one.key.key.0));
        for entries in entries.chunks(self.entries_per_line) {
            lines.push(FeedLine::Coverage(self.school, entries.to_vec()).to_line());
        }
        Ok(true)
    }
}
