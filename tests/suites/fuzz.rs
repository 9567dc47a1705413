//! Seeded mutations of the datasets and requests of the corpus, of feeds, and of the rows of a
//! store; and the inputs that fuzzers have found. Those of the targets `row` and `answer`, which are
//! private, are in `core/fuzz`, and the tests of core replay them.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs
)]

use rollbook_tests::fuzz::{
    Mutator, cursor, dataset, feed, feed_seeds, found, lines, request, rows, seeds, target,
};
use rollbook_tests::search::extent;
use rollbook_tests::storage::panics;
use std::collections::BTreeMap;

#[test]
fn mutated_datasets() {
    let all = seeds::datasets();
    let mut mutator = Mutator::new(1);
    let mut stored = 0;
    for _ in 0..3000 {
        let mut bytes = all[mutator.below(all.len())].clone().into_bytes();
        let other = all[mutator.below(all.len())].as_bytes();
        mutator.mutate(&mut bytes, other);
        stored += u32::from(dataset(&bytes));
    }
    println!("{stored} of 3000 datasets were stored");
    assert!(stored > 100, "{stored}");
}

#[test]
fn mutated_feeds() {
    let all = feed_seeds();
    let mut codes = BTreeMap::new();
    for seed in &all {
        *codes.entry(feed(seed)).or_insert(0) += 1;
    }
    println!("seeds {codes:?}");
    assert!(codes[&"ok"] > all.len() / 2);
    let mut mutator = Mutator::new(4);
    let mut codes = BTreeMap::new();
    for _ in 0..extent(3_000, 20_000) {
        let mut bytes = all[mutator.below(all.len())].clone();
        let kind = bytes.remove(0);
        let other = &all[mutator.below(all.len())];
        mutator.mutate(&mut bytes, other);
        bytes.insert(0, kind);
        *codes.entry(feed(&bytes)).or_insert(0) += 1;
    }
    println!("mutated {codes:?}");
    assert!(codes.len() > 3 && codes[&"ok"] > 100, "{codes:?}");
}

#[test]
fn mutated_requests() {
    let all = seeds::requests();
    let mut mutator = Mutator::new(2);
    let mut statuses = BTreeMap::new();
    for _ in 0..50_000 {
        let mut bytes = all[mutator.below(all.len())].clone().into_bytes();
        let other = all[mutator.below(all.len())].as_bytes();
        // Most mutations change only the target: a wrong path is only a 404, and a wrong password
        // costs a hash.
        let start = bytes.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        let end = bytes
            .windows(6)
            .position(|part| part == b"\ndemo\n")
            .unwrap();
        let query = bytes[..end].iter().position(|byte| *byte == b'?');
        let (from, to) = match (mutator.below(50), query) {
            (0, _) => (0, bytes.len()),
            (1..25, Some(query)) => (query, end),
            _ => (start, end),
        };
        let mut part = bytes[from..to].to_vec();
        mutator.mutate(&mut part, other);
        if to == end {
            part.retain(|byte| *byte != b'\n');
        }
        bytes.splice(from..to, part);
        *statuses.entry(request(&bytes).code).or_insert(0) += 1;
    }
    println!("statuses {statuses:?}");
    assert!(statuses.len() >= 6 && statuses[&200] > 1000);
}

#[test]
fn damaged_rows() {
    let panics = panics::counted();
    let mut mutator = Mutator::new(3);
    let (mut failed, mut right) = (0, 0);
    for _ in 0..2000 {
        let edits = 1 + mutator.below(3);
        let bytes = (0..3 + 3 * edits).map(|_| u8::try_from(mutator.below(256)).unwrap());
        let bytes: Vec<u8> = bytes.collect();
        if rows(&bytes) {
            failed += 1;
        } else {
            right += 1;
        }
    }
    println!("{failed} stores failed a question, {right} none");
    assert!(failed > 200 && right > 200);
    assert_eq!(panics.of_ours(), 0);
}

#[test]
fn inputs_that_fuzzers_found() {
    let mut stored = BTreeMap::new();
    for input in found::inputs("dataset") {
        lines(&input);
        *stored.entry(dataset(&input)).or_insert(0) += 1;
    }
    let mut statuses = BTreeMap::new();
    for input in found::inputs("request") {
        *statuses.entry(request(&input).code).or_insert(0) += 1;
    }
    let mut statuses_of_targets = BTreeMap::new();
    for input in found::inputs("target") {
        *statuses_of_targets.entry(target(&input).code).or_insert(0) += 1;
    }
    let mut codes = BTreeMap::new();
    for input in found::inputs("feed") {
        *codes.entry(feed(&input)).or_insert(0) += 1;
    }
    let mut failed = BTreeMap::new();
    for input in found::inputs("rows") {
        *failed.entry(rows(&input)).or_insert(0) += 1;
    }
    for input in found::inputs("cursor") {
        cursor(&input);
    }
    println!("{stored:?} {statuses:?} {statuses_of_targets:?} {codes:?} {failed:?}");
    assert!(stored[&true] > 30 && stored[&false] > 100);
    assert!(statuses.len() >= 6 && statuses[&200] > 50);
    assert!(statuses_of_targets.len() >= 5 && statuses_of_targets[&200] > 50);
    assert!(codes.len() >= 4 && codes[&"ok"] > 5);
    assert!(failed[&true] > 30 && failed[&false] > 30);
}
