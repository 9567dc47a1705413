//! Small records of a school, decoded: as many of a kind as memory may take. The
//! others are read whenever they are asked for.

use crate::error::Result;
use crate::json::{self, Wire};
use crate::record::{Kind, Value, bake};
use crate::store::{Collection, Key, Partition, PinnedRun, Reader, Snapshot};
use std::borrow::Cow;

/// What answers need of a small record.
pub(super) trait Decoded: Clone {
    const KIND: Kind;
    const COLLECTION: Collection;
    /// How many bytes of them are held.
    const MOST_BYTES: usize;

    fn of(wire: Wire, key: Key, values: &[Value<'_>]) -> Self;

    /// What it costs in memory beside itself.
    fn bytes(&self) -> usize;
}

/// The first records of a collection, by key.
pub(super) struct Held<T> {
    partition: Partition,
    wire: Wire,
    by_key: Vec<(Key, T)>,
    bytes: usize,
    has_all: bool,
}

impl<T: Decoded> Held<T> {
    pub(super) fn read(snapshot: &Snapshot, school: u64, wire: Wire) -> Result<Held<T>> {
        let mut held: Held<T> = Held {
            partition: Partition::of(school, T::COLLECTION),
            wire,
            by_key: Vec::new(),
            bytes: 0,
            has_all: true,
        };
        for pinned in snapshot.records(held.partition)?.all() {
            let (pinned, indices) = pinned?;
            for index in indices {
                let (key, thing) = held.decode(&pinned, index)?;
                held.bytes += size_of::<(Key, T)>() + thing.bytes();
                if held.bytes > T::MOST_BYTES {
                    held.has_all = false;
                    return Ok(held);
                }
                held.by_key.push((key, thing));
            }
        }
        Ok(held)
    }

    /// What they cost in memory.
    pub(super) fn bytes(&self) -> usize {
        let room = self.by_key.capacity() - self.by_key.len();
        self.bytes + room * size_of::<(Key, T)>()
    }

    /// Those that are held, ascending.
    pub(super) fn by_key(&self) -> &[(Key, T)] {
        &self.by_key
    }

    /// One that is held.
    pub(super) fn get(&self, key: Key) -> Option<&T> {
        let index = self.by_key.binary_search_by_key(&key, |(key, _)| *key);
        self.by_key.get(index.ok()?).map(|(_, thing)| thing)
    }

    /// One that is held or has to be read.
    pub(super) fn find(&self, snapshot: &Snapshot, key: Key) -> Result<Option<Cow<'_, T>>> {
        match self.get(key) {
            Some(thing) => Ok(Some(Cow::Borrowed(thing))),
            None => Ok(self.read_other(snapshot, key)?.map(Cow::Owned)),
        }
    }

    /// One that is not held.
    #[cold]
    pub(super) fn read_other(&self, snapshot: &Snapshot, key: Key) -> Result<Option<T>> {
        if self.has_all {
            return Ok(None);
        }
        match snapshot.records(self.partition)?.get(key)? {
            Some((pinned, index)) => Ok(Some(self.decode(&pinned, index)?.1)),
            None => Ok(None),
        }
    }

    fn decode(&self, pinned: &PinnedRun<'_>, index: usize) -> Result<(Key, T)> {
        let run = pinned.run()?;
        let key = run.key(index)?;
        let values = T::KIND.key_of(self.partition, key);
        let values = bake::values(T::KIND, &values, &run.item(index)?)?;
        Ok((key, T::of(self.wire, key, &values)))
    }
}

/// The text of a field.
pub(super) fn text<'a>(values: &'a [Value<'_>], index: usize) -> &'a str {
    values.get(index).map_or("", Value::text)
}

/// The inside of a JSON string.
pub(super) fn escaped(text: &str) -> Vec<u8> {
    let mut escaped = Vec::with_capacity(text.len());
    json::push_escaped(&mut escaped, text);
    escaped
}
