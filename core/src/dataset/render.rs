//! Renders records again that an older version rendered in another way.

use super::keys::partitions_of;
use crate::error::{Error, Result};
use crate::record::Kind;
use crate::record::kinds::assessment;
use crate::record::storage::Storage;
use crate::record::stored::pre_render::{self, RENDER_VERSION};
use crate::store::{
    Collection, Decision, Edits, Item, ItemBuffer, Key, Partition, Reader, Records, Snapshot,
    Store, Write,
};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the store is known to have no records that another version rendered.
pub(crate) struct Freshness(AtomicBool);

impl Freshness {
    pub(crate) fn read(store: &Store) -> Result<Freshness> {
        let fresh = Freshness(AtomicBool::new(false));
        fresh.refresh(store)?;
        Ok(fresh)
    }

    /// Marks the state as unknown, because another version may use the store from now on.
    pub(crate) fn invalidate(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    pub(crate) fn refresh(&self, store: &Store) -> Result<()> {
        let fresh = store.read(|snapshot| snapshot.all_rendered_by(RENDER_VERSION))?;
        self.0.store(fresh, Ordering::Relaxed);
        Ok(())
    }

    /// Makes sure that the records of a school, or all records, are rendered by this version before
    /// they are part of an answer.
    #[inline]
    pub(crate) fn ensure(&self, store: &Store, school: Option<u64>) -> Result<()> {
        if self.0.load(Ordering::Relaxed) {
            return Ok(());
        }
        match school {
            Some(school) => {
                let stale = store.read(|snapshot| {
                    Ok(snapshot.rendered_of(school)? != RENDER_VERSION
                        && is_known(snapshot.as_ref(), school)?)
                })?;
                if stale {
                    store.write(|write| ensure(write, school))
                } else {
                    Ok(())
                }
            }
            None => {
                store.write(ensure_all)?;
                self.refresh(store)
            }
        }
    }
}

/// Returns whether a school has any records. A school without records needs no render version.
fn is_known(reader: &Snapshot, school: u64) -> Result<bool> {
    let schools = reader.records(Partition::global(Collection::Schools))?;
    Ok(schools.get(Key::one(school))?.is_some() || !partitions_of(reader, school)?.is_empty())
}

/// Renders the records of a school with this version, unless that was done before.
pub(super) fn ensure(write: &mut Write<'_>, school: u64) -> Result<()> {
    if write.rendered_of(school)? == RENDER_VERSION {
        return Ok(());
    }
    render_school(write, school)
}

/// Renders the records of a school again from their stored values.
fn render_school(write: &mut Write<'_>, school: u64) -> Result<()> {
    let schools = Partition::global(Collection::Schools);
    render_partition(write, schools, Some(Key::one(school)))?;
    for partition in partitions_of(write, school)? {
        render_partition(write, partition, None)?;
    }
    write.set_school_rendered(school, RENDER_VERSION)
}

/// Renders all records with this version, unless that was done before. Records that belong to no
/// school share one render version, so that all are rendered before one of them is written.
pub(super) fn ensure_all(write: &mut Write<'_>) -> Result<()> {
    if write.all_rendered_by(RENDER_VERSION)? {
        return Ok(());
    }
    for school in schools(write)? {
        ensure(write, school)?;
    }
    for kind in Kind::ALL {
        if let (false, Storage::Global(of)) = (kind.is_of_school(), kind.storage()) {
            render_partition(write, Partition::global(of), None)?;
        }
    }
    write.set_rendered(RENDER_VERSION)
}

/// Returns every school that has any records.
pub(crate) fn schools(reader: &dyn Reader) -> Result<Vec<u64>> {
    let known = Records::open(reader, Partition::global(Collection::Schools))?;
    let known = known.keys(Key::MIN, Key::MAX)?.into_iter();
    let mut schools: Vec<u64> = known.map(|Key(school, _)| school).collect();
    let [first, .., last] = Collection::ALL;
    let bound = |school, collection, number| Partition {
        school,
        collection,
        first: number,
        second: number,
    };
    let all = reader.partitions(bound(0, first, 0), bound(u64::MAX, last, u64::MAX))?;
    let of_schools = all
        .iter()
        .filter(|partition| !partition.collection.is_global());
    schools.extend(of_schools.map(|partition| partition.school));
    schools.sort_unstable();
    schools.dedup();
    Ok(schools)
}

/// Renders the records of a partition again, or only one of them.
fn render_partition(write: &mut Write<'_>, partition: Partition, only: Option<Key>) -> Result<()> {
    let kind =
        Kind::stored_in(partition.collection).filter(|kind| kind.storage().is_pre_rendered());
    let Some(kind) = kind else {
        return Ok(());
    };
    let (from, to) = only.map_or((Key::MIN, Key::MAX), |only| (only, only));
    let mut keys = write.records(partition)?.keys(from, to)?;
    keys.reverse();
    let mut edits = Rendered {
        kind,
        partition,
        keys,
    };
    write.merge(partition, &mut edits)
}

struct Rendered {
    kind: Kind,
    partition: Partition,
    /// The remaining keys, in descending order.
    keys: Vec<Key>,
}

impl Edits for Rendered {
    fn next_key(&mut self) -> Result<Option<Key>> {
        Ok(self.keys.last().copied())
    }

    fn edit(&mut self, old: Option<Item<'_>>, new: &mut ItemBuffer) -> Result<Decision> {
        let (Some(key), Some(old)) = (self.keys.pop(), old) else {
            return Err(Error::corrupt("a record is missing"));
        };
        pre_render_again(self.kind, self.partition, key, &old, new)?;
        Ok(if new.item() == old {
            Decision::Unchanged
        } else {
            Decision::Put
        })
    }
}

/// Renders a stored record with this version.
pub(crate) fn pre_render_again(
    kind: Kind,
    partition: Partition,
    key: Key,
    old: &Item<'_>,
    new: &mut ItemBuffer,
) -> Result<()> {
    let values = pre_render::values(kind, &kind.key_of(partition, key), old)?;
    pre_render::pre_render(kind, &values, new);
    if kind == Kind::Assessment {
        new.set_filter_column(
            assessment::SLOT_COLUMN,
            old.filter_column(assessment::SLOT_COLUMN),
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::{Load, Mode};
    use crate::entropy::Entropy;
    use crate::store::{Location, StoreOptions};
    use std::sync::Arc;

    #[test]
    fn all_is_rendered_before_a_record_of_no_school_is_written() -> Result<()> {
        let options = StoreOptions {
            render_version: RENDER_VERSION - 1,
            ..StoreOptions::for_test()
        };
        let store = Arc::new(Store::open(Location::Memory, options)?);
        let rendered =
            || store.read(|snapshot| Ok((snapshot.rendered()?, snapshot.rendered_of(1)?)));
        for (line, expected) in [
            (
                r#"{"type":"grade","school_id":1,"grade_id":9}"#,
                (RENDER_VERSION - 1, RENDER_VERSION),
            ),
            (
                r#"{"type":"api_type","api_type_id":8,"family":["finance","parents"]}"#,
                (RENDER_VERSION, RENDER_VERSION),
            ),
        ] {
            let mut load = Load::new(store.clone(), Entropy::System, Mode::Apply, None);
            load.push(line.as_bytes())?;
            assert_eq!(load.finish()?.total().added, 1);
            assert_eq!(rendered()?, expected);
        }
        Ok(())
    }
}
