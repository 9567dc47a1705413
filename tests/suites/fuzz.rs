//! Seeded mutations of the corpus's datasets and requests.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs
)]

use rollbook_tests::fuzz::{Mutator, dataset, request, seeds};
use std::collections::BTreeMap;

#[test]
fn mutated_datasets() {
    let all = seeds::datasets();
    let mut mutator = Mutator::new(1);
    for _ in 0..3000 {
        let mut bytes = all[mutator.below(all.len())].clone().into_bytes();
        let other = all[mutator.below(all.len())].as_bytes();
        mutator.mutate(&mut bytes, other);
        dataset(&bytes);
    }
}

#[test]
fn mutated_requests() {
    let all = seeds::requests();
    let mut mutator = Mutator::new(2);
    let mut statuses = BTreeMap::new();
    for _ in 0..50_000 {
        let mut bytes = all[mutator.below(all.len())].clone().into_bytes();
        let other = all[mutator.below(all.len())].as_bytes();
        // Mostly the target alone, in which it gets interesting: a wrong path
        // is a 404, and a wrong password costs a hash.
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
