//! The rows of the fetch log and of what is stored next to it.

use crate::error::Result;
use crate::store::{
    Collection, Decision, Edits, Item, ItemBuffer, Key, Partition, Reader, Records, Write,
};
use std::collections::BTreeMap;

/// The number of the partition of the head. No coverage kind has the number 0. The names of unknown
/// members and the notes about answers are stored in partitions next to it.
pub(super) const HEAD: u64 = 0;
pub(super) fn fetch_log_partition(school: u64, first: u64, second: u64) -> Partition {
    let collection = Collection::FetchLog;
    Partition {
        school,
        collection,
        first,
        second,
    }
}

pub(crate) fn read(reader: &dyn Reader, partition: Partition) -> Result<BTreeMap<Key, Vec<u8>>> {
    let mut rows = BTreeMap::new();
    let mut records = Records::open(reader, partition)?.all();
    while let Some(record) = records.next()? {
        rows.insert(record.key()?, record.column(0)?.to_vec());
    }
    Ok(rows)
}

pub(crate) fn change(
    write: &mut Write<'_>,
    partition: Partition,
    rows: BTreeMap<Key, Option<Vec<u8>>>,
) -> Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    write.merge(partition, &mut FetchLogChanges(rows))
}

/// Rows to be stored (`Some`) or removed (`None`).
struct FetchLogChanges(BTreeMap<Key, Option<Vec<u8>>>);

impl Edits for FetchLogChanges {
    fn next_key(&mut self) -> Result<Option<Key>> {
        Ok(self.0.first_key_value().map(|(key, _)| *key))
    }

    fn edit(&mut self, _: Option<Item<'_>>, new: &mut ItemBuffer) -> Result<Decision> {
        let Some((_, Some(row))) = self.0.pop_first() else {
            return Ok(Decision::Remove);
        };
        new.clear();
        new.columns[0].extend_from_slice(&row);
        Ok(Decision::Put)
    }
}
