//! Every kind of fault of a dataset occurs.

use super::{LIVES, Outcome, World};
use rollbook_tests::twin::{Twin, comparable};

const FAULTS: [&str; 29] = [
    "is not an Argon2id hash",
    "is longer than 1 MiB",
    "is not a JSON object",
    "type: is missing",
    "is not a kind of record",
    "is not a field of learner",
    "is not a field of terms",
    "id: stands twice",
    "terms.term: stands twice",
    "id: is missing",
    "terms.term: is missing",
    "family: is missing",
    "is not an unsigned integer (at most 18446744073709551615)",
    "is not text (a string or an integer)",
    "is not a date (YYYY-MM-DD)",
    "is not a date-time (YYYY-MM-DD HH:MM:SS)",
    "is not a decimal (at most 12 digits, then at most 6 after a point)",
    "at most 6 after a point) or \"a\"",
    "is not one of ",
    "is not an offset (±HH:MM, at most 18:00)",
    "is not an array of objects",
    "is not an array of administration, curriculum, finance, parents, each at most once",
    "is not an array of text, none of it empty",
    "is not an integer of 64 bits",
    "terms: term 2 stands twice",
    "deleted: false is not true",
    "does not go with deleted",
    "username: is longer than 256 bytes",
    "does not go with password_hash",
];

const TRANSACTIONS: [&str; 3] = [
    "is not the school to replace",
    "is not in the store",
    "is still needed by a client_integration, year or term",
];

#[test]
#[ignore = "tests/run searches"]
fn every_fault_of_a_transaction_occurs() {
    let mut faults = TRANSACTIONS.to_vec();
    for (_, outcome) in LIVES.iter().flat_map(|life| &life.steps) {
        if let Outcome::Refused(fault) = outcome {
            faults.retain(|text| !fault.contains(text));
        }
    }
    assert!(faults.is_empty(), "never: {faults:#?}");
}

#[test]
#[ignore = "tests/run searches"]
fn every_fault_of_a_line_occurs() {
    let mut faults = FAULTS.to_vec();
    for seed in 0..100 {
        let dataset = World::new(seed).faulty_dataset(300);
        for fault in Twin::default().check(&dataset, usize::MAX) {
            faults.retain(|text| !comparable(&fault).contains(text));
        }
        if faults.is_empty() {
            return;
        }
    }
    panic!("never: {faults:#?}");
}
