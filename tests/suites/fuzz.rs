//! Seeded mutations of the corpus's datasets and requests.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs
)]

use rollbook_tests::corpus::{self, Step};
use rollbook_tests::fuzz::{Mutator, dataset, request};
use std::collections::BTreeMap;

fn datasets() -> Vec<Vec<u8>> {
    let steps = corpus::cases().into_iter().flat_map(|case| case.steps);
    let datasets = steps.filter_map(|step| match step {
        // Passwords would be hashed anew each time.
        Step::Apply(dataset, _) if !dataset.contains("password") => Some(dataset.into_bytes()),
        _ => None,
    });
    datasets.collect()
}

fn requests() -> Vec<Vec<u8>> {
    let steps = corpus::cases().into_iter().flat_map(|case| case.steps);
    let requests = steps.filter_map(|step| match step {
        Step::Request(_, request) => Some(format!(
            "{}\n{}\ndemo\ndemo\n{}",
            request.method, request.target, request.body
        )),
        _ => None,
    });
    requests.map(String::into_bytes).collect()
}

#[test]
fn mutated_datasets() {
    let all = datasets();
    let mut mutator = Mutator::new(1);
    for _ in 0..3000 {
        let mut bytes = all[mutator.below(all.len())].clone();
        let other = &all[mutator.below(all.len())];
        mutator.mutate(&mut bytes, other);
        dataset(&bytes);
    }
}

#[test]
fn mutated_requests() {
    let all = requests();
    let mut mutator = Mutator::new(2);
    let mut statuses = BTreeMap::new();
    for _ in 0..50_000 {
        let mut bytes = all[mutator.below(all.len())].clone();
        let other = &all[mutator.below(all.len())];
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
