//! Schools that records need (`dataset.md`, "Values" and "Errors").

use std::collections::{BTreeMap, BTreeSet};

use super::kinds::Kind;
use super::records::{Key, Store};

/// The faults of a store as it would be, each with its line: `client_integration`, `year` and `term` must
/// have their school. `last` holds the last line of each key in the dataset. A record that the dataset
/// does not bring lacks its school only because the dataset removes it: the fault is the removal's.
pub(crate) fn missing_schools(
    store: &Store,
    last: &BTreeMap<Key, usize>,
) -> BTreeSet<(usize, String)> {
    let mut faults = BTreeSet::new();
    for (key, record) in &store.records {
        if !key.kind.needs_its_school() {
            continue;
        }
        let id = record.id("school_id");
        let school = Key::of_ids(Kind::School, &[id]);
        if store.records.contains_key(&school) {
            continue;
        }
        let fault = match last.get(key) {
            Some(line) => (
                *line,
                format!(
                    "{}: school_id: school {id} is not in the store",
                    key.kind.name()
                ),
            ),
            None => (
                last[&school],
                format!(
                    "school: school_id: school {id} is still needed by a client_integration, year or term"
                ),
            ),
        };
        faults.insert(fault);
    }
    faults
}
