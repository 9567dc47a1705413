//! Damages the lists of free pages that belong to redb: the store then refuses changes, but all its
//! content can be read and exported. Also damages page numbers, so that a page seems to be longer
//! than the file.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::indexing_slicing,
    missing_docs
)]

use rollbook::Engine;
use rollbook_tests::storage::child;
use rollbook_tests::storage::disk::Disk;
use rollbook_tests::storage::panics;
use rollbook_tests::storage::read_recorder::{BLOCK, ReadRecorder};
use rollbook_tests::storage::requests::export;
use rollbook_tests::storage::scenario::options;
use rollbook_tests::storage::small::{CHANGES, answers, store};

/// Damages with which a change once ended the process: a byte, and the bits to flip.
const ENDED: [(usize, u8); 2] = [(8412, 0xfc), (28674, 0x80)];

#[test]
fn damaged_lists_of_pages() {
    let whole = store();
    let watched = ReadRecorder::on(whole.clone());
    let engine = Engine::open_with_backend(watched.clone(), options()).unwrap();
    let read = watched.blocks();
    let (right, exported) = (answers(&engine), export(&engine).unwrap());
    drop(engine);
    let panics = panics::counted();
    let mut refused = 0;
    let sampled = read.into_iter().skip(1).flat_map(|block| {
        let bytes = (0..BLOCK).step_by(97);
        bytes.map(move |byte| (block * BLOCK + byte, 0x80))
    });
    for (at, changed) in ENDED.into_iter().chain(sampled) {
        let mut file = whole.clone();
        let Some(byte) = file.get_mut(at) else {
            continue;
        };
        *byte ^= changed;
        let disk = Disk::new(file.clone());
        let Ok(engine) = Engine::open_with_backend(disk.clone(), options()) else {
            continue;
        };
        let is_of_lists = |error: &rollbook::Error| error.to_string().contains("free pages");
        let compacted = engine.compact();
        if !compacted.as_ref().is_err_and(is_of_lists) {
            continue;
        }
        refused += 1;
        for change in CHANGES {
            assert!(change(&engine).is_err_and(|error| is_of_lists(&error)));
        }
        assert!(answers(&engine) == right, "byte {at}");
        assert!(export(&engine).unwrap() == exported, "byte {at}");
        assert!(!engine.verify().is_ok_and(|found| found.is_sound()));
        engine.close().unwrap();
        assert!(disk.bytes() == file, "byte {at} ^ {changed:#x}");
    }
    println!(
        "{refused} damages of lists; {} panics of redb caught",
        panics.count()
    );
    assert_eq!(panics.of_ours(), 0);
    assert!(refused > 25, "{refused}");
}

/// A page whose number claims a length of four gigabytes is not read: the memory of this process is
/// limited.
#[cfg(unix)]
#[test]
fn pages_longer_than_the_file() {
    const MOST: u64 = 2 << 30;
    if child::task().is_none() {
        let test = "damaged_lists::pages_longer_than_the_file";
        let mut child = child::start_within(MOST, test, "read");
        assert!(child.wait().unwrap().success());
        return;
    }
    let whole = store();
    let is_branch = |page: &usize| whole[page * BLOCK] == 2 && whole[page * BLOCK + 3] == 0;
    let branches = (1..whole.len() / BLOCK).filter(is_branch);
    let (mut tried, mut failed) = (0, 0);
    for start in branches.map(|page| page * BLOCK) {
        let children = usize::from(whole[start + 2]) + 1;
        for child in 0..children.min(100) {
            let mut file = whole.clone();
            // The highest bits of the number of a page contain its order.
            file[start + 8 + 16 * children + 8 * child + 7] |= 20 << 3;
            tried += 1;
            let Ok(engine) = Engine::open_with_backend(Disk::new(file), options()) else {
                failed += 1;
                continue;
            };
            let found = answers(&engine);
            let is_error = |answer: &rollbook::Answer| answer.status.code == 500;
            let changed = CHANGES.iter().all(|change| change(&engine).is_ok());
            failed += usize::from(found.iter().any(is_error) || !changed);
        }
    }
    println!("{tried} long pages, {failed} noticed");
    assert!(failed > 5, "{failed} of {tried}");
}
