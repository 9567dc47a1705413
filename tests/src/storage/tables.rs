//! A store's tables, as redb sees them: to look behind the engine's back.

use super::disk::Disk;
use super::seal::seal;
use redb::{Database, ReadableDatabase, ReadableTable, TableDefinition};

/// All tables of a store have keys and values of bytes.
pub type Definition = TableDefinition<'static, &'static [u8], &'static [u8]>;

/// Runs of records.
pub const BLOCKS: Definition = TableDefinition::new("blocks");
/// Which run holds which keys.
pub const BLOCK_INDEXES: Definition = TableDefinition::new("block_indexes");
/// Integrators and authorisations.
pub const INTEGRATORS: Definition = TableDefinition::new("integrators");
/// What the store says of itself.
pub const META: Definition = TableDefinition::new("meta");
/// What each commit touched.
pub const JOURNAL: Definition = TableDefinition::new("journal");

/// Which rows belong together.
pub const DIGESTS: Definition = TableDefinition::new("digests");

/// The rows of a table, keys and values.
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

/// Where in the file the value of a row lies: of the places with its bytes, the one that
/// redb reads.
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

/// The file with these rows in a table changed or added, and the checksums those of
/// what is there then: as an engine would have left it that wrote these rows.
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
