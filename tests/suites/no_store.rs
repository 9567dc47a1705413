//! Files that are no store, or none that this version reads, are refused by
//! name and left as they are.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, missing_docs)]

use redb::{Database, TableDefinition};
use rollbook::{Engine, Error};
use rollbook_tests::storage::asked::export;
use rollbook_tests::storage::scenario::{SCHOOL, options, school};
use rollbook_tests::storage::tables::META;
use std::path::Path;

/// Opens a file, which must fail, twice; gives the code and says what became
/// of the file.
fn refused(path: &Path) -> (&'static str, Error) {
    let before = std::fs::read(path).unwrap();
    let error = Engine::open(path, options()).unwrap_err();
    let again = Engine::open(path, options()).unwrap_err();
    assert_eq!(error, again, "the second time it is another error");
    let after = std::fs::read(path).unwrap();
    assert!(before == after, "{}: the file was changed", error.code());
    (error.code(), error)
}

#[test]
fn files_of_other_programs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let text = "Not a store, but somebody's only copy.\n";
    let mut zeros_and_more = vec![0; 8192];
    zeros_and_more.push(1);
    let files: [(&str, Vec<u8>); 8] = [
        ("a line", text.into()),
        ("one byte", b"x".to_vec()),
        ("many lines", text.repeat(30_000).into()),
        ("a dataset", school(SCHOOL, 3).into()),
        ("SQLite", [b"SQLite format 3\0", &[0; 8176][..]].concat()),
        ("zeros and more", zeros_and_more),
        ("many zeros", vec![0; 17 << 20]),
        ("half a magic number", [b"redb", &[7; 8000][..]].concat()),
    ];
    for (what, bytes) in files {
        std::fs::write(&path, bytes).unwrap();
        let (code, error) = refused(&path);
        assert_eq!(code, "not_a_store", "{what}: {error}");
        assert!(
            error.to_string().contains(path.to_str().unwrap()),
            "{error}"
        );
    }
}

/// What creating a store leaves behind when it is cut short.
#[test]
fn files_with_nothing_in_them_become_stores() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in [("empty", vec![]), ("zeros", vec![0; 1 << 20])] {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let engine = Engine::open(&path, options()).unwrap();
        assert_eq!(export(&engine).unwrap(), "", "{name}");
        engine.apply(school(SCHOOL, 2).as_bytes()).unwrap();
        engine.close().unwrap();
        let again = Engine::open(&path, options()).unwrap();
        assert!(again.verify().unwrap().is_sound(), "{name}");
    }
}

#[test]
fn a_database_of_another_program() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.redb");
    let database = Database::create(&path).unwrap();
    let transaction = database.begin_write().unwrap();
    let table: TableDefinition<'_, u64, &str> = TableDefinition::new("theirs");
    let mut theirs = transaction.open_table(table).unwrap();
    theirs.insert(1, "precious").unwrap();
    drop(theirs);
    transaction.commit().unwrap();
    drop(database);
    let (code, error) = refused(&path);
    assert_eq!(code, "not_a_store", "{error}");
}

/// A table of their own that happens to bear the name of ours.
#[test]
fn a_database_with_a_table_of_the_same_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.redb");
    let database = Database::create(&path).unwrap();
    let transaction = database.begin_write().unwrap();
    let table: TableDefinition<'_, &str, u64> = TableDefinition::new("meta");
    transaction
        .open_table(table)
        .unwrap()
        .insert("format", 1)
        .unwrap();
    transaction.commit().unwrap();
    drop(database);
    let (code, error) = refused(&path);
    println!("{code}: {error}");
    assert!(matches!(code, "not_a_store" | "corrupt"), "{error}");
}

#[test]
fn a_store_of_a_newer_version() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let engine = Engine::open(&path, options()).unwrap();
    engine.apply(school(SCHOOL, 2).as_bytes()).unwrap();
    engine.close().unwrap();
    let set_format = |format: u32| {
        let database = Database::create(&path).unwrap();
        let transaction = database.begin_write().unwrap();
        let mut meta = transaction.open_table(META).unwrap();
        meta.insert(b"format".as_slice(), format.to_le_bytes().as_slice())
            .unwrap();
        drop(meta);
        transaction.commit().unwrap();
    };
    set_format(2);
    let (code, error) = refused(&path);
    assert_eq!(code, "newer_format");
    let newer = Error::NewerFormat {
        found: 2,
        supported: 1,
    };
    assert_eq!(error, newer);
    set_format(1);
    Engine::open(&path, options()).unwrap();
}

/// Paths at which no file can be.
#[test]
fn paths_that_cannot_be_opened() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing").join("store");
    for path in [folder.path(), &missing] {
        let error = Engine::open(path, options()).unwrap_err();
        assert_eq!(error.code(), "io", "{error}");
    }
}
