//! Tests of searches: a search finds the worlds that fail and reports the changes that are
//! necessary for it, and it fails if it tried too little.

use rollbook_tests::search::{Counts, failing, search};
use rollbook_tests::shrink::Change;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Clone, Debug)]
struct Number(u64);

impl Change for Number {}

fn said(work: impl FnOnce()) -> Option<String> {
    let panic = catch_unwind(AssertUnwindSafe(work)).err()?;
    panic.downcast_ref::<String>().cloned()
}

/// Fails, with an error or a panic, if 70 comes before 80.
fn run(seed: u64, changes: &[Number]) -> Result<(), String> {
    let place = |number| changes.iter().position(|change| change.0 == number);
    let (Some(first), Some(second)) = (place(70), place(80)) else {
        return Ok(());
    };
    assert!(seed == 7 || first > second, "{first} and {second}");
    if first < second {
        return Err("an error".to_owned());
    }
    Ok(())
}

#[test]
fn a_world_that_fails_is_named_with_what_it_needs() {
    let changes = |seed: u64| -> Vec<Number> {
        let numbers = 0..100;
        if seed % 5 == 2 {
            numbers.map(Number).collect()
        } else {
            numbers.rev().map(Number).collect()
        }
    };
    let said = said(|| {
        search([1, 3, 12, 7, 22], changes, run);
    });
    let said = said.unwrap();
    for expected in [
        "3 of 5 worlds fail, those of the seeds [7, 12, 22]",
        "ROLLBOOK_SEED=7 ROLLBOOK_SEQUENCES=1): an error",
        "Of its 100 changes it needs 2:\n    Number(70)\n    Number(80)\n",
    ] {
        assert!(said.contains(expected), "{said}");
    }
    assert_eq!(search([1, 3], changes, run), 2);
    assert!(catch_unwind(|| search([], changes, run)).is_err());
}

#[test]
fn each_case_is_tried_once() {
    let tried = AtomicU64::new(0);
    let failed = failing(&[1, 2, 3], |number| {
        tried.fetch_add(*number, Ordering::Relaxed);
        assert!(*number < 3, "it panics");
        Err("it fails".to_owned()).or((*number == 1).then_some(()).ok_or("it is 2".to_owned()))
    });
    assert_eq!(failed, ["2: it is 2", "3: it panics"]);
    assert_eq!(tried.into_inner(), 6);
}

#[test]
fn a_search_that_tried_too_little_fails() {
    let count = Counts::default();
    count.add("schools", 3);
    count.add("schools", 1);
    count.at_least("schools", 4);
    // If `ROLLBOOK_SEQUENCES` is set, no minimum is expected.
    let is_repeated = std::env::var_os("ROLLBOOK_SEQUENCES").is_some();
    for (what, floor) in [("schools", 5), ("questions", 1)] {
        let said = said(|| count.at_least(what, floor));
        assert_eq!(said.is_none(), is_repeated, "{said:?}");
    }
    assert_eq!(count.to_string(), "4 schools");
}
