//! The notes about the answers of a sync, next to the fetch log: which values could not be used, and
//! why an answer could not be used.

use super::fetch_log_rows::{HEAD, change, fetch_log_partition, read};
use crate::dataset::keys::partitions_of;
use crate::error::Result;
use crate::record::replication::answer_notes::AnswerNotes;
use crate::record::replication::coverage_key::{CoverageKey, CoverageKind};
use crate::store::{Collection, Key, Partition, Reader, Write};
use std::collections::BTreeMap;

/// The number of the first partition of notes, next to the head of the fetch log. Each coverage kind
/// has a partition of its own.
const NOTES: u64 = 2;

pub(crate) type NotesByAnswer = BTreeMap<CoverageKey, AnswerNotes>;

fn notes_partition(school: u64, coverage_key: CoverageKey) -> (Partition, Key) {
    let Key(id, _) = coverage_key.key;
    let partition = fetch_log_partition(school, HEAD, NOTES + coverage_key.kind as u64);
    (partition, Key(id, coverage_key.year))
}

/// Returns the notes about all answers.
pub(crate) fn notes(reader: &dyn Reader, school: u64) -> Result<NotesByAnswer> {
    let mut notes = NotesByAnswer::new();
    for partition in partitions_of(reader, school)? {
        let is_of_notes = partition.collection == Collection::FetchLog
            && partition.first == HEAD
            && partition.second >= NOTES;
        if !is_of_notes {
            continue;
        }
        let kind = CoverageKind::numbered(partition.second - NOTES)?;
        for (Key(id, year), bytes) in read(reader, partition)? {
            let coverage_key = CoverageKey::of_id(kind, year, id);
            notes.insert(coverage_key, AnswerNotes::decode(&bytes)?);
        }
    }
    Ok(notes)
}

/// Stores the notes about an answer in place of those before.
pub(crate) fn set_notes(
    write: &mut Write<'_>,
    school: u64,
    coverage_key: CoverageKey,
    notes: &AnswerNotes,
) -> Result<()> {
    let (partition, key) = notes_partition(school, coverage_key);
    if notes.is_empty() && write.records(partition)?.get(key)?.is_none() {
        return Ok(());
    }
    let row = Some(notes.encode()).filter(|_| !notes.is_empty());
    change(write, partition, [(key, row)].into())
}

/// Removes the keys that contain an erased learner from all notes.
pub(crate) fn erase_learner(write: &mut Write<'_>, school: u64, learner: u64) -> Result<()> {
    for (coverage_key, mut of_answer) in notes(write, school)? {
        of_answer.leave_out(|other| other == learner);
        set_notes(write, school, coverage_key, &of_answer)?;
    }
    Ok(())
}
