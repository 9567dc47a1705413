//! Which records lie together, and under which keys.

use super::collection::Collection;

/// The records of one collection that are kept in one order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Partition {
    pub(crate) school: u64,
    pub(crate) collection: Collection,
    /// What the collection is divided by below the school: first number, or 0.
    pub(crate) a: u64,
    /// Second number, or 0.
    pub(crate) b: u64,
}

impl Partition {
    pub(crate) const BYTES: usize = 25;

    /// A partition of a global collection.
    pub(crate) const fn global(collection: Collection) -> Partition {
        Partition {
            school: 0,
            collection,
            a: 0,
            b: 0,
        }
    }

    /// A partition of a collection that is divided by school alone.
    pub(crate) const fn of(school: u64, collection: Collection) -> Partition {
        Partition {
            school,
            collection,
            a: 0,
            b: 0,
        }
    }

    /// A partition of a collection divided by school and year.
    pub(crate) const fn of_year(school: u64, collection: Collection, year: u64) -> Partition {
        Partition {
            school,
            collection,
            a: year,
            b: 0,
        }
    }

    /// A partition of a collection divided by school, grade and year.
    pub(crate) const fn of_grade_year(
        school: u64,
        collection: Collection,
        grade: u64,
        year: u64,
    ) -> Partition {
        Partition {
            school,
            collection,
            a: grade,
            b: year,
        }
    }

    /// The key of its directory: school, collection, division, big-endian, so
    /// that a school is a range and a collection of it a range within.
    pub(crate) fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        let (school, rest) = bytes.split_at_mut(8);
        school.copy_from_slice(&self.school.to_be_bytes());
        let (collection, rest) = rest.split_at_mut(1);
        collection.copy_from_slice(&[self.collection as u8]);
        let (a, b) = rest.split_at_mut(8);
        a.copy_from_slice(&self.a.to_be_bytes());
        b.copy_from_slice(&self.b.to_be_bytes());
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8; Self::BYTES]) -> Option<Partition> {
        let (school, rest) = bytes.split_first_chunk()?;
        let (collection, rest) = rest.split_first()?;
        let (a, rest) = rest.split_first_chunk()?;
        Some(Partition {
            school: u64::from_be_bytes(*school),
            collection: Collection::numbered(*collection)?,
            a: u64::from_be_bytes(*a),
            b: u64::from_be_bytes(*rest.first_chunk()?),
        })
    }
}

/// The key of one run: its partition and its number within.
pub(crate) fn run_key(partition: Partition, run: u32) -> [u8; Partition::BYTES + 4] {
    let mut bytes = [0; Partition::BYTES + 4];
    let (prefix, number) = bytes.split_at_mut(Partition::BYTES);
    prefix.copy_from_slice(&partition.to_bytes());
    number.copy_from_slice(&run.to_be_bytes());
    bytes
}

/// A record's key within its partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key(pub(crate) u64, pub(crate) u64);

impl Key {
    pub(crate) const BYTES: usize = 16;
    pub(crate) const MIN: Key = Key(0, 0);
    pub(crate) const MAX: Key = Key(u64::MAX, u64::MAX);

    /// The key of a collection that needs one number only.
    pub(crate) const fn one(id: u64) -> Key {
        Key(id, 0)
    }

    /// The lowest key above this one.
    pub(crate) fn next(self) -> Option<Key> {
        self.number().checked_add(1).map(Key::of_number)
    }

    /// The highest key below this one.
    pub(crate) fn before(self) -> Option<Key> {
        self.number().checked_sub(1).map(Key::of_number)
    }

    #[expect(clippy::cast_possible_truncation, reason = "the halves of the number")]
    fn of_number(number: u128) -> Key {
        Key((number >> 64) as u64, number as u64)
    }

    /// One number that sorts as the key does, and faster.
    #[inline]
    pub(crate) fn number(self) -> u128 {
        u128::from(self.0) << 64 | u128::from(self.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_sort_as_their_numbers() {
        let mut sorted = vec![
            Partition::of_grade_year(2, Collection::MarkRows, 3, u64::MAX),
            Partition::of(1, Collection::Learners),
            Partition::of_year(1, Collection::LearnerSubjects, 2026),
            Partition::of(1, Collection::Schools),
            Partition::of(u64::MAX, Collection::Years),
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
