//! Counts of the changes that a dataset made.

use super::idempotency_key::IdempotencyKey;
use crate::error::{Error, Result};
use crate::record::Kind;
use crate::store::{IdempotencyRecord, Write};

/// The numbers of records that a dataset added, changed, removed and left unchanged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Records that did not exist before.
    pub added: u64,
    /// Records that existed before with other values.
    pub changed: u64,
    /// Records that no longer exist.
    pub removed: u64,
    /// Records of the dataset that were already stored with the same values.
    pub unchanged: u64,
}

impl Counts {
    pub(crate) fn is_zero(&self) -> bool {
        *self == Counts::default()
    }
}

/// The outcome of applying a dataset: what changed, kind by kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// The number of lines that were read, including blank ones.
    pub lines: u64,
    /// The number of bytes that were read.
    pub bytes: u64,
    counts: [Counts; Kind::ALL.len()],
}

impl Summary {
    /// Returns the kinds of the records in the dataset, by their names in `type` and in
    /// alphabetical order.
    ///
    /// ```
    /// # fn main() -> rollbook::Result<()> {
    /// let engine = rollbook::Engine::memory(rollbook::Options::default())?;
    /// let line = r#"{"type":"grade","school_id":1,"grade_id":9,"grade":"7"}"#;
    /// let summary = engine.apply(line.as_bytes())?;
    /// let (kind, counts) = summary.kinds().next().unwrap_or_default();
    /// assert_eq!((kind, counts.added), ("grade", 1));
    /// # Ok(())
    /// # }
    /// ```
    pub fn kinds(&self) -> impl Iterator<Item = (&'static str, Counts)> {
        let mut kinds: Vec<_> = Kind::ALL
            .into_iter()
            .map(|kind| (kind.name(), self.get(kind)))
            .filter(|(_, counts)| !counts.is_zero())
            .collect();
        kinds.sort_unstable_by_key(|(name, _)| *name);
        kinds.into_iter()
    }

    /// Returns the counts of all kinds together.
    ///
    /// ```
    /// use rollbook::{Engine, Options};
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// let lines = r#"{"type":"grade","school_id":1,"grade_id":9}
    /// {"type":"gender","id":1,"name":"Male"}"#;
    /// assert_eq!(engine.apply(lines.as_bytes())?.total().added, 2);
    /// assert_eq!(engine.apply(lines.as_bytes())?.total().unchanged, 2);
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    pub fn total(&self) -> Counts {
        self.counts
            .iter()
            .fold(Counts::default(), |sum, one| Counts {
                added: sum.added.saturating_add(one.added),
                changed: sum.changed.saturating_add(one.changed),
                removed: sum.removed.saturating_add(one.removed),
                unchanged: sum.unchanged.saturating_add(one.unchanged),
            })
    }

    pub(crate) fn get(&self, kind: Kind) -> Counts {
        self.counts.get(kind as usize).copied().unwrap_or_default()
    }

    /// Adds the counts of another summary.
    pub(crate) fn add(&mut self, other: &Summary) {
        for (of, more) in self.counts.iter_mut().zip(&other.counts) {
            of.added += more.added;
            of.changed += more.changed;
            of.removed += more.removed;
            of.unchanged += more.unchanged;
        }
    }

    /// Counts one record by its change.
    pub(crate) fn count(&mut self, kind: Kind, change: Change) {
        let Some(counts) = self.counts.get_mut(kind as usize) else {
            return;
        };
        match change {
            Change::Added => counts.added += 1,
            Change::Changed => counts.changed += 1,
            Change::Removed => counts.removed += 1,
            Change::Unchanged => counts.unchanged += 1,
            Change::Absent => {}
        }
    }
}

/// Makes a change, unless a change was made with the same id before. Then it returns the summary of
/// that change.
pub(crate) fn once(
    write: &mut Write<'_>,
    key: Option<&IdempotencyKey>,
    work: impl FnOnce(&mut Write<'_>) -> Result<Summary>,
) -> Result<Summary> {
    let Some(key) = key else {
        return work(write);
    };
    if let Some(summary) = earlier_summary(key, write.idempotency_record(key.id())?)? {
        return Ok(summary);
    }
    let summary = work(write)?;
    let Counts {
        added,
        changed,
        removed,
        ..
    } = summary.total();
    if added + changed + removed > 0 {
        write.put_idempotency_record(key.id(), &key.idempotency_record(summary.encode()))?;
    }
    Ok(summary)
}

/// Returns the summary of the change that was made with the same id before, if there was one.
pub(super) fn earlier_summary(
    key: &IdempotencyKey,
    idempotency_record: Option<IdempotencyRecord>,
) -> Result<Option<Summary>> {
    let Some(outcome) = key.outcome(idempotency_record)? else {
        return Ok(None);
    };
    let summary = Summary::decode(&outcome);
    let summary = summary.ok_or_else(|| Error::corrupt("the summary of a change is truncated"))?;
    Ok(Some(summary))
}

impl Summary {
    /// Encodes the lines and bytes, and then the number and the counts of each kind that has any.
    fn encode(&self) -> Vec<u8> {
        let kinds = (0u64..)
            .zip(&self.counts)
            .filter(|(_, counts)| !counts.is_zero());
        let kinds =
            kinds.flat_map(|(kind, of)| [kind, of.added, of.changed, of.removed, of.unchanged]);
        let numbers = [self.lines, self.bytes].into_iter().chain(kinds);
        numbers.flat_map(u64::to_le_bytes).collect()
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Summary> {
        let (numbers, []) = bytes.as_chunks::<8>() else {
            return None;
        };
        let numbers: Vec<u64> = numbers.iter().map(|n| u64::from_le_bytes(*n)).collect();
        let ([lines, bytes], kinds) = numbers.split_first_chunk()?;
        let mut summary = Summary {
            lines: *lines,
            bytes: *bytes,
            ..Summary::default()
        };
        let (kinds, []) = kinds.as_chunks::<5>() else {
            return None;
        };
        for [kind, added, changed, removed, unchanged] in kinds {
            let kind = usize::try_from(*kind).ok()?;
            *summary.counts.get_mut(kind)? = Counts {
                added: *added,
                changed: *changed,
                removed: *removed,
                unchanged: *unchanged,
            };
        }
        Some(summary)
    }
}

/// The change of one record that a dataset contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    Added,
    Changed,
    Removed,
    Unchanged,
    /// The record did not exist before and does not exist now.
    Absent,
}

impl Change {
    /// Returns the change between two values of a record.
    pub(crate) fn between<T: PartialEq>(before: Option<T>, after: Option<T>) -> Change {
        match (before, after) {
            (None, None) => Change::Absent,
            (None, Some(_)) => Change::Added,
            (Some(_), None) => Change::Removed,
            (Some(before), Some(after)) if before == after => Change::Unchanged,
            (Some(_), Some(_)) => Change::Changed,
        }
    }

    /// Returns whether the record is unchanged.
    pub(crate) fn is_none(self) -> bool {
        matches!(self, Change::Unchanged | Change::Absent)
    }
}
