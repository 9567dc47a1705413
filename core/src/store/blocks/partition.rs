//! Partitions of records, and their keys.

use super::collection::Collection;

/// A set of records of one collection that are stored in one order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Partition {
    pub(crate) school: u64,
    pub(crate) collection: Collection,
    /// The first number by which the collection is divided below the school, or 0.
    pub(crate) first: u64,
    /// The second number, or 0.
    pub(crate) second: u64,
}

impl Partition {
    pub(crate) const BYTES: usize = 25;

    /// Returns the partition of a global collection.
    pub(crate) const fn global(collection: Collection) -> Partition {
        Partition {
            school: 0,
            collection,
            first: 0,
            second: 0,
        }
    }

    /// Returns a partition of a collection that is divided only by school.
    pub(crate) const fn new(school: u64, collection: Collection) -> Partition {
        Partition {
            school,
            collection,
            first: 0,
            second: 0,
        }
    }

    /// Returns a partition of a collection that is divided by school and year.
    pub(crate) const fn of_year(school: u64, collection: Collection, year: u64) -> Partition {
        Partition {
            school,
            collection,
            first: year,
            second: 0,
        }
    }

    /// Returns a partition of a collection that is divided by school, grade and year.
    pub(crate) const fn of_grade_year(
        school: u64,
        collection: Collection,
        grade: u64,
        year: u64,
    ) -> Partition {
        Partition {
            school,
            collection,
            first: grade,
            second: year,
        }
    }

    /// Returns the key of its block index: school, collection and the two numbers in big-endian
    /// order. Therefore the keys of a school are one range, and those of each of its collections
    /// are a range within it.
    pub(crate) fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        let (school, rest) = bytes.split_at_mut(8);
        school.copy_from_slice(&self.school.to_be_bytes());
        let (collection, rest) = rest.split_at_mut(1);
        collection.copy_from_slice(&[self.collection as u8]);
        let (a, b) = rest.split_at_mut(8);
        a.copy_from_slice(&self.first.to_be_bytes());
        b.copy_from_slice(&self.second.to_be_bytes());
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8; Self::BYTES]) -> Option<Partition> {
        let (school, rest) = bytes.split_first_chunk()?;
        let (collection, rest) = rest.split_first()?;
        let (a, rest) = rest.split_first_chunk()?;
        Some(Partition {
            school: u64::from_be_bytes(*school),
            collection: Collection::numbered(*collection)?,
            first: u64::from_be_bytes(*a),
            second: u64::from_be_bytes(*rest.first_chunk()?),
        })
    }
}

/// Returns the key of a block, which consists of its partition and its number in the partition.
pub(crate) fn block_key(partition: Partition, block: u32) -> [u8; Partition::BYTES + 4] {
    let mut bytes = [0; Partition::BYTES + 4];
    let (prefix, number) = bytes.split_at_mut(Partition::BYTES);
    prefix.copy_from_slice(&partition.to_bytes());
    number.copy_from_slice(&block.to_be_bytes());
    bytes
}

/// The key of a record in its partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key(pub(crate) u64, pub(crate) u64);

impl Key {
    /// Returns the first and the last key of one record by its id, or of all records.
    pub(crate) fn range_of(id: Option<u64>) -> (Key, Key) {
        id.map_or((Key::MIN, Key::MAX), |id| (Key::one(id), Key::one(id)))
    }

    /// Returns the first and the last key that begin with a number, or of all records.
    pub(crate) fn range_from(first: Option<u64>) -> (Key, Key) {
        first.map_or((Key::MIN, Key::MAX), |first| {
            (Key(first, 0), Key(first, u64::MAX))
        })
    }

    pub(crate) const BYTES: usize = 16;
    pub(crate) const MIN: Key = Key(0, 0);
    pub(crate) const MAX: Key = Key(u64::MAX, u64::MAX);

    /// Returns the key in a collection whose keys are a single number.
    pub(crate) const fn one(id: u64) -> Key {
        Key(id, 0)
    }

    /// Returns the lowest key above this one.
    pub(crate) fn next(self) -> Option<Key> {
        self.number().checked_add(1).map(Key::of_number)
    }

    /// Returns the highest key below this one.
    pub(crate) fn before(self) -> Option<Key> {
        self.number().checked_sub(1).map(Key::of_number)
    }

    #[expect(clippy::cast_possible_truncation, reason = "the halves of the number")]
    fn of_number(number: u128) -> Key {
        Key((number >> 64) as u64, number as u64)
    }

    /// Returns a number that has the same order as the key and is compared faster.
    #[inline]
    pub(crate) fn number(self) -> u128 {
        u128::from(self.0) << 64 | u128::from(self.1)
    }
}

#[cfg(test)]
mod tests {
    use crate::store::blocks::partition::*;

    #[test]
    fn keys_sort_as_their_numbers() {
        let mut sorted = vec![
            Partition::of_grade_year(2, Collection::MarkRows, 3, u64::MAX),
            Partition::new(1, Collection::Learners),
            Partition::of_year(1, Collection::LearnerSubjects, 2026),
            Partition::new(1, Collection::Schools),
            Partition::new(u64::MAX, Collection::Years),
        ];
        let mut by_bytes = sorted.clone();
        sorted.sort();
        by_bytes.sort_by_key(|partition| partition.to_bytes());
        assert_eq!(sorted, by_bytes);
        for partition in sorted {
            assert_eq!(
                Partition::from_bytes(&partition.to_bytes()),
                Some(partition)
            );
        }
    }
}
