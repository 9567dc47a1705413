//! Records whose key alone decides where they lie.

use super::Commit;
use super::tally::Tally;
use crate::dataset::staged::{Staged, decode_item};
use crate::dataset::summary::Change;
use crate::error::{Error, Result};
use crate::record::Kind;
use crate::store::{Decision, Edits, Item, ItemBuffer, Key, Partition};

impl Commit<'_, '_> {
    /// Merges the records of the partition at hand.
    pub(super) fn direct(&mut self) -> Result<()> {
        let Some(head) = self.staged.head()? else {
            return Ok(());
        };
        let kind = head.kind;
        let address = kind.storage().address(head.words());
        let (partition, _) = address.ok_or_else(|| Error::corrupt("a staged key is damaged"))?;
        let mut edits = DirectEdits {
            staged: &mut self.staged,
            tally: &mut self.tally,
            kind,
            partition,
            lines: Vec::new(),
        };
        self.write.merge(partition, &mut edits)?;
        for (key, line, put) in edits.lines {
            self.needs
                .note(self.write, kind, &kind.key_of(partition, key), line, put)?;
        }
        Ok(())
    }
}

struct DirectEdits<'a, 't> {
    staged: &'a mut Staged<'t>,
    tally: &'a mut Tally,
    kind: Kind,
    partition: Partition,
    /// The records that others need or that need others: their lines, and
    /// whether they come.
    lines: Vec<(Key, u64, bool)>,
}

impl Edits for DirectEdits<'_, '_> {
    fn next_key(&mut self) -> Result<Option<Key>> {
        let head = self.staged.head()?.filter(|head| head.kind == self.kind);
        let address = head.and_then(|head| self.kind.storage().address(head.words()));
        Ok(address
            .filter(|address| address.0 == self.partition)
            .map(|address| address.1))
    }

    fn edit(&mut self, old: Option<Item<'_>>, new: &mut ItemBuffer) -> Result<Decision> {
        let key = self.next_key()?.unwrap_or(Key::MIN);
        let entry = self.staged.take()?;
        if self.kind.is_checked_at_end() {
            self.lines.push((key, entry.line, entry.put.is_some()));
        }
        let change = match entry.put {
            Some(kept) => {
                decode_item(kept, new)?;
                Change::of(old, Some(new.item()))
            }
            None => Change::of(old, None),
        };
        let (kind, partition) = (self.kind, self.partition);
        self.tally
            .count(kind, change, || kind.key_of(partition, key));
        Ok(decision(change))
    }
}

/// What a record's change means for the run that holds it.
pub(super) fn decision(change: Change) -> Decision {
    match change {
        Change::Added | Change::Changed => Decision::Put,
        Change::Removed => Decision::Remove,
        Change::Unchanged | Change::Absent => Decision::Keep,
    }
}
