//! A bounded cache of decoded small records of a school. Records beyond the limit are read when
//! they are needed.

use crate::error::Result;
use crate::json::{self, ApiVersion};
use crate::record::stored::pre_render;
use crate::record::{Kind, Value};
use crate::store::{Collection, Key, Partition, PinnedRecord, Reader, Snapshot};
use std::borrow::Cow;

/// The decoded form of a small record, as answers need it.
pub(crate) trait Decoded: Clone {
    const KIND: Kind;
    const COLLECTION: Collection;
    /// The limit in bytes for the cached records.
    const MAX_BYTES: usize;

    fn from_values(version: ApiVersion, key: Key, values: &[Value<'_>]) -> Self;

    /// Returns the memory that the value uses in addition to its own size.
    fn bytes(&self) -> usize;
}

/// The first records of a collection in the order of their keys, up to the limit.
pub(crate) struct BoundedTable<T> {
    partition: Partition,
    version: ApiVersion,
    by_key: Vec<(Key, T)>,
    bytes: usize,
    has_all: bool,
}

impl<T: Decoded> BoundedTable<T> {
    pub(crate) fn read(
        snapshot: &Snapshot,
        school: u64,
        version: ApiVersion,
    ) -> Result<BoundedTable<T>> {
        let mut table: BoundedTable<T> = BoundedTable {
            partition: Partition::new(school, T::COLLECTION),
            version,
            by_key: Vec::new(),
            bytes: 0,
            has_all: true,
        };
        let mut records = snapshot.records(table.partition)?.all();
        while let Some(record) = records.next()? {
            let (key, thing) = table.decode(record)?;
            table.bytes += size_of::<(Key, T)>() + thing.bytes();
            if table.bytes > T::MAX_BYTES {
                table.has_all = false;
                return Ok(table);
            }
            table.by_key.push((key, thing));
        }
        Ok(table)
    }

    /// Returns the memory that the records use.
    pub(crate) fn bytes(&self) -> usize {
        let spare = self.by_key.capacity() - self.by_key.len();
        self.bytes + spare * size_of::<(Key, T)>()
    }

    /// Returns the cached records in ascending order of their keys.
    pub(crate) fn by_key(&self) -> &[(Key, T)] {
        &self.by_key
    }

    /// Returns a cached record.
    pub(crate) fn get(&self, key: Key) -> Option<&T> {
        let index = self.by_key.binary_search_by_key(&key, |(key, _)| *key);
        self.by_key.get(index.ok()?).map(|(_, thing)| thing)
    }

    /// Returns a record from the cache, or reads it.
    pub(crate) fn find(&self, snapshot: &Snapshot, key: Key) -> Result<Option<Cow<'_, T>>> {
        match self.get(key) {
            Some(thing) => Ok(Some(Cow::Borrowed(thing))),
            None => Ok(self.read_other(snapshot, key)?.map(Cow::Owned)),
        }
    }

    /// Reads a record that is not cached.
    #[cold]
    pub(crate) fn read_other(&self, snapshot: &Snapshot, key: Key) -> Result<Option<T>> {
        if self.has_all {
            return Ok(None);
        }
        match snapshot.records(self.partition)?.get(key)? {
            Some(record) => Ok(Some(self.decode(&record)?.1)),
            None => Ok(None),
        }
    }

    fn decode(&self, record: &PinnedRecord<'_>) -> Result<(Key, T)> {
        let key = record.key()?;
        let values = T::KIND.key_of(self.partition, key);
        let values = pre_render::values(T::KIND, &values, &record.item()?)?;
        Ok((key, T::from_values(self.version, key, &values)))
    }
}

/// Returns the text of a field.
pub(crate) fn text<'a>(values: &'a [Value<'_>], index: usize) -> &'a str {
    values.get(index).map_or("", Value::text)
}

/// Returns the content of a JSON string, without the quotes.
pub(crate) fn escaped(text: &str) -> Vec<u8> {
    let mut escaped = Vec::with_capacity(text.len());
    json::push_escaped(&mut escaped, text);
    escaped
}
