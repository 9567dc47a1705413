//! What a transaction did, counted by kind.

use std::collections::{BTreeMap, BTreeSet};

use super::records::{Key, Store};

/// How many records of a kind a transaction touched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Records that were not there.
    pub added: u64,
    /// Records that were there and differ now.
    pub changed: u64,
    /// Records that are gone.
    pub removed: u64,
    /// Records of the dataset that are equal to what was kept.
    pub unchanged: u64,
}

/// The counts of each kind by its name; kinds without any are left out.
pub type Summary = BTreeMap<&'static str, Counts>;

/// Compares the store before and after; `named` are the keys that the dataset names.
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
