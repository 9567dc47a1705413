//! An unchanged pass writes only the fetch log, independent of the size of the school.

use super::machine::{grades, options, pass};
use super::steps::lines;
use super::{NOW, SCHOOL};
use rollbook::{Engine, Options};
use rollbook_tests::storage::disk::Disk;
use rollbook_tests::storage::images::{Cut, windows};
use rollbook_tests::storage::recorder::{Event, Recorder};
use rollbook_tests::storage::tables::{self, Definition};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// The position of the number of the collection in the keys of blocks and block indexes.
const COLLECTION: usize = 8;
/// The number of the collection of the fetch log.
const FETCH_LOG: u8 = 28;

/// The file before and after an unchanged pass, the number of its calls, and of the bytes written.
struct Written {
    before: Vec<u8>,
    after: Vec<u8>,
    calls: usize,
    bytes: usize,
}

/// Runs an unchanged pass of a school with so many staff members.
fn unchanged_pass(staff: u64) -> Written {
    let source = grades(7);
    let mut more = String::new();
    for id in 1..=staff {
        let name = "Maximiliane".repeat(20);
        writeln!(
            more,
            r#"{{"type":"staff_member","school_id":1000,"id":{id},"first_name":"{name}{id}"}}"#
        )
        .unwrap();
    }
    source.apply(more.as_bytes()).unwrap();
    let disk = Disk::default();
    let open = |backend| Engine::open_with_backend(backend, Options::default()).unwrap();
    let mirror = open(disk.clone());
    pass(&mirror.sync(SCHOOL, options(0)).unwrap(), &source, NOW);
    let expected = lines(&mirror);
    mirror.close().unwrap();
    let before = disk.bytes();
    let recorder = Recorder::on(before.clone());
    let mirror = Engine::open_with_backend(recorder.clone(), Options::default()).unwrap();
    let opened = recorder.entries().len();
    let sync = mirror.sync(SCHOOL, options(0)).unwrap();
    let (targets, report) = pass(&sync, &source, NOW + 3_600);
    assert_eq!(report.unchanged, targets.len() as u64);
    let log = recorder.entries();
    let written = log[opened..].iter().map(|entry| match &entry.event {
        Event::Write { data, .. } => data.len(),
        _ => 0,
    });
    let bytes = written.sum();
    assert_eq!(lines(&mirror), expected);
    drop(sync);
    mirror.close().unwrap();
    let windows = windows(before.clone(), &recorder.entries());
    Written {
        before,
        after: windows.last().unwrap().image(Cut::Everything),
        calls: targets.len(),
        bytes,
    }
}

/// Returns the keys of the changed rows of a table.
fn changed(written: &Written, table: Definition) -> BTreeSet<Vec<u8>> {
    let rows = |file: &[u8]| -> BTreeMap<Vec<u8>, Vec<u8>> {
        tables::rows(file.to_vec(), table).into_iter().collect()
    };
    let (before, after) = (rows(&written.before), rows(&written.after));
    let keys = before.keys().chain(after.keys());
    let changed = keys.filter(|key| before.get(*key) != after.get(*key));
    changed.cloned().collect()
}

#[test]
fn an_unchanged_pass_writes_only_the_fetch_log() {
    let (small, large) = (unchanged_pass(10), unchanged_pass(4_000));
    for written in [&small, &large] {
        for table in [tables::BLOCKS, tables::BLOCK_INDEXES] {
            let keys = changed(written, table);
            assert!(!keys.is_empty());
            let is_of_fetch_log = |key: &Vec<u8>| key[COLLECTION] == FETCH_LOG;
            assert!(keys.iter().all(is_of_fetch_log), "{keys:?}");
        }
        assert_eq!(changed(written, tables::INTEGRATORS), BTreeSet::new());
        let meta = changed(written, tables::META);
        let meta: Vec<_> = meta
            .iter()
            .map(|key| String::from_utf8_lossy(key))
            .collect();
        // The store was opened again, and this is its first write.
        assert_eq!(meta, ["incarnations", "sequence"]);
        assert_eq!(written.calls, 22);
    }
    println!(
        "{} calls wrote {} bytes; with 1 MB more of records {}",
        small.calls, small.bytes, large.bytes
    );
    assert!(large.before.len() > small.before.len() + 900_000);
    assert!(large.bytes * 10 < small.bytes * 11);
}
