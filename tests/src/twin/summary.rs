//! The changes of a transaction, counted by kind.

use std::collections::{BTreeMap, BTreeSet};

use super::records::{Key, Store};

/// The numbers of records of a kind that a transaction changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The number of records that did not exist before.
    pub added: u64,
    /// The number of records that existed before and differ now.
    pub changed: u64,
    /// The number of records that no longer exist.
    pub removed: u64,
    /// The number of records of the dataset that are equal to the stored ones.
    pub unchanged: u64,
}

/// The counts of each kind by its name. Kinds without any are omitted.
pub type Summary = BTreeMap<&'static str, Counts>;

/// Compares the store before and after a transaction. `named` are the keys in the dataset.
pub(crate) fn summary(before: &Store, after: &Store, named: &BTreeSet<Key>) -> Summary {
    let keys: BTreeSet<&Key> = before.records.keys().chain(after.records.keys()).collect();
    let mut summary = Summary::new();
    for key in keys {
        let mut count = Counts::default();
        match (before.records.get(key), after.records.get(key)) {
            (None, Some(_)) => count.added = 1,
            (Some(_), None) => count.removed = 1,
            (Some(old), Some(new)) if old != new => count.changed = 1,
            _ if named.contains(key) => count.unchanged = 1,
            _ => continue,
        }
        let total = summary.entry(key.kind.name()).or_default();
        total.added += count.added;
        total.changed += count.changed;
        total.removed += count.removed;
        total.unchanged += count.unchanged;
    }
    summary
}
