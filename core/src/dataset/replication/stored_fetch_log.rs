//! The fetch log: the state of a sync in the store. Each answer is stored together with its fetched
//! records in one transaction, so that an interrupted pass continues with the remaining requests.
//! The outcome of each answer remains stored, so that the next pass recognises unchanged answers.

use super::fetch_log_rows::{HEAD, change, fetch_log_partition, read};
use super::stored_notes;
use crate::dataset::keys::partitions_of;
use crate::error::{Error, Result};
use crate::record::replication::answer_notes::AnswerNotes;
use crate::record::replication::coverage_key::{CoverageKey, CoverageKind};
use crate::record::replication::enrolment_digest::EnrolmentDigests;
use crate::record::replication::fetch_log_entry::{Due, FetchLogEntry, FetchState, PassHead};
use crate::store::{Collection, Decision, Edits, Item, ItemBuffer, Key, Partition, Reader, Write};
use std::collections::{BTreeMap, BTreeSet};
use twox_hash::XxHash3_64;

/// The size of the pieces in which fetched records are stored, in bytes.
const PIECE_BYTES: usize = 60_000;

/// The maximum number of pieces that are written in one merge.
const AT_ONCE: usize = 16;

/// The number of consecutive ids of learners or grades that share a partition. Adding a row
/// rewrites the block that contains it.
const TOGETHER: u64 = 64;

/// The number of the partition of the names of unknown members, next to the head.
const UNKNOWN: u64 = 1;

/// The maximum number of names of unknown members that are stored.
const MAX_UNKNOWN_OF_CYCLE: usize = 1_024;

pub(crate) type FetchLog = BTreeMap<CoverageKey, FetchLogEntry>;

/// Returns the partition and the key of the outcome of an answer.
fn row_at(school: u64, coverage_key: CoverageKey) -> (Partition, Key) {
    let Key(id, _) = coverage_key.key;
    let partition = fetch_log_partition(school, coverage_key.kind as u64, id / TOGETHER);
    (partition, Key(id, coverage_key.year))
}

/// Returns the partition of the fetched records of an answer. Only answers that differ just in
/// their year share one.
fn fetched_records_partition(school: u64, coverage_key: CoverageKey) -> Partition {
    let Key(id, _) = coverage_key.key;
    let collection = Collection::FetchedRecords;
    Partition {
        school,
        collection,
        first: coverage_key.kind as u64,
        second: id,
    }
}

/// Returns the head: the state of the current pass, or of the last one.
pub(crate) fn head(reader: &dyn Reader, school: u64) -> Result<Option<PassHead>> {
    let rows = read(reader, fetch_log_partition(school, HEAD, 0))?;
    rows.values()
        .next()
        .map(|row| PassHead::decode(row))
        .transpose()
}

pub(crate) fn set_head(write: &mut Write<'_>, school: u64, head: &PassHead) -> Result<()> {
    let mut row = Vec::new();
    head.encode(&mut row);
    let rows = [(Key::one(0), Some(row))];
    change(write, fetch_log_partition(school, HEAD, 0), rows.into())
}

/// Returns the unknown members that occurred in the answers of the pass.
pub(crate) fn unknown(reader: &dyn Reader, school: u64) -> Result<BTreeSet<String>> {
    let rows = read(reader, fetch_log_partition(school, HEAD, UNKNOWN))?;
    let names = rows.into_values().map(String::from_utf8);
    names
        .map(|name| name.map_err(|_| Error::corrupt("the name of a member is no text")))
        .collect()
}

/// Adds names of unknown members. Names above the maximum number are discarded.
pub(crate) fn add_unknown(write: &mut Write<'_>, school: u64, names: &[String]) -> Result<()> {
    if names.is_empty() {
        return Ok(());
    }
    let partition = fetch_log_partition(school, HEAD, UNKNOWN);
    let count = read(write, partition)?.len();
    let free = MAX_UNKNOWN_OF_CYCLE.saturating_sub(count);
    let rows = names.iter().take(free).map(|name| {
        let key = Key::one(XxHash3_64::oneshot(name.as_bytes()));
        (key, Some(name.clone().into_bytes()))
    });
    let rows = rows.collect();
    change(write, partition, rows)
}

pub(crate) fn remove_unknown(write: &mut Write<'_>, school: u64) -> Result<()> {
    let partition = fetch_log_partition(school, HEAD, UNKNOWN);
    let rows = read(write, partition)?.into_keys();
    let rows = rows.map(|key| (key, None)).collect();
    change(write, partition, rows)
}

/// Stores the outcome of an answer and its fetched records, in place of those stored before for the
/// same coverage key.
pub(crate) fn put(
    write: &mut Write<'_>,
    school: u64,
    coverage_key: CoverageKey,
    row: &FetchLogEntry,
    fetched_records: &[u8],
) -> Result<()> {
    set(write, school, coverage_key, row)?;
    let partition = fetched_records_partition(school, coverage_key);
    let removals = removals_of(write, partition, coverage_key)?;
    change(write, partition, removals)?;
    // A few pieces are written at a time, because a merge needs a second copy of them in memory.
    let mut pieces = (0..).zip(fetched_records.chunks(PIECE_BYTES));
    loop {
        let few = pieces.by_ref().take(AT_ONCE);
        let few = few.map(|(number, piece)| (Key(coverage_key.year, number), Some(piece.to_vec())));
        let few = few.collect::<BTreeMap<_, _>>();
        if few.is_empty() {
            return Ok(());
        }
        change(write, partition, few)?;
    }
}

/// Stores the outcome of an answer. Its fetched records remain unchanged.
pub(crate) fn set(
    write: &mut Write<'_>,
    school: u64,
    coverage_key: CoverageKey,
    row: &FetchLogEntry,
) -> Result<()> {
    let (partition, key) = row_at(school, coverage_key);
    let mut bytes = Vec::new();
    row.encode(&mut bytes);
    change(write, partition, [(key, Some(bytes))].into())
}

/// Marks these answers as due, so that they are requested in the next pass, or later in this
/// one.
pub(crate) fn set_due(write: &mut Write<'_>, school: u64, due: &[CoverageKey]) -> Result<()> {
    if due.is_empty() {
        return Ok(());
    }
    let rows = rows(write, school)?;
    for coverage_key in due {
        let row = rows.get(coverage_key).unwrap_or(&FetchLogEntry::UNFETCHED);
        let due = Due::Changed;
        set(write, school, *coverage_key, &FetchLogEntry { due, ..*row })?;
    }
    Ok(())
}

/// Removes the outcome, the fetched records and the notes of an answer, so that it is requested
/// again.
pub(crate) fn remove(write: &mut Write<'_>, school: u64, coverage_key: CoverageKey) -> Result<()> {
    stored_notes::set_notes(write, school, coverage_key, &AnswerNotes::default())?;
    let (partition, key) = row_at(school, coverage_key);
    change(write, partition, [(key, None)].into())?;
    let partition = fetched_records_partition(school, coverage_key);
    let removals = removals_of(write, partition, coverage_key)?;
    change(write, partition, removals)
}

/// Returns the outcomes of all answers.
pub(crate) fn rows(reader: &dyn Reader, school: u64) -> Result<FetchLog> {
    let mut rows = FetchLog::new();
    for partition in partitions_of(reader, school)? {
        if partition.collection != Collection::FetchLog || partition.first == HEAD {
            continue;
        }
        let kind = CoverageKind::numbered(partition.first)?;
        for (Key(id, year), row) in read(reader, partition)? {
            rows.insert(
                CoverageKey::of_id(kind, year, id),
                FetchLogEntry::decode(&row)?,
            );
        }
    }
    Ok(rows)
}

/// Returns the fetched records of an answer.
pub(crate) fn fetched_records(
    reader: &dyn Reader,
    school: u64,
    coverage_key: CoverageKey,
) -> Result<Vec<u8>> {
    let pieces = read(reader, fetched_records_partition(school, coverage_key))?.into_iter();
    let of_key = pieces.filter(|(key, _)| key.0 == coverage_key.year);
    Ok(of_key.flat_map(|(_, piece)| piece).collect())
}

/// Removes the answers that were fetched and neither published nor quarantined, so that they are
/// requested again.
pub(crate) fn remove_fetched(write: &mut Write<'_>, school: u64) -> Result<()> {
    for (coverage_key, row) in rows(write, school)? {
        if row.state == FetchState::Fetched {
            remove(write, school, coverage_key)?;
        }
    }
    Ok(())
}

/// Removes the answers about a learner, and all answers that were not published, because they may
/// contain the learner. Also removes the learner from the stored enrolment digests.
pub(crate) fn erase_learner(write: &mut Write<'_>, school: u64, learner: u64) -> Result<()> {
    let Some(head) = head(write, school)? else {
        return Ok(());
    };
    stored_notes::erase_learner(write, school, learner)?;
    for (coverage_key, row) in rows(write, school)? {
        let is_of_learner =
            coverage_key.kind.is_of_learner() && coverage_key.key == Key::one(learner);
        if is_of_learner
            || !matches!(
                row.state,
                FetchState::Published | FetchState::IndicationOnly
            )
        {
            remove(write, school, coverage_key)?;
        } else if coverage_key.kind == CoverageKind::LearnerSubjects {
            let stored = fetched_records(write, school, coverage_key)?;
            let enrolment_digests = EnrolmentDigests::read(&stored)?;
            let bytes = enrolment_digests.bytes_without(|other| other == learner);
            put(write, school, coverage_key, &row, &bytes)?;
        }
    }
    let erasures = head.erasures + 1;
    set_head(write, school, &PassHead { erasures, ..head })
}

/// Returns whether a sync of the school was begun.
pub(crate) fn is_begun(reader: &dyn Reader, school: u64) -> Result<bool> {
    let of_school = partitions_of(reader, school)?;
    Ok(of_school
        .iter()
        .any(|partition| partition.collection == Collection::FetchLog))
}

/// Removes the fetch log, the fetched records and the outbox of a school.
pub(crate) fn remove_log(write: &mut Write<'_>, school: u64) -> Result<()> {
    remove_answers(write, school)?;
    remove_collections(write, school, &[Collection::Outbox])
}

/// Removes the fetch log and the fetched records of a school.
pub(crate) fn remove_answers(write: &mut Write<'_>, school: u64) -> Result<()> {
    remove_collections(
        write,
        school,
        &[Collection::FetchLog, Collection::FetchedRecords],
    )
}

/// Removes all rows of these collections of a school.
pub(crate) fn remove_collections(
    write: &mut Write<'_>,
    school: u64,
    collections: &[Collection],
) -> Result<()> {
    for partition in partitions_of(write, school)? {
        if collections.contains(&partition.collection) {
            let mut keys = write.records(partition)?.keys(Key::MIN, Key::MAX)?;
            keys.reverse();
            write.merge(partition, &mut RowRemovals(keys))?;
        }
    }
    Ok(())
}

/// Returns the removals of all pieces of the fetched records of an answer.
fn removals_of(
    write: &Write<'_>,
    partition: Partition,
    coverage_key: CoverageKey,
) -> Result<BTreeMap<Key, Option<Vec<u8>>>> {
    let keys = read(write, partition)?.into_keys();
    let of_key = keys.filter(|key| key.0 == coverage_key.year);
    Ok(of_key.map(|key| (key, None)).collect())
}

/// The keys of rows to be removed, in descending order.
struct RowRemovals(Vec<Key>);

impl Edits for RowRemovals {
    fn next_key(&mut self) -> Result<Option<Key>> {
        Ok(self.0.last().copied())
    }

    fn edit(&mut self, _: Option<Item<'_>>, _: &mut ItemBuffer) -> Result<Decision> {
        self.0.pop();
        Ok(Decision::Remove)
    }
}
