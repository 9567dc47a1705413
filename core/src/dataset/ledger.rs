//! The passes of a sync, in the store: each answer is kept with what it told in one
//! transaction, so that whoever goes on later asks only for the rest; and what came of each
//! stays, so that the next pass knows what is as it was.

use super::keys::partitions_of;
use crate::error::Result;
use crate::record::coverage::{Part, Unit};
#[cfg(feature = "sync")]
use crate::record::hints::Hints;
use crate::record::ledger::{Head, Row, State};
use crate::store::{
    Collection, Decision, Edits, Item, ItemBuffer, Key, Partition, Reader, Records, Write,
};
use std::collections::BTreeMap;

/// What was told lies in pieces of so many bytes.
const PIECE_BYTES: usize = 60_000;

/// So many pieces are written at once.
const AT_ONCE: usize = 16;

/// So many learners or grades share a partition: whoever adds a row writes it anew.
const TOGETHER: u64 = 64;

/// The head lies by itself: no part has the number 0.
const HEAD: u64 = 0;

pub(crate) type Rows = BTreeMap<Unit, Row>;

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

/// The pass that is under way, or the last one.
pub(crate) fn head(reader: &dyn Reader, school: u64) -> Result<Option<Head>> {
    let rows = read(reader, ledger(school, HEAD, 0))?;
    rows.values()
        .next()
        .map(|row| Head::decode(row))
        .transpose()
}

pub(crate) fn set_head(write: &mut Write<'_>, school: u64, head: &Head) -> Result<()> {
    let mut row = Vec::new();
    head.encode(&mut row);
    let rows = [(Key::one(0), Some(row))];
    write.merge(ledger(school, HEAD, 0), &mut Changes(rows.into()))
}

/// Keeps what came of an answer, and what it told; of a unit that was kept before it takes
/// the place.
pub(crate) fn put(
    write: &mut Write<'_>,
    school: u64,
    unit: Unit,
    row: &Row,
    told: &[u8],
) -> Result<()> {
    set(write, school, unit, row)?;
    let partition = told_at(school, unit);
    let gone = without(write, partition, unit)?;
    change(write, partition, gone)?;
    // A few at a time: they are in memory twice.
    let mut pieces = (0..).zip(told.chunks(PIECE_BYTES));
    loop {
        let few = pieces.by_ref().take(AT_ONCE);
        let few = few.map(|(number, piece)| (Key(unit.year, number), Some(piece.to_vec())));
        let few = few.collect::<BTreeMap<_, _>>();
        if few.is_empty() {
            return Ok(());
        }
        change(write, partition, few)?;
    }
}

/// What was told stays as it is.
pub(crate) fn set(write: &mut Write<'_>, school: u64, unit: Unit, row: &Row) -> Result<()> {
    let (partition, key) = row_at(school, unit);
    let mut bytes = Vec::new();
    row.encode(&mut bytes);
    change(write, partition, [(key, Some(bytes))].into())
}

/// Nothing is kept of an answer: it is asked for again.
pub(crate) fn remove(write: &mut Write<'_>, school: u64, unit: Unit) -> Result<()> {
    let (partition, key) = row_at(school, unit);
    change(write, partition, [(key, None)].into())?;
    let partition = told_at(school, unit);
    let gone = without(write, partition, unit)?;
    change(write, partition, gone)
}

/// All answers.
pub(crate) fn rows(reader: &dyn Reader, school: u64) -> Result<Rows> {
    let mut rows = Rows::new();
    for partition in partitions_of(reader, school)? {
        if partition.collection != Collection::Ledger || partition.a == HEAD {
            continue;
        }
        let part = Part::numbered(partition.a)?;
        for (Key(id, year), row) in read(reader, partition)? {
            rows.insert(Unit::of_id(part, year, id), Row::decode(&row)?);
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

/// What was told and not published goes: it is asked for again.
pub(crate) fn drop_told(write: &mut Write<'_>, school: u64) -> Result<()> {
    for (unit, row) in rows(write, school)? {
        if matches!(row.state, State::Told | State::Held) {
            remove(write, school, unit)?;
        }
    }
    Ok(())
}

/// Nothing is left of what was told of others as well, nor that anything was asked of the
/// learner.
#[cfg(feature = "sync")]
pub(crate) fn erase_learner(write: &mut Write<'_>, school: u64, learner: u64) -> Result<()> {
    let Some(head) = head(write, school)? else {
        return Ok(());
    };
    for (unit, row) in rows(write, school)? {
        let is_of_learner = unit.part.is_of_learner() && unit.key == Key::one(learner);
        if is_of_learner || row.state != State::Kept {
            remove(write, school, unit)?;
        } else if unit.part == Part::LearnerSubjects {
            let mut hints = Hints::read(&told(write, school, unit)?)?;
            hints.leave_out(|other| other == learner);
            put(write, school, unit, &row, &hints.bytes())?;
        }
    }
    let erasures = head.erasures + 1;
    set_head(write, school, &Head { erasures, ..head })
}

/// Without the machine nobody asks meanwhile: all is asked anew.
#[cfg(not(feature = "sync"))]
pub(crate) fn erase_learner(write: &mut Write<'_>, school: u64, _: u64) -> Result<()> {
    forget_answers(write, school)
}

/// Whether a pass was begun.
pub(crate) fn is_begun(reader: &dyn Reader, school: u64) -> Result<bool> {
    let of_school = partitions_of(reader, school)?;
    Ok(of_school
        .iter()
        .any(|partition| partition.collection == Collection::Ledger))
}

/// Nothing is left, of state updates neither.
pub(crate) fn forget(write: &mut Write<'_>, school: u64) -> Result<()> {
    forget_answers(write, school)?;
    forget_all(write, school, &[Collection::Wishes])
}

/// Nothing is left of answers.
pub(crate) fn forget_answers(write: &mut Write<'_>, school: u64) -> Result<()> {
    forget_all(write, school, &[Collection::Ledger, Collection::Told])
}

fn forget_all(write: &mut Write<'_>, school: u64, collections: &[Collection]) -> Result<()> {
    for partition in partitions_of(write, school)? {
        if collections.contains(&partition.collection) {
            let mut keys = Vec::new();
            for pinned in Records::open(write, partition)?.all() {
                let (pinned, indices) = pinned?;
                let run = pinned.run()?;
                for index in indices {
                    keys.push(run.key(index)?);
                }
            }
            keys.reverse();
            write.merge(partition, &mut Gone(keys))?;
        }
    }
    Ok(())
}

/// The pieces of what a unit told, each to be removed.
fn without(
    write: &Write<'_>,
    partition: Partition,
    unit: Unit,
) -> Result<BTreeMap<Key, Option<Vec<u8>>>> {
    let keys = read(write, partition)?.into_keys();
    let of_unit = keys.filter(|key| key.0 == unit.year);
    Ok(of_unit.map(|key| (key, None)).collect())
}

pub(super) fn read(reader: &dyn Reader, partition: Partition) -> Result<BTreeMap<Key, Vec<u8>>> {
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

pub(super) fn change(
    write: &mut Write<'_>,
    partition: Partition,
    rows: BTreeMap<Key, Option<Vec<u8>>>,
) -> Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    write.merge(partition, &mut Changes(rows))
}

/// Rows that go, the first one last. A module that does not sync has no other edits.
struct Gone(Vec<Key>);

impl Edits for Gone {
    fn next_key(&mut self) -> Result<Option<Key>> {
        Ok(self.0.last().copied())
    }

    fn edit(&mut self, _: Option<Item<'_>>, _: &mut ItemBuffer) -> Result<Decision> {
        self.0.pop();
        Ok(Decision::Remove)
    }
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
