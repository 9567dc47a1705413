//! Rendering records again, when a newer version renders them otherwise.

use super::keys::partitions_of;
use crate::error::{Error, Result};
use crate::record::bake::{self, RENDER_VERSION};
use crate::record::storage::Storage;
use crate::record::{Kind, assessment};
use crate::store::{
    Collection, Decision, Edits, Item, ItemBuffer, Key, Partition, Reader, Records, Snapshot,
    Store, Write,
};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether a store has no records that another version rendered.
pub(crate) struct Freshness(AtomicBool);

impl Freshness {
    pub(crate) fn of(store: &Store) -> Result<Freshness> {
        let fresh = Freshness(AtomicBool::new(false));
        fresh.look_again(store)?;
        Ok(fresh)
    }

    /// Nothing is known of the store from here on: another version may use it.
    pub(crate) fn forget(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    pub(crate) fn look_again(&self, store: &Store) -> Result<()> {
        let fresh = store.read(|snapshot| snapshot.all_rendered_by(RENDER_VERSION))?;
        self.0.store(fresh, Ordering::Relaxed);
        Ok(())
    }

    /// Makes sure that the records of a school, or of all, are rendered by this
    /// version before they are answered.
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
                self.look_again(store)
            }
        }
    }
}

/// Whether any record lies by a school. One that has none need not be marked.
fn is_known(reader: &Snapshot, school: u64) -> Result<bool> {
    let schools = reader.records(Partition::global(Collection::Schools))?;
    Ok(schools.get(Key::one(school))?.is_some() || !partitions_of(reader, school)?.is_empty())
}

/// Renders a school's records by this version, if they are not yet.
pub(super) fn ensure(write: &mut Write<'_>, school: u64) -> Result<()> {
    if write.rendered_of(school)? == RENDER_VERSION {
        return Ok(());
    }
    render_school(write, school)
}

/// Renders the records of a school again from what is kept.
fn render_school(write: &mut Write<'_>, school: u64) -> Result<()> {
    let schools = Partition::global(Collection::Schools);
    render_partition(write, schools, Some(Key::one(school)))?;
    for partition in partitions_of(write, school)? {
        render_partition(write, partition, None)?;
    }
    write.set_school_rendered(school, RENDER_VERSION)
}

/// Renders all records by this version, if they are not yet. Those of no school have no
/// version of their own, so that all are rendered before one of them is written.
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

/// Every school that any record lies by.
pub(crate) fn schools(reader: &dyn Reader) -> Result<Vec<u64>> {
    let mut schools = Vec::new();
    for pinned in Records::open(reader, Partition::global(Collection::Schools))?.all() {
        let (pinned, _) = pinned?;
        schools.extend(pinned.run()?.keys().map(|key| key.0));
    }
    let [first, .., last] = Collection::ALL;
    let bound = |school, collection, number| Partition {
        school,
        collection,
        a: number,
        b: number,
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

/// Renders the records of a partition again, or one of them.
fn render_partition(write: &mut Write<'_>, partition: Partition, only: Option<Key>) -> Result<()> {
    let kind = Kind::kept_in(partition.collection).filter(|kind| kind.storage().is_baked());
    let Some(kind) = kind else {
        return Ok(());
    };
    let mut keys = Vec::new();
    for pinned in write.records(partition)?.all() {
        let (pinned, _) = pinned?;
        keys.extend(
            pinned
                .run()?
                .keys()
                .filter(|key| only.is_none_or(|only| only == *key)),
        );
    }
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
    /// The keys left, the next one last.
    keys: Vec<Key>,
}

impl Edits for Rendered {
    fn next_key(&mut self) -> Result<Option<Key>> {
        Ok(self.keys.last().copied())
    }

    fn edit(&mut self, old: Option<Item<'_>>, new: &mut ItemBuffer) -> Result<Decision> {
        let (Some(key), Some(old)) = (self.keys.pop(), old) else {
            return Err(Error::corrupt("a record is gone"));
        };
        bake_again(self.kind, self.partition, key, &old, new)?;
        Ok(if new.item() == old {
            Decision::Keep
        } else {
            Decision::Put
        })
    }
}

/// What this version makes of a kept record.
pub(crate) fn bake_again(
    kind: Kind,
    partition: Partition,
    key: Key,
    old: &Item<'_>,
    new: &mut ItemBuffer,
) -> Result<()> {
    let values = bake::values(kind, &kind.key_of(partition, key), old)?;
    bake::bake(kind, &values, new);
    if kind == Kind::Assessment {
        new.set_tag(assessment::SLOT_TAG, old.tag(assessment::SLOT_TAG));
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
