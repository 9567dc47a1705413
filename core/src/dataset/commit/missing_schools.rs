//! Finds records that need a school, and the schools that are missing. The section "Values" of the
//! dataset format describes which records need one.

use crate::dataset::keys::each_authorisation;
use crate::error::{Fault, Result};
use crate::record::Kind;
use crate::store::{Collection, Key, Partition, Reader, Write};
use std::collections::{BTreeSet, BinaryHeap, HashMap};

/// The missing and the removed schools of a commit. Schools are merged first, so it is known
/// whether a school exists when a record that needs it is merged.
#[derive(Default)]
pub(super) struct Needs {
    /// Whether each school that was looked up exists.
    exists: HashMap<u64, bool>,
    /// The lowest lines whose school is missing, each with the kind of its record and the school.
    missing: BinaryHeap<(u64, Kind, u64)>,
    /// The removed schools: the line of each, and the number of records in the dataset that still
    /// need it.
    removed: HashMap<u64, (u64, u64)>,
}

/// The maximum number of faults that are stored.
const MAX_FAULTS: usize = 10_000;

impl Needs {
    /// Records that a record is stored (`put`) or removed. `key` is in the order of its fields.
    pub(super) fn record(
        &mut self,
        write: &Write<'_>,
        kind: Kind,
        key: &[u64],
        line: u64,
        put: bool,
    ) -> Result<()> {
        let Some(&school) = key.first() else {
            return Ok(());
        };
        if kind == Kind::School {
            if !put {
                self.removed.insert(school, (line, 0));
            }
            return Ok(());
        }
        if !put || self.school_exists(write, school)? {
            return Ok(());
        }
        if let Some((_, needed)) = self.removed.get_mut(&school) {
            *needed += 1;
        }
        self.missing.push((line, kind, school));
        if self.missing.len() > MAX_FAULTS {
            self.missing.pop();
        }
        Ok(())
    }

    fn school_exists(&mut self, write: &Write<'_>, school: u64) -> Result<bool> {
        if let Some(exists) = self.exists.get(&school) {
            return Ok(*exists);
        }
        let schools = write.records(Partition::global(Collection::Schools))?;
        let exists = schools.get(Key::one(school))?.is_some();
        self.exists.insert(school, exists);
        Ok(exists)
    }

    /// Returns the faults, lowest line first.
    pub(super) fn faults(&self, write: &Write<'_>, limit: usize) -> Result<Vec<Fault>> {
        let mut faults: Vec<Fault> = self
            .missing
            .iter()
            .map(|(line, kind, school)| Fault {
                line: *line,
                what: format!(
                    "{}: school_id: school {school} is not in the store",
                    kind.name()
                ),
            })
            .collect();
        for (school, needed) in self.count_dependents(write)? {
            let (line, needed_in_dataset) = self.removed.get(&school).copied().unwrap_or_default();
            if needed > needed_in_dataset {
                faults.push(Fault {
                    line,
                    what: format!(
                        "school: school_id: school {school} is still needed by a client_integration, year or term"
                    ),
                });
            }
        }
        faults.sort_by_key(|fault| fault.line);
        faults.truncate(limit);
        Ok(faults)
    }

    /// Returns how many records in the store need each of the removed schools.
    fn count_dependents(&self, write: &Write<'_>) -> Result<HashMap<u64, u64>> {
        let mut needed = HashMap::new();
        for school in self.removed.keys() {
            let mut records = 0;
            for collection in [Collection::Years, Collection::Terms] {
                let partition = Partition::new(*school, collection);
                records += write.block_index(partition)?.records();
            }
            needed.insert(*school, records);
        }
        let schools: BTreeSet<_> = needed.keys().copied().collect();
        each_authorisation(write, &schools, &mut |found| {
            let school = found.key.first();
            if let Some(records) = school.and_then(|school| needed.get_mut(school)) {
                *records += 1;
            }
            Ok(())
        })?;
        Ok(needed)
    }
}
