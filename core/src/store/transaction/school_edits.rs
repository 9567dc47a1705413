//! Edits of a partition. The records of all schools are in one partition, but a value that depends
//! on one of them does not depend on the others. Therefore edits of this partition also record
//! which schools they change.

use crate::error::Result;
use crate::store::blocks::collection::Collection;
use crate::store::blocks::item::{Item, ItemBuffer};
use crate::store::blocks::partition::{Key, Partition};
use crate::store::transaction::block_merge::{Decision, Edits};
use crate::store::transaction::write::Write;

impl Write<'_> {
    /// Applies the edits to a partition. Blocks without a change are not written.
    pub(crate) fn merge(&mut self, partition: Partition, edits: &mut dyn Edits) -> Result<()> {
        if partition.collection != Collection::Schools {
            return self.merge_into(partition, edits);
        }
        let mut edits = SchoolEdits {
            edits,
            changed: Vec::new(),
        };
        self.merge_into(partition, &mut edits)?;
        for school in edits.changed {
            self.changes.school(school);
        }
        Ok(())
    }
}

/// Edits of the records of schools.
struct SchoolEdits<'a> {
    edits: &'a mut dyn Edits,
    /// The schools whose record was changed.
    changed: Vec<u64>,
}

impl Edits for SchoolEdits<'_> {
    fn next_key(&mut self) -> Result<Option<Key>> {
        self.edits.next_key()
    }

    fn edit(&mut self, old: Option<Item<'_>>, new: &mut ItemBuffer) -> Result<Decision> {
        let key = self.edits.next_key()?;
        let decision = self.edits.edit(old, new)?;
        if decision != Decision::Unchanged {
            self.changed.extend(key.map(|key| key.0));
        }
        Ok(decision)
    }
}
