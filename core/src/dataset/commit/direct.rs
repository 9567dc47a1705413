//! Merges records whose address follows from their key alone.

use super::change_counter::{ChangeCounter, decision};
use super::open_commit::Commit;
use crate::dataset::staging::staging_buffer::{Staged, decode_item};
use crate::dataset::summary::Change;
use crate::error::{Error, Result};
use crate::record::Kind;
use crate::store::{Decision, Edits, Item, ItemBuffer, Key, Partition};

impl Commit<'_, '_> {
    /// Merges the staged records of the current partition.
    pub(super) fn direct(&mut self) -> Result<()> {
        let Some(head) = self.staged.head()? else {
            return Ok(());
        };
        let kind = head.kind;
        let address = kind.storage().address(head.words());
        let (partition, _) = address.ok_or_else(|| Error::corrupt("a staged key is damaged"))?;
        let mut edits = DirectEdits {
            staged: &mut self.staged,
            counter: &mut self.counter,
            kind,
            partition,
            lines: Vec::new(),
        };
        self.write.merge(partition, &mut edits)?;
        for (key, line, put) in edits.lines {
            self.needs
                .record(self.write, kind, &kind.key_of(partition, key), line, put)?;
        }
        Ok(())
    }
}

struct DirectEdits<'a, 't> {
    staged: &'a mut Staged<'t>,
    counter: &'a mut ChangeCounter,
    kind: Kind,
    partition: Partition,
    /// The schools and the records that need one: their lines, and whether they are stored or
    /// removed.
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
            Some(record) => {
                decode_item(record, new)?;
                Change::between(old, Some(new.item()))
            }
            None => Change::between(old, None),
        };
        let (kind, partition) = (self.kind, self.partition);
        self.counter
            .count(kind, change, || kind.key_of(partition, key));
        Ok(decision(change))
    }
}
