//! The pass of a sync that is under way, in the store: each answer is kept with what it told
//! in one transaction, so that whoever goes on later asks only for the rest.

use super::keys::partitions_of;
use crate::error::Result;
use crate::record::coverage::{Part, Unit};
use crate::record::ledger::{Head, Row};
use crate::store::{
    Collection, Decision, Edits, Item, ItemBuffer, Key, Partition, Reader, Records, Write,
};
use std::collections::BTreeMap;

/// What was told lies in pieces of so many bytes.
const PIECE_BYTES: usize = 60_000;

/// So many learners or grades share a partition: whoever adds a row writes it anew.
const TOGETHER: u64 = 64;

/// The head lies by itself: no part has the number 0.
const HEAD: u64 = 0;

fn ledger(school: u64, a: u64, b: u64) -> Partition {
    let collection = Collection::Ledger;
    Partition {
        school,
        collection,
        a,
        b,
    }
}

fn row_at(school: u64, unit: Unit) -> (Partition, Key) {
    let Key(id, _) = unit.key;
    let partition = ledger(school, unit.part as u64, id / TOGETHER);
    (partition, Key(id, unit.year))
}

/// Each answer has a partition of its own for what it told.
fn told_at(school: u64, unit: Unit) -> Partition {
    let Key(id, _) = unit.key;
    let collection = Collection::Told;
    Partition {
        school,
        collection,
        a: unit.part as u64,
        b: id,
    }
}

/// The pass that is under way.
pub(crate) fn head(reader: &dyn Reader, school: u64) -> Result<Option<Head>> {
    let rows = read(reader, ledger(school, HEAD, 0))?;
    rows.values()
        .next()
        .map(|row| Head::decode(row))
        .transpose()
}

/// A pass begins: nothing is left of any other.
pub(crate) fn begin(write: &mut Write<'_>, school: u64, head: &Head) -> Result<()> {
    forget(write, school)?;
    let mut row = Vec::new();
    head.encode(&mut row);
    let rows = [(Key::one(0), Some(row))];
    write.merge(ledger(school, HEAD, 0), &mut Changes(rows.into()))
}

/// Keeps an answer and what it told; of a unit that was kept before it takes the place.
pub(crate) fn put(
    write: &mut Write<'_>,
    school: u64,
    unit: Unit,
    row: &Row,
    told: &[u8],
) -> Result<()> {
    let (partition, key) = row_at(school, unit);
    let mut bytes = Vec::new();
    row.encode(&mut bytes);
    write.merge(partition, &mut Changes([(key, Some(bytes))].into()))?;
    let partition = told_at(school, unit);
    let before = read(write, partition)?.into_keys();
    let of_unit = before.filter(|key| key.0 == unit.year);
    let mut pieces: BTreeMap<Key, Option<Vec<u8>>> = of_unit.map(|key| (key, None)).collect();
    for (number, piece) in (0..).zip(told.chunks(PIECE_BYTES)) {
        pieces.insert(Key(unit.year, number), Some(piece.to_vec()));
    }
    if pieces.is_empty() {
        return Ok(());
    }
    write.merge(partition, &mut Changes(pieces))
}

/// An answer is to be asked for again.
pub(crate) fn remove(write: &mut Write<'_>, school: u64, unit: Unit) -> Result<()> {
    let (partition, key) = row_at(school, unit);
    write.merge(partition, &mut Changes([(key, None)].into()))?;
    let partition = told_at(school, unit);
    let keys = read(write, partition)?.into_keys();
    let gone = keys.filter(|key| key.0 == unit.year).map(|key| (key, None));
    write.merge(partition, &mut Changes(gone.collect()))
}

/// All answers of the pass.
pub(crate) fn rows(reader: &dyn Reader, school: u64) -> Result<Vec<(Unit, Row)>> {
    let mut rows = Vec::new();
    for partition in partitions_of(reader, school)? {
        if partition.collection != Collection::Ledger || partition.a == HEAD {
            continue;
        }
        let part = Part::numbered(partition.a)?;
        for (Key(id, year), row) in read(reader, partition)? {
            rows.push((Unit::of_id(part, year, id), Row::decode(&row)?));
        }
    }
    Ok(rows)
}

/// What an answer told.
pub(crate) fn told(reader: &dyn Reader, school: u64, unit: Unit) -> Result<Vec<u8>> {
    let pieces = read(reader, told_at(school, unit))?.into_iter();
    let of_unit = pieces.filter(|(key, _)| key.0 == unit.year);
    Ok(of_unit.flat_map(|(_, piece)| piece).collect())
}

/// Nothing is left of the pass.
pub(crate) fn forget(write: &mut Write<'_>, school: u64) -> Result<()> {
    for partition in partitions_of(write, school)? {
        if matches!(partition.collection, Collection::Ledger | Collection::Told) {
            let keys = read(write, partition)?.into_keys();
            let gone = keys.map(|key| (key, None)).collect();
            write.merge(partition, &mut Changes(gone))?;
        }
    }
    Ok(())
}

fn read(reader: &dyn Reader, partition: Partition) -> Result<BTreeMap<Key, Vec<u8>>> {
    let mut rows = BTreeMap::new();
    for pinned in Records::open(reader, partition)?.all() {
        let (pinned, indices) = pinned?;
        let run = pinned.run()?;
        for index in indices {
            rows.insert(run.key(index)?, run.record(0, index)?.to_vec());
        }
    }
    Ok(rows)
}

/// Rows that come or go.
struct Changes(BTreeMap<Key, Option<Vec<u8>>>);

impl Edits for Changes {
    fn next_key(&mut self) -> Result<Option<Key>> {
        Ok(self.0.first_key_value().map(|(key, _)| *key))
    }

    fn edit(&mut self, _: Option<Item<'_>>, new: &mut ItemBuffer) -> Result<Decision> {
        let Some((_, Some(row))) = self.0.pop_first() else {
            return Ok(Decision::Remove);
        };
        new.clear();
        new.lanes[0].extend_from_slice(&row);
        Ok(Decision::Put)
    }
}
