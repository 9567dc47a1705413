//! What a dataset changed.

use super::idempotency_key::IdempotencyKey;
use crate::error::{Error, Result};
use crate::record::Kind;
use crate::store::{Receipt, Write};

/// How many records a dataset added, changed, removed and left as they were.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Records that were not there before.
    pub added: u64,
    /// Records that are other than before.
    pub changed: u64,
    /// Records that are gone.
    pub removed: u64,
    /// Records that the dataset gave as they were.
    pub unchanged: u64,
}

impl Counts {
    pub(crate) fn is_zero(&self) -> bool {
        *self == Counts::default()
    }
}

/// What applying a dataset came to, kind by kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// How many lines were read, blank ones included.
    pub lines: u64,
    /// How many bytes were read.
    pub bytes: u64,
    counts: [Counts; Kind::ALL.len()],
}

impl Summary {
    /// The kinds that the dataset had records of, by the name that their
    /// `type` bears, in alphabetical order.
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
            .map(|kind| (kind.name(), self.of(kind)))
            .filter(|(_, counts)| !counts.is_zero())
            .collect();
        kinds.sort_unstable_by_key(|(name, _)| *name);
        kinds.into_iter()
    }

    /// All kinds together.
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

    pub(crate) fn of(&self, kind: Kind) -> Counts {
        self.counts.get(kind as usize).copied().unwrap_or_default()
    }

    /// Counts what another came to, too.
    #[cfg(feature = "sync")]
    pub(crate) fn add(&mut self, other: &Summary) {
        for (of, more) in self.counts.iter_mut().zip(&other.counts) {
            of.added += more.added;
            of.changed += more.changed;
            of.removed += more.removed;
            of.unchanged += more.unchanged;
        }
    }

    /// Counts one record by whether it was and is there, and differs.
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

/// Makes a change, unless it was made under its id before.
pub(crate) fn once(
    write: &mut Write<'_>,
    key: Option<&IdempotencyKey>,
    work: impl FnOnce(&mut Write<'_>) -> Result<Summary>,
) -> Result<Summary> {
    let Some(key) = key else {
        return work(write);
    };
    if let Some(summary) = kept(key, write.receipt(key.id())?)? {
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
        write.keep_receipt(key.id(), &key.receipt(summary.encode()))?;
    }
    Ok(summary)
}

/// What a change came to that was made under its id before.
pub(super) fn kept(key: &IdempotencyKey, receipt: Option<Receipt>) -> Result<Option<Summary>> {
    let Some(outcome) = key.outcome(receipt)? else {
        return Ok(None);
    };
    let summary = Summary::decode(&outcome);
    let summary = summary.ok_or_else(|| Error::corrupt("what a change came to is cut"))?;
    Ok(Some(summary))
}

impl Summary {
    /// Lines and bytes, then of each kind that counts its number and counts.
    fn encode(&self) -> Vec<u8> {
        let kinds = (0u64..)
            .zip(&self.counts)
            .filter(|(_, counts)| !counts.is_zero());
        let kinds =
            kinds.flat_map(|(kind, of)| [kind, of.added, of.changed, of.removed, of.unchanged]);
        let numbers = [self.lines, self.bytes].into_iter().chain(kinds);
        numbers.flat_map(u64::to_le_bytes).collect()
    }

    fn decode(bytes: &[u8]) -> Option<Summary> {
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

/// What became of one record that a dataset names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    Added,
    Changed,
    Removed,
    Unchanged,
    /// It was not there, and is not.
    Absent,
}

impl Change {
    /// From what was there to what is.
    pub(crate) fn of<T: PartialEq>(before: Option<T>, after: Option<T>) -> Change {
        match (before, after) {
            (None, None) => Change::Absent,
            (None, Some(_)) => Change::Added,
            (Some(_), None) => Change::Removed,
            (Some(before), Some(after)) if before == after => Change::Unchanged,
            (Some(_), Some(_)) => Change::Changed,
        }
    }

    /// Whether all is as it was.
    pub(crate) fn is_none(self) -> bool {
        matches!(self, Change::Unchanged | Change::Absent)
    }
}
