//! The checksums of a store, made again for what is in it. Written from the
//! description of the format, and not with the engine's own code.

use super::tables::{BLOCK_INDEXES, BLOCKS, DIGESTS, Definition, INTEGRATORS, JOURNAL, META};
use redb::{ReadableTable, WriteTransaction};
use std::collections::BTreeMap;
use twox_hash::XxHash3_64;

/// Where the checksum of a run stands in its entry of a directory, and how long an
/// entry is.
const CHECKSUM: usize = 24;
const ENTRY: usize = 32;

/// How much of a key of the journal says of what it is.
const AREA: usize = 9;

/// The checksum of a row.
pub fn checksum(key: &[u8], value: &[u8]) -> u64 {
    XxHash3_64::oneshot_with_seed(XxHash3_64::oneshot(key), value)
}

/// Makes every checksum that of what is there. What is too damaged to have one keeps
/// what it has.
pub fn seal(transaction: &WriteTransaction) {
    let mut sums: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
    let mut add = |digest: Vec<u8>, key: &[u8], value: &[u8]| {
        let sum = sums.entry(digest).or_default();
        *sum = sum.wrapping_add(checksum(key, value));
    };
    for (key, mut directory) in all(transaction, BLOCK_INDEXES) {
        let runs = transaction.open_table(BLOCKS).unwrap();
        for entry in directory[4..].chunks_exact_mut(ENTRY) {
            let number: [u8; 4] = entry[16..20].try_into().unwrap();
            let number = u32::from_le_bytes(number).to_be_bytes();
            let run = [&key[..], &number].concat();
            if let Some(bytes) = runs.get(&run[..]).unwrap() {
                let checksum = checksum(&run, bytes.value());
                entry[CHECKSUM..].copy_from_slice(&checksum.to_le_bytes());
            }
        }
        drop(runs);
        let mut table = transaction.open_table(BLOCK_INDEXES).unwrap();
        table.insert(&key[..], &directory[..]).unwrap();
        add([b"s", &key[..8]].concat(), &key, &directory);
    }
    for (digest, table) in [("integrators", INTEGRATORS), ("meta", META)] {
        for (key, value) in all(transaction, table) {
            add(digest.into(), &key, &value);
        }
    }
    for (key, value) in all(transaction, JOURNAL) {
        add([b"j", &key[..AREA]].concat(), &key, &value);
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
