//! Damages rows of a store as bytes describe, and asks questions.

use crate::storage::disk::Disk;
use crate::storage::requests;
use crate::storage::scenario::options;
use crate::storage::seal::checksum;
use crate::storage::small::{self, CHANGES};
use crate::storage::tables::{self, BLOCK_INDEXES, BLOCKS, DIGESTS, Definition, INTEGRATORS, META};
use crate::world::{ENDPOINTS, Endpoint};
use redb::{StorageBackend, TableHandle};
use rollbook::{Engine, Options, Result};
use std::cell::RefCell;
use std::ops::Range;

/// A store that stays open, and the positions of its rows in the file.
struct Store {
    bytes: Vec<u8>,
    rows: Vec<Row>,
    disk: Disk,
    engine: Option<Engine>,
    targets: Vec<String>,
}

struct Row {
    value: Field,
    /// The block index of a block, and the range of the block's checksum in it. Writing the block
    /// also changes its block index.
    block_index: Option<(Field, Range<usize>)>,
    /// The digest that includes the row, or its block index.
    digest: Field,
    /// The indexes of the targets of the store whose answers depend on the row.
    asked: Vec<usize>,
}

/// The value of a row, and its position in the file.
struct Field {
    key: Vec<u8>,
    value: Vec<u8>,
    offset: usize,
}

/// Rows below this length are not damaged, because nothing is decoded from them.
const SHORT: usize = 12;

/// The lengths and offsets in a block index, as in the description of the format.
const HEAD: usize = 4;
const ENTRY: usize = 32;
const NUMBER: usize = 16;
const CHECKSUM: usize = 24;
const META_DIGEST: &[u8] = b"meta";

impl Store {
    fn new() -> Store {
        let bytes = small::store();
        let all = [BLOCKS, BLOCK_INDEXES, INTEGRATORS, META].into_iter();
        let all = all.flat_map(|table| {
            let rows = tables::rows(bytes.clone(), table).into_iter();
            rows.map(move |(key, value)| (table, key, value))
        });
        let long: Vec<_> = all.filter(|(_, _, value)| value.len() >= SHORT).collect();
        let mut store = Store {
            disk: Disk::new(bytes.clone()),
            bytes,
            rows: Vec::new(),
            engine: None,
            targets: targets(),
        };
        let right = store.answers();
        for (table, key, value) in long {
            let mut row = Row::read(&store.bytes, table, key, value);
            let broken: Vec<_> = row
                .value
                .value
                .iter()
                .map(|byte| byte.wrapping_add(0x55))
                .collect();
            row.write(&store.disk, &broken);
            let found = store.answers().into_iter().zip(&right);
            let touched = found
                .enumerate()
                .filter(|(_, (found, right))| found != *right);
            row.asked = touched.map(|(number, _)| number).collect();
            row.write(&store.disk, &row.value.value);
            store.rows.push(row);
        }
        store.engine = None;
        store
    }

    /// Returns the answers of an engine that opens the current bytes of the disk.
    fn answers(&mut self) -> Vec<Option<Vec<u8>>> {
        let targets = self.targets.clone();
        let Ok(engine) = self.fresh(true) else {
            return vec![None; targets.len()];
        };
        targets.iter().map(|target| ask(engine, target)).collect()
    }

    /// Returns an engine on the current bytes of the disk, with empty caches. A fuzzer has no time
    /// to open an engine, so its engine only empties its caches, unless the damaged row is read
    /// when a store is opened.
    fn fresh(&mut self, is_read_at_opening: bool) -> Result<&Engine> {
        if let Some(engine) = self.engine.take()
            && !is_read_at_opening
            && forget(&engine)
        {
            return Ok(self.engine.insert(engine));
        }
        let cacheless = Options {
            cache_bytes: 0,
            ..options()
        };
        let engine = Engine::open_with_backend(self.disk.clone(), cacheless)?;
        Ok(self.engine.insert(engine))
    }

    /// Restores the original bytes, after a change.
    fn restore(&mut self) {
        self.engine = None;
        self.disk = Disk::new(self.bytes.clone());
    }
}

#[cfg(fuzzing)]
fn forget(engine: &Engine) -> bool {
    rollbook::fuzzing::forget(engine).is_ok()
}

#[cfg(not(fuzzing))]
fn forget(_: &Engine) -> bool {
    false
}

impl Field {
    fn read(file: &[u8], table: Definition, key: Vec<u8>, value: Vec<u8>) -> Field {
        let offset = tables::offset(file, table, &key, &value);
        Field { key, value, offset }
    }

    fn write(&self, disk: &Disk, value: &[u8]) {
        disk.write(self.offset as u64, value).unwrap();
    }
}

impl Row {
    fn read(file: &[u8], table: Definition, key: Vec<u8>, value: Vec<u8>) -> Row {
        let find = |table: Definition, key: &[u8]| {
            let mut rows = tables::rows(file.to_vec(), table).into_iter();
            let (key, value) = rows.find(|(found, _)| found == key).unwrap();
            Field::read(file, table, key, value)
        };
        let block_index = (table.name() == BLOCKS.name()).then(|| {
            let (partition, number) = key.split_at(key.len() - 4);
            let number = u32::from_be_bytes(number.try_into().unwrap()).to_le_bytes();
            let block_index = find(BLOCK_INDEXES, partition);
            let mut entries = block_index.value[HEAD..].chunks_exact(ENTRY);
            let entry = entries.position(|entry| entry[NUMBER..].starts_with(&number));
            let at = HEAD + ENTRY * entry.unwrap() + CHECKSUM;
            (block_index, at..at + 8)
        });
        let digest = match table.name() {
            name if name == META.name() => META_DIGEST.to_vec(),
            name if name == INTEGRATORS.name() => b"integrators".to_vec(),
            _ => [b"s", &key[..8]].concat(),
        };
        Row {
            value: Field::read(file, table, key, value),
            block_index,
            digest: find(DIGESTS, &digest),
            asked: Vec::new(),
        }
    }

    /// Writes another value of this row, and the checksums that fit it. With wrong checksums, the
    /// value would not be decoded.
    fn write(&self, disk: &Disk, value: &[u8]) {
        self.value.write(disk, value);
        let new = checksum(&self.value.key, value);
        let (old, new) = match &self.block_index {
            None => (checksum(&self.value.key, &self.value.value), new),
            Some((block_index, at)) => {
                let mut changed = block_index.value.clone();
                changed[at.clone()].copy_from_slice(&new.to_le_bytes());
                block_index.write(disk, &changed);
                let of = |value: &[u8]| checksum(&block_index.key, value);
                (of(&block_index.value), of(&changed))
            }
        };
        let sum = u64::from_le_bytes(self.digest.value[..].try_into().unwrap());
        let sum = sum.wrapping_sub(old).wrapping_add(new);
        self.digest.write(disk, &sum.to_le_bytes());
    }
}

thread_local! {
    static STORE: RefCell<Store> = RefCell::new(Store::new());
}

/// Damages a row, asks the questions that depend on it, and sometimes exports everything or makes a
/// change. The first two bytes select the row, the third selects what is done in addition, and each
/// group of three after them selects a byte of the row and the number that is added to it. Returns
/// whether anything failed.
pub fn rows(bytes: &[u8]) -> bool {
    STORE.with_borrow_mut(|store| damaged(store, bytes))
}

fn damaged(store: &mut Store, bytes: &[u8]) -> bool {
    let Some(([low, high, beside], damage)) = bytes.split_first_chunk() else {
        return false;
    };
    let number = usize::from(u16::from_le_bytes([*low, *high])) % store.rows.len();
    let mut value = store.rows[number].value.value.clone();
    let (damage, _) = damage.as_chunks();
    for [low, high, added] in damage {
        let at = usize::from(u16::from_le_bytes([*low, *high])) % value.len();
        value[at] = value[at].wrapping_add(*added);
    }
    store.rows[number].write(&store.disk, &value);
    let asked = store.rows[number].asked.iter();
    let asked: Vec<_> = asked.map(|target| store.targets[*target].clone()).collect();
    let change = CHANGES.get(usize::from(*beside) / 2);
    let is_read_at_opening = store.rows[number].digest.key == META_DIGEST;
    let Ok(engine) = store.fresh(is_read_at_opening) else {
        store.restore();
        return true;
    };
    let ask = || {
        asked
            .iter()
            .filter(|target| ask(engine, target).is_none())
            .count()
    };
    let mut failed = ask();
    if beside.is_multiple_of(16) {
        failed += usize::from(requests::export(engine).is_err());
    }
    if let Some(change) = change {
        failed += usize::from(change(engine).is_err()) + ask();
        store.restore();
    } else {
        let row = &store.rows[number];
        row.write(&store.disk, &row.value.value);
    }
    failed > 0
}

/// Returns the answer to a target, or `None` if the store fails.
fn ask(engine: &Engine, target: &str) -> Option<Vec<u8>> {
    let answer = small::ask(engine, target);
    (answer.status.code < 500).then_some(answer.body)
}

/// Returns targets of every kind of question, including v2's collections in reverse order.
fn targets() -> Vec<String> {
    let mut targets = small::targets();
    let collections = ENDPOINTS
        .iter()
        .filter(|endpoint| !endpoint.place.is_empty());
    let collections = collections.flat_map(Endpoint::v2_examples);
    targets.extend(collections.filter_map(|target| {
        let joined = if target.contains('?') { '&' } else { '?' };
        let backwards = !target.contains("reverse_order");
        backwards.then(|| format!("{target}{joined}reverse_order=1"))
    }));
    targets
}
