//! The dependencies of decoded values and answers, and the changes of a commit, as sets of bits.

use crate::store::blocks::collection::Collection;
use crate::store::blocks::partition::Partition;
use std::collections::HashMap;

/// The data that a decoded value or an answer depends on. The value is invalidated when any of it
/// changes. For collections that are divided by school, for the record of a school and for its
/// authorisations, only changes of the school that the value belongs to are relevant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sources {
    /// One bit for each collection, and one for each source below that is not a collection.
    pub(crate) bits: u64,
}

impl Sources {
    pub(crate) const fn new(collections: &[Collection]) -> Sources {
        let mut bits = 0;
        let mut rest = collections;
        while let [first, others @ ..] = rest {
            bits |= first.bit();
            rest = others;
        }
        Sources { bits }
    }

    /// No sources. A value without sources is valid as long as the store is open.
    pub(crate) const NONE: Sources = Sources::new(&[]);

    /// The integrators and their passwords, without the authorisations by schools.
    pub(crate) const INTEGRATORS: Sources = Sources { bits: 1 << 63 };

    /// The authorisations that a school has granted to integrators.
    pub(crate) const AUTHORISATIONS: Sources = Sources { bits: 1 << 62 };

    /// All collections that are not divided by school.
    pub(crate) const GLOBAL: Sources = {
        let mut all = Sources::NONE;
        let mut rest: &[Collection] = &Collection::ALL;
        while let [collection, others @ ..] = rest {
            assert!(
                collection.bit() < Sources::AUTHORISATIONS.bits,
                "a collection has the bit of another source"
            );
            if collection.is_global() {
                all.bits |= collection.bit();
            }
            rest = others;
        }
        all
    };

    /// The sources that all schools share: if one of them changes, values of any school may be
    /// outdated. The records of schools are excluded. They are all in one partition, but their
    /// changes are recorded by school.
    const SHARED: Sources = Sources {
        bits: Sources::GLOBAL.union(Sources::INTEGRATORS).bits & !Collection::Schools.bit(),
    };

    /// Returns all sources that are not in this set.
    pub(crate) const fn others(self) -> Sources {
        Sources { bits: !self.bits }
    }

    /// Returns whether the set contains a collection.
    pub(crate) const fn has(self, collection: Collection) -> bool {
        self.bits & collection.bit() != 0
    }

    /// Returns the union of both sets.
    pub(crate) const fn union(self, others: Sources) -> Sources {
        Sources {
            bits: self.bits | others.bits,
        }
    }

    /// Returns the union of both sets if `condition` is true, and otherwise this set.
    pub(crate) const fn and_if(self, condition: bool, others: Sources) -> Sources {
        if condition { self.union(others) } else { self }
    }
}

/// The data that a commit changed, as bits of [`Sources`].
#[derive(Debug, Clone, Default)]
pub(crate) struct ChangedSources {
    schools: HashMap<u64, u64>,
    /// The union of the bits of all these schools.
    any_school: u64,
    global: u64,
    other: bool,
}

impl ChangedSources {
    /// Records that a partition was written to.
    pub(crate) fn partition(&mut self, partition: Partition) {
        if partition.collection.is_global() {
            self.global |= partition.collection.bit();
        } else {
            self.of_school(partition.school, partition.collection.bit());
        }
    }

    /// Records that the record of a school was changed.
    pub(crate) fn school(&mut self, school: u64) {
        self.of_school(school, Collection::Schools.bit());
    }

    /// Records that an integrator was changed or, if `school` is given, an authorisation by this
    /// school.
    pub(crate) fn integrator_row(&mut self, school: Option<u64>) {
        match school {
            Some(school) => self.of_school(school, Sources::AUTHORISATIONS.bits),
            None => self.global |= Sources::INTEGRATORS.bits,
        }
    }

    fn of_school(&mut self, school: u64, bits: u64) {
        *self.schools.entry(school).or_default() |= bits;
        self.any_school |= bits;
    }

    /// Records a change of data on which no decoded value depends.
    pub(crate) fn other(&mut self) {
        self.other = true;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.schools.is_empty() && self.global == 0 && !self.other
    }

    /// The schools whose data was changed.
    pub(crate) fn schools(&self) -> impl Iterator<Item = u64> {
        self.schools.keys().copied()
    }

    /// Returns whether data that belongs to no school was changed.
    pub(crate) fn is_global(&self) -> bool {
        self.global != 0
    }

    /// The bits that changed for a school, including the sources that all schools share.
    fn bits_for(&self, school: u64) -> u64 {
        let of_school = self.schools.get(&school).copied().unwrap_or(0);
        of_school | self.shared()
    }

    /// The bits that changed among the sources that all schools share.
    fn shared(&self) -> u64 {
        self.global & Sources::SHARED.bits
    }

    /// Returns whether any source that all schools share was changed.
    pub(crate) fn has_shared(&self) -> bool {
        self.shared() != 0
    }

    /// Returns whether any of these sources was changed, for one school or for all schools.
    pub(crate) fn affects(&self, school: Option<u64>, sources: Sources) -> bool {
        let bits = match school {
            Some(school) => self.bits_for(school),
            None => self.any_school | self.global,
        };
        bits & sources.bits != 0
    }

    /// Returns whether the sources of a decoded value that belongs to a partition were changed.
    /// The values of global partitions have the school 0, and depend on global collections.
    pub(crate) fn affects_value(&self, of: Partition, sources: Sources) -> bool {
        let global = if of.school == 0 { self.global } else { 0 };
        (self.bits_for(of.school) | global) & sources.bits != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A value that depends on the record of one school is not invalidated by changes of another
    /// school, although the records of all schools are in one partition.
    #[test]
    fn a_change_of_a_school_affects_its_own_values_and_those_of_all() {
        let sources = Sources::new(&[Collection::Schools, Collection::Learners]);
        let mut changes = ChangedSources::default();
        changes.partition(Partition::global(Collection::Schools));
        changes.school(7);
        assert!(changes.affects(Some(7), sources) && changes.affects(None, sources));
        assert!(!changes.affects(Some(8), sources));
        let block_index = Partition::global(Collection::Schools);
        assert!(changes.affects_value(block_index, Sources::new(&[Collection::Schools])));
        let tables = |school| Partition::new(school, Collection::Schools);
        assert!(changes.affects_value(tables(7), sources));
        assert!(!changes.affects_value(tables(8), sources));
    }

    #[test]
    fn authorisations_belong_to_a_school_and_integrators_to_all() {
        let mut changes = ChangedSources::default();
        changes.integrator_row(Some(7));
        for (school, expected) in [(Some(7), true), (Some(8), false), (None, true)] {
            assert_eq!(changes.affects(school, Sources::AUTHORISATIONS), expected);
            assert!(!changes.affects(school, Sources::INTEGRATORS));
        }
        changes.integrator_row(None);
        for school in [Some(7), Some(8), None] {
            assert!(changes.affects(school, Sources::INTEGRATORS));
        }
        assert!(!changes.affects(Some(8), Sources::AUTHORISATIONS));
    }
}
