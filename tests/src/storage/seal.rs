//! Recomputes the checksums of a store for its current content. Written from the description of the
//! format, without the code of the engine.

use super::tables::{BLOCK_INDEXES, BLOCKS, DIGESTS, Definition, INTEGRATORS, JOURNAL, META};
use redb::{ReadableTable, WriteTransaction};
use std::collections::BTreeMap;
use twox_hash::XxHash3_64;

/// The position of the checksum in an entry of a block index, and the length of an entry.
const CHECKSUM: usize = 24;
const ENTRY: usize = 32;

/// The length of the part of a journal key that identifies the log partition.
const PARTITION: usize = 9;

/// Returns the checksum of a row.
pub fn checksum(key: &[u8], value: &[u8]) -> u64 {
    XxHash3_64::oneshot_with_seed(XxHash3_64::oneshot(key), value)
}

/// Recomputes every checksum for the current rows. Rows that are too damaged to have a checksum are
/// unchanged.
pub fn seal(transaction: &WriteTransaction) {
    let mut sums: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
    let mut add = |digest: Vec<u8>, key: &[u8], value: &[u8]| {
        let sum = sums.entry(digest).or_default();
        *sum = sum.wrapping_add(checksum(key, value));
    };
    for (key, mut block_index) in all(transaction, BLOCK_INDEXES) {
        let blocks = transaction.open_table(BLOCKS).unwrap();
        for entry in block_index[4..].chunks_exact_mut(ENTRY) {
            let number: [u8; 4] = entry[16..20].try_into().unwrap();
            let number = u32::from_le_bytes(number).to_be_bytes();
            let block_key = [&key[..], &number].concat();
            if let Some(bytes) = blocks.get(&block_key[..]).unwrap() {
                let checksum = checksum(&block_key, bytes.value());
                entry[CHECKSUM..].copy_from_slice(&checksum.to_le_bytes());
            }
        }
        drop(blocks);
        let mut table = transaction.open_table(BLOCK_INDEXES).unwrap();
        table.insert(&key[..], &block_index[..]).unwrap();
        add([b"s", &key[..8]].concat(), &key, &block_index);
    }
    for (digest, table) in [("integrators", INTEGRATORS), ("meta", META)] {
        for (key, value) in all(transaction, table) {
            add(digest.into(), &key, &value);
        }
    }
    for (key, value) in all(transaction, JOURNAL) {
        add([b"j", &key[..PARTITION]].concat(), &key, &value);
    }
    let mut digests = transaction.open_table(DIGESTS).unwrap();
    for (key, sum) in sums {
        digests.insert(&key[..], &sum.to_le_bytes()[..]).unwrap();
    }
}

fn all(transaction: &WriteTransaction, table: Definition) -> Vec<(Vec<u8>, Vec<u8>)> {
    let table = transaction.open_table(table).unwrap();
    let rows = table.iter().unwrap().map(|row| {
        let (key, value) = row.unwrap();
        (key.value().to_vec(), value.value().to_vec())
    });
    rows.collect()
}
