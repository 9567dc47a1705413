//! The schools that records require (`dataset.md`, "Values" and "Faults").

use std::collections::{BTreeMap, BTreeSet};

use super::kinds::Kind;
use super::records::{Key, Store};

/// Returns the faults of a future state of the store, each with its line: `client_integration`,
/// `year` and `term` require their school. `last` contains the last line of each key in the
/// dataset. If the dataset does not contain such a record, its school is missing only because the
/// dataset removes the school, and the fault is on the line of the removal.
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
