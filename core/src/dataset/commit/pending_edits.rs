//! Pending edits, which are sorted by the address of their record.

use crate::dataset::staging::ordered_numbers;
use crate::dataset::staging::staging_buffer::{decode_item, encode_item};
use crate::error::{Error, Failure, Result};
use crate::store::{
    Collection, Decision, Edits, Item, ItemBuffer, Key, Partition, Sorted, Sorter, Write,
};

/// Edits by partition and key. Edits of one record remain in the order in which they were made.
pub(super) struct Deferred {
    sorter: Sorter,
    name: &'static str,
    /// The number of bytes in memory above which [`is_full`](Deferred::is_full) returns true.
    limit: usize,
    key: Vec<u8>,
}

const REMOVE: u8 = 0;
const PUT: u8 = 1;

impl Deferred {
    pub(super) fn new(name: &'static str, limit: usize) -> Deferred {
        Deferred {
            sorter: Sorter::default(),
            name,
            limit,
            key: Vec::new(),
        }
    }

    /// Adds an edit in memory. Callers limit the memory by means of [`is_full`](Self::is_full).
    pub(super) fn push(&mut self, partition: Partition, key: Key, edit: &[u8]) -> Result<()> {
        self.set_key(partition, key);
        self.sorter.push(&self.key, edit)
    }

    /// Adds an edit that is applied before all edits added with [`push`](Self::push).
    pub(super) fn push_first(&mut self, partition: Partition, key: Key, edit: &[u8]) -> Result<()> {
        self.set_key(partition, key);
        self.sorter.push_first(&self.key, edit)
    }

    fn set_key(&mut self, partition: Partition, key: Key) {
        self.key.clear();
        ordered_numbers::push(&mut self.key, partition.school);
        self.key.push(partition.collection as u8);
        for number in [partition.first, partition.second, key.0, key.1] {
            ordered_numbers::push(&mut self.key, number);
        }
    }

    /// Adds an edit that stores an item as the record.
    pub(super) fn put(&mut self, partition: Partition, key: Key, item: &Item<'_>) -> Result<()> {
        let mut edit = vec![PUT];
        encode_item(&mut edit, item);
        self.push(partition, key, &edit)
    }

    /// Adds an edit that removes the record.
    pub(super) fn remove(&mut self, partition: Partition, key: Key) -> Result<()> {
        self.push(partition, key, &[REMOVE])
    }

    /// Returns whether [`spill`](Self::spill) should be called.
    pub(super) fn is_full(&self) -> bool {
        self.sorter.bytes() > self.limit
    }

    /// Moves the edits to the store if they use too much memory.
    pub(super) fn spill(&mut self, write: &mut Write<'_>) -> Result<()> {
        if self.is_full() {
            write.spill(&mut self.sorter, self.name)?;
        }
        Ok(())
    }

    /// Removes all edits and returns them in order.
    pub(super) fn sorted<'t>(&mut self, write: &mut Write<'t>) -> Result<InOrder<'t>> {
        let sorter = std::mem::take(&mut self.sorter);
        Ok(InOrder {
            sorted: write.sorted(sorter)?,
            address: None,
            is_decoded: false,
        })
    }
}

/// Edits in the order of their addresses.
pub(super) struct InOrder<'t> {
    sorted: Sorted<'t>,
    address: Option<(Partition, Key)>,
    /// Whether `address` is that of the current edit.
    is_decoded: bool,
}

impl InOrder<'_> {
    /// Returns the address of the next edit.
    pub(super) fn address(&mut self) -> Result<Option<(Partition, Key)>> {
        if !self.is_decoded {
            self.address = match self.sorted.current()? {
                Some((key, _)) => Some(decode(key)?),
                None => None,
            };
            self.is_decoded = true;
        }
        Ok(self.address)
    }

    /// Returns the key of the next edit, if the edit belongs to this partition.
    pub(super) fn key_in(&mut self, partition: Partition) -> Result<Option<Key>> {
        Ok(self
            .address()?
            .filter(|address| address.0 == partition)
            .map(|address| address.1))
    }

    /// Passes all edits of the next record to `each`, in order.
    pub(super) fn each(&mut self, mut each: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let address = self.address()?;
        while self.address()? == address && address.is_some() {
            if let Some((_, edit)) = self.sorted.current()? {
                each(edit)?;
            }
            self.sorted.advance();
            self.is_decoded = false;
        }
        Ok(())
    }
}

fn decode(mut key: &[u8]) -> Result<(Partition, Key)> {
    let school = ordered_numbers::take(&mut key)?;
    let (collection, rest) = key.split_first().ok_or_else(damaged)?;
    key = rest;
    let collection = Collection::ALL
        .into_iter()
        .find(|c| *c as u8 == *collection);
    let partition = Partition {
        school,
        collection: collection.ok_or_else(damaged)?,
        first: ordered_numbers::take(&mut key)?,
        second: ordered_numbers::take(&mut key)?,
    };
    Ok((
        partition,
        Key(
            ordered_numbers::take(&mut key)?,
            ordered_numbers::take(&mut key)?,
        ),
    ))
}

fn damaged() -> Failure {
    Error::corrupt("a deferred edit is damaged")
}

/// Applies the edits of one partition. The last edit of a record takes effect.
pub(super) struct PlainEdits<'a, 't> {
    pub(super) edits: &'a mut InOrder<'t>,
    pub(super) partition: Partition,
}

impl Edits for PlainEdits<'_, '_> {
    fn next_key(&mut self) -> Result<Option<Key>> {
        self.edits.key_in(self.partition)
    }

    fn edit(&mut self, old: Option<Item<'_>>, new: &mut ItemBuffer) -> Result<Decision> {
        let mut decision = Decision::Unchanged;
        self.edits.each(|edit| {
            decision = match edit.split_first() {
                Some((&PUT, item)) => {
                    decode_item(item, new)?;
                    Decision::Put
                }
                Some((&REMOVE, _)) => Decision::Remove,
                _ => return Err(damaged()),
            };
            Ok(())
        })?;
        Ok(match decision {
            Decision::Put if old == Some(new.item()) => Decision::Unchanged,
            other => other,
        })
    }
}
