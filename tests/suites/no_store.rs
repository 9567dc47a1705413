//! Files that are not a store, or not one that this version can read, are refused with a specific
//! error and not changed.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    missing_docs
)]

use redb::{Database, TableDefinition};
use rollbook::{Engine, Error};
use rollbook_tests::storage::disk::Disk;
use rollbook_tests::storage::images::{Cut, windows};
use rollbook_tests::storage::recorder::Recorder;
use rollbook_tests::storage::requests::export;
use rollbook_tests::storage::scenario::{SCHOOL, options, school};
use rollbook_tests::storage::tables::META;
use std::path::Path;

/// Opens a file twice, which must fail with the same error and leave the file unchanged. Returns
/// the code and the error.
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
    let mut boot = [0; 512];
    boot[446..450].copy_from_slice(&[0x80, 0x20, 0x21, 0]);
    boot[510..].copy_from_slice(&[0x55, 0xaa]);
    let half_made = half_made();
    let mut other_page_size = half_made.clone();
    other_page_size[13] = 0x20;
    let files = [
        ("nothing", vec![]),
        ("one zero", vec![0]),
        ("the first byte of the magic number", b"r".to_vec()),
        ("nine zeros and a line", [&[0; 9], text.as_bytes()].concat()),
        ("a boot sector", boot.to_vec()),
        (
            "a boot sector and zeros",
            [boot.to_vec(), vec![0; 1 << 20]].concat(),
        ),
        ("a page of zeros", vec![0; 4096]),
        ("a megabyte of zeros", vec![0; 1 << 20]),
        ("half a database", half_made),
        ("half a database of another kind", other_page_size),
        ("a database with nothing in it", empty_database()),
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

/// Returns what redb has written of a database before its first sync.
fn half_made() -> Vec<u8> {
    let recorder = Recorder::on(Vec::new());
    drop(
        Database::builder()
            .create_with_backend(recorder.clone())
            .unwrap(),
    );
    let windows = windows(Vec::new(), &recorder.entries());
    windows.first().unwrap().image(Cut::Everything)
}

fn empty_database() -> Vec<u8> {
    let disk = Disk::default();
    drop(
        Database::builder()
            .create_with_backend(disk.clone())
            .unwrap(),
    );
    disk.bytes()
}

/// A backend is intended for a store: an empty one becomes a store, and so does one on which the
/// creation of a store was interrupted.
#[test]
fn backends_with_nothing_in_them_become_stores() {
    let half_made = half_made();
    let zeros = vec![0; half_made.len()];
    let mut half_named = half_made.clone();
    half_named[..4].copy_from_slice(b"redb");
    for (what, bytes) in [
        ("nothing", vec![]),
        ("zeros", zeros),
        ("half made", half_made),
        ("half named", half_named),
        ("made, and never used", empty_database()),
    ] {
        let disk = Disk::new(bytes);
        let engine = Engine::open_with_backend(disk.clone(), options()).unwrap();
        assert_eq!(export(&engine).unwrap(), "", "{what}");
        engine.apply(school(SCHOOL, 2).as_bytes()).unwrap();
        engine.close().unwrap();
        let again = Engine::open_with_backend(disk, options()).unwrap();
        assert!(again.verify().unwrap().is_sound(), "{what}");
    }
}

/// Backends with any other content are not changed.
#[test]
fn backends_with_something_else_in_them() {
    let half_made = half_made();
    let with = |place: usize, byte: u8| {
        let mut bytes = half_made.clone();
        bytes[place] = byte;
        bytes
    };
    let mut text = vec![0; half_made.len()];
    text[9..14].copy_from_slice(b"Hello");
    for (what, bytes) in [
        ("one zero", vec![0]),
        ("the first byte of the magic number", b"r".to_vec()),
        ("too short", half_made[1..].to_vec()),
        ("too long", [&half_made[..], &[0]].concat()),
        ("zeros and text", text),
        ("another page size", with(13, 0x20)),
        ("something behind the header", with(320, 1)),
        ("something in the first page", with(4095, 1)),
        ("something at the end", with(half_made.len() - 1, 1)),
    ] {
        let disk = Disk::new(bytes.clone());
        let opened = Engine::open_with_backend(disk.clone(), options());
        assert_eq!(opened.unwrap_err().code(), "not_a_store", "{what}");
        assert!(disk.bytes() == bytes, "{what}: it was changed");
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

/// A database of another program may have a table with the same name.
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
    set_format(3);
    let (code, error) = refused(&path);
    assert_eq!(code, "newer_format");
    let newer = Error::NewerFormat {
        what: "format".to_owned(),
        found: 3,
        supported: 1,
    };
    assert_eq!(error, newer);
    set_format(1);
    Engine::open(&path, options()).unwrap();
}

/// A store that lost its own metadata is damaged. It must not be reported as a file that is not a
/// store, because a user might delete it.
#[test]
fn a_store_with_a_wrong_row_of_its_own_is_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let engine = Engine::open(&path, options()).unwrap();
    engine.apply(school(SCHOOL, 2).as_bytes()).unwrap();
    engine.close().unwrap();
    let whole = std::fs::read(&path).unwrap();
    let format = b"format".as_slice();
    let none = 0_u32.to_le_bytes();
    for (what, row) in [
        ("format 0", Some(&none[..])),
        ("half a number", Some(&none[..2])),
        ("nothing", Some(&none[..0])),
        ("no row", None),
    ] {
        std::fs::write(&path, &whole).unwrap();
        let database = Database::create(&path).unwrap();
        let transaction = database.begin_write().unwrap();
        let mut meta = transaction.open_table(META).unwrap();
        match row {
            Some(row) => drop(meta.insert(format, row).unwrap()),
            None => drop(meta.remove(format).unwrap()),
        }
        drop(meta);
        transaction.commit().unwrap();
        drop(database);
        let (code, error) = refused(&path);
        assert_eq!(code, "corrupt", "{what}: {error}");
    }
    std::fs::write(&path, &whole).unwrap();
    let database = Database::create(&path).unwrap();
    let transaction = database.begin_write().unwrap();
    assert!(transaction.delete_table(META).unwrap());
    transaction.commit().unwrap();
    drop(database);
    assert_eq!(refused(&path).0, "corrupt");
}
