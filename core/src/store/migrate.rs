//! Bringing a store of an older format to this one: each step in one transaction,
//! so that whoever is interrupted finds the store as it was.

use super::digests::Scope;
use super::directory::Directory;
use super::item::{Item, ItemBuffer};

use super::collection::{Collection, Layout};
use super::merge::Cutter;
use super::options::FactsFromFormat1;
use super::partition::{Key, Partition, run_key};
use super::read::read_rows;
use super::tables::{META, TOTALS_KEY, Totals};
use super::write::Write;
use crate::error::{Error, Failure, Result};
use redb::{ReadableTable, WriteTransaction};
use std::ops::Bound::{Excluded, Unbounded};

/// Format 1 had no checksums and no digests. Its runs did not say how many tags and
/// lanes they had, its facts not of which field they were, and its counts not of
/// which kind.
pub(super) fn from_format_1(transaction: &WriteTransaction, facts: FactsFromFormat1) -> Result<()> {
    counts(transaction)?;
    let mut write = Write::new(transaction, None)?;
    write.begin_digests()?;
    let mut after = Vec::new();
    while let Some((key, bytes)) = write.directory_row_after(&after)? {
        let partition = key.first_chunk().and_then(Partition::from_bytes);
        let partition = partition.ok_or_else(damaged)?;
        let old = OldDirectory::decode(&bytes).ok_or_else(damaged)?;
        let directory = old.written_anew(&mut write, partition, facts)?;
        write.put_directory(partition, &directory)?;
        after = key;
    }
    write.set_format()?;
    write.finish().map(drop)
}

fn damaged() -> Failure {
    Error::corrupt("a store of format 1 is damaged: restore it from a backup")
}

/// Counts of 17 kinds, then what lives.
fn counts(transaction: &WriteTransaction) -> Result<()> {
    let mut meta = transaction.open_table(META)?;
    let counts = match meta.get(TOTALS_KEY)? {
        Some(row) => {
            let (numbers, []) = row.value().as_chunks::<8>() else {
                return Err(damaged());
            };
            let numbers: Vec<u64> = numbers.iter().map(|n| u64::from_le_bytes(*n)).collect();
            let (records, [live]) = numbers.split_first_chunk::<17>().ok_or_else(damaged)? else {
                return Err(damaged());
            };
            let mut totals = Totals::default();
            totals.live = *live;
            for (kind, count) in (0..).zip(records) {
                totals.set(kind, *count);
            }
            totals
        }
        None => Totals::default(),
    };
    meta.insert(TOTALS_KEY, counts.encode().as_slice())?;
    Ok(())
}

/// The next new run's number, then of each run its first key, number and count.
struct OldDirectory {
    next_run: u32,
    runs: Vec<u32>,
}

impl OldDirectory {
    fn decode(bytes: &[u8]) -> Option<OldDirectory> {
        let (next_run, entries) = bytes.split_first_chunk()?;
        let (entries, []) = entries.as_chunks::<24>() else {
            return None;
        };
        let run = |entry: &[u8; 24]| {
            let run = entry.get(Key::BYTES..)?.first_chunk()?;
            Some(u32::from_le_bytes(*run))
        };
        Some(OldDirectory {
            next_run: u32::from_le_bytes(*next_run),
            runs: entries.iter().map(run).collect::<Option<_>>()?,
        })
    }

    /// Writes its runs in the form of today. One that no longer fits becomes two.
    fn written_anew(
        &self,
        write: &mut Write<'_>,
        partition: Partition,
        facts: FactsFromFormat1,
    ) -> Result<Directory> {
        let mut directory = Directory::default();
        directory.next_run = self.next_run;
        let mut last = None;
        for run in &self.runs {
            let bytes = match write.runs.get(run_key(partition, *run).as_slice())? {
                Some(row) => row.value().to_vec(),
                None => return Err(damaged()),
            };
            let old = OldRun::parse(&bytes, partition.collection).ok_or_else(damaged)?;
            // Tags and lanes that came later are the next rendering's, which comes later.
            let mut cutter = Cutter::new(layout(partition.collection));
            let mut item = ItemBuffer::default();
            for index in 0..old.keys.len() {
                let (key, kept) = old.item(index).ok_or_else(damaged)?;
                if last.replace(key) >= Some(key) {
                    return Err(damaged());
                }
                item.copy_from(&kept);
                if let [_, lane, ..] = &mut item.lanes
                    && old.layout.lanes.len() > 1
                {
                    lane.clear();
                    facts(partition.collection, kept.lanes[1], lane)?;
                }
                cutter.push(key, &item.item())?;
            }
            cutter.cut();
            let mut reused = Some(*run);
            for piece in &cutter.done {
                let entry = write.put_piece(partition, &mut directory, reused.take(), piece)?;
                directory.entries.push(entry);
            }
        }
        Ok(directory)
    }
}

/// How many tags and which lanes a run of format 1 had.
const fn layout(collection: Collection) -> Layout {
    const COMMA: Option<u8> = Some(b',');
    match collection {
        Collection::Learners => Layout::new(7, &[COMMA, None, Some(0xff)]),
        Collection::Absentees | Collection::LearningPrograms => Layout::new(1, &[COMMA, None]),
        Collection::Assessments => Layout::new(3, &[COMMA, None]),
        Collection::AssessmentIndex => Layout::new(3, &[]),
        Collection::AbsenteeIndex => Layout::new(1, &[]),
        Collection::LearnerSubjects
        | Collection::MarkRows
        | Collection::MarkRowIndex
        | Collection::WaitingMarks => Layout::new(0, &[None]),
        _ => Layout::new(0, &[COMMA, None]),
    }
}

/// Count of records u32, length of each lane u32, keys, ends, presence u8, tags,
/// lanes: what they are is told in `run`.
struct OldRun<'a> {
    layout: Layout,
    keys: &'a [[u8; Key::BYTES]],
    ends: &'a [[u8; 4]],
    presence: &'a [u8],
    tags: &'a [[u8; 8]],
    lanes: [&'a [u8]; Layout::MAX_LANES],
}

impl<'a> OldRun<'a> {
    fn parse(bytes: &'a [u8], collection: Collection) -> Option<OldRun<'a>> {
        let layout = layout(collection);
        let lanes = layout.lanes.len();
        let (head, mut rest) = bytes.split_at_checked(4 + 4 * lanes)?;
        let (count, lengths) = head.split_first_chunk()?;
        let count = u32::from_le_bytes(*count) as usize;
        let mut take = |length: Option<usize>| {
            let (taken, after) = rest.split_at_checked(length?)?;
            rest = after;
            Some(taken)
        };
        let mut run = OldRun {
            layout,
            keys: take(count.checked_mul(Key::BYTES))?.as_chunks().0,
            ends: take(count.checked_mul(4 * lanes))?.as_chunks().0,
            presence: take(Some(count))?,
            tags: take(count.checked_mul(8 * layout.tags))?.as_chunks().0,
            lanes: [&[]; Layout::MAX_LANES],
        };
        for (lane, length) in run.lanes.iter_mut().zip(lengths.as_chunks().0) {
            *lane = take(Some(u32::from_le_bytes(*length) as usize))?;
        }
        rest.is_empty().then_some(run)
    }

    fn item(&self, index: usize) -> Option<(Key, Item<'a>)> {
        let (high, low) = self.keys.get(index)?.split_first_chunk()?;
        let key = Key(
            u64::from_le_bytes(*high),
            u64::from_le_bytes(*low.first_chunk()?),
        );
        let mut item = Item {
            presence: u16::from(*self.presence.get(index)?),
            ..Item::default()
        };
        let count = self.keys.len();
        for (tag, number) in item.tags.iter_mut().enumerate().take(self.layout.tags) {
            if item.presence >> tag & 1 == 1 {
                *number = u64::from_le_bytes(*self.tags.get(tag * count + index)?);
            }
        }
        let end = |lane: usize, index: usize| {
            let end = self.ends.get(lane * count + index);
            end.map(|end| u32::from_le_bytes(*end) as usize)
        };
        for (lane, separator) in self.layout.lanes.iter().enumerate() {
            let start = match index.checked_sub(1) {
                Some(before) => end(lane, before)?.checked_add(usize::from(separator.is_some()))?,
                None => 0,
            };
            let record = self.lanes.get(lane)?.get(start..end(lane, index)?)?;
            *item.lanes.get_mut(lane)? = record;
        }
        (item.presence >> self.layout.tags == 0).then_some((key, item))
    }
}

impl Write<'_> {
    /// Counts what the tables hold into digests that are not there yet.
    fn begin_digests(&mut self) -> Result<()> {
        let added = &mut self.added;
        read_rows(&self.meta, &[], &mut |key, value| {
            added.replaced(Scope::Meta, key, None, Some(value));
            Ok(())
        })?;
        read_rows(&self.integrators, &[], &mut |key, value| {
            added.replaced(Scope::Integrators, key, None, Some(value));
            Ok(())
        })?;
        read_rows(&self.directories, &[], &mut |key, value| {
            let school = key.first_chunk().ok_or_else(damaged)?;
            let school = Scope::School(u64::from_be_bytes(*school));
            added.replaced(school, key, None, Some(value));
            Ok(())
        })
    }

    /// The first directory behind this key.
    fn directory_row_after(&self, key: &[u8]) -> Result<Option<(Vec<u8>, Vec<u8>)>> {
        let mut rows = self
            .directories
            .range::<&[u8]>((Excluded(key), Unbounded))?;
        let Some(row) = rows.next() else {
            return Ok(None);
        };
        let (key, value) = row?;
        Ok(Some((key.value().to_vec(), value.value().to_vec())))
    }
}
