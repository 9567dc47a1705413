//! Reads and writes the tables of a store through redb, without the engine.

use super::disk::Disk;
use super::seal::seal;
use redb::{Database, ReadableDatabase, ReadableTable, TableDefinition};

/// The type of all tables of a store: keys and values are bytes.
pub type Definition = TableDefinition<'static, &'static [u8], &'static [u8]>;

/// The blocks of records.
pub const BLOCKS: Definition = TableDefinition::new("blocks");
/// The block indexes.
pub const BLOCK_INDEXES: Definition = TableDefinition::new("block_indexes");
/// Integrators and authorisations.
pub const INTEGRATORS: Definition = TableDefinition::new("integrators");
/// The metadata of the store.
pub const META: Definition = TableDefinition::new("meta");
/// The keys of the records that each commit changed.
pub const JOURNAL: Definition = TableDefinition::new("journal");

/// The digests of sets of rows.
pub const DIGESTS: Definition = TableDefinition::new("digests");

/// Returns the keys and values of a table.
pub fn rows(file: Vec<u8>, table: Definition) -> Vec<(Vec<u8>, Vec<u8>)> {
    let database = Database::builder()
        .create_with_backend(Disk::new(file))
        .unwrap();
    let transaction = database.begin_read().unwrap();
    let table = transaction.open_table(table).unwrap();
    let rows = table.iter().unwrap().map(|row| {
        let (key, value) = row.unwrap();
        (key.value().to_vec(), value.value().to_vec())
    });
    rows.collect()
}

/// Returns the position in the file of the value of a row. If the bytes occur several times, it is
/// the position that redb reads.
pub fn offset(file: &[u8], table: Definition, key: &[u8], value: &[u8]) -> usize {
    let places = memchr::memmem::find_iter(file, value);
    let is_read = |at: &usize| {
        let mut changed = file.to_vec();
        changed[*at] ^= 1;
        let changed = rows(changed, table).into_iter();
        changed
            .into_iter()
            .any(|(found, now)| found == key && now != value)
    };
    let mut places: Vec<_> = places.collect();
    if places.len() > 1 {
        places.retain(is_read);
    }
    places[0]
}

/// Returns the file with these rows of a table changed or added, and with recomputed checksums, as
/// if an engine had written these rows.
pub fn with_rows(file: Vec<u8>, table: Definition, rows: &[(Vec<u8>, Vec<u8>)]) -> Vec<u8> {
    let disk = Disk::new(file);
    let database = Database::builder()
        .create_with_backend(disk.clone())
        .unwrap();
    let mut transaction = database.begin_write().unwrap();
    transaction.set_quick_repair(true);
    let mut open = transaction.open_table(table).unwrap();
    for (key, value) in rows {
        open.insert(key.as_slice(), value.as_slice()).unwrap();
    }
    drop(open);
    seal(&transaction);
    transaction.commit().unwrap();
    drop(database);
    disk.bytes()
}
