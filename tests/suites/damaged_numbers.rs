//! Replaces numbers in the rows of a store, of each sort: by 0, by the highest value, and by the
//! same number with one bit flipped. No answer or change afterwards panics, hangs or needs too much
//! memory. Runs on Linux only, where the memory of a process can be limited.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    missing_docs
)]

use rollbook::{Answer, Engine};
use rollbook_tests::search::{extent, first_seed};
use rollbook_tests::storage::disk::Disk;
use rollbook_tests::storage::numbers::{Number, numbers};
use rollbook_tests::storage::requests::export;
use rollbook_tests::storage::scenario::options;
use rollbook_tests::storage::small::{CHANGES, answers, store};
use rollbook_tests::storage::tables::{
    BLOCK_INDEXES, BLOCKS, Definition, INTEGRATORS, JOURNAL, META, rows, with_rows,
};
use rollbook_tests::storage::watchdog::Watchdog;
use rollbook_tests::storage::{child, panics};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The address space of a child: the process itself, the cache, and the memory that is promised to
/// suffice for any dataset.
const ADDRESSES: u64 = 400 << 20;

/// A number of a row.
struct Place {
    table: Definition,
    key: Vec<u8>,
    row: Vec<u8>,
    number: Number,
}

fn places(file: &[u8]) -> Vec<Place> {
    let mut places = Vec::new();
    for table in [BLOCKS, BLOCK_INDEXES, INTEGRATORS, JOURNAL, META] {
        for (key, row) in rows(file.to_vec(), table) {
            for number in numbers(table, &key, &row) {
                let (key, row) = (key.clone(), row.clone());
                places.push(Place {
                    table,
                    key,
                    row,
                    number,
                });
            }
        }
    }
    places
}

/// A damage: the place, the new number, and a description.
type Damage<'a> = (&'a Place, u64, String);

/// Returns the damages to try: three of each sort of number in a sample, and one of each change of
/// each sort in the whole search. A block contains hundreds of numbers of some sorts, all of which
/// are read by the same code. The damages are evenly distributed, beginning at a place that depends
/// on the seed.
fn chosen(places: &[Place]) -> Vec<Damage<'_>> {
    let (by_way, of_each) = extent((false, 3), (true, 1));
    let mut sorts: BTreeMap<(&str, String), Vec<Damage<'_>>> = BTreeMap::new();
    for place in places {
        for (how, number) in place.number.others(&place.row) {
            let way = if by_way { how.clone() } else { String::new() };
            let sort = sorts.entry((&place.number.what, way)).or_default();
            sort.push((place, number, how));
        }
    }
    let chosen = sorts.into_values().flat_map(|all| {
        let (count, taken) = (all.len(), of_each.min(all.len()));
        let first = usize::try_from(first_seed()).unwrap() % count;
        let is_taken = move |at: &usize| {
            let at = (at + first) % count;
            (at + 1) * taken / count > at * taken / count
        };
        let numbered = all.into_iter().enumerate();
        numbered
            .filter(move |(at, _)| is_taken(at))
            .map(|(_, case)| case)
    });
    chosen.collect()
}

/// The answers of a store without damage, before and after the changes.
struct Right {
    before: Vec<Answer>,
    export: String,
    after: Vec<Answer>,
}

impl Right {
    fn read(file: &[u8]) -> Right {
        let engine = Engine::open_with_backend(Disk::new(file.to_vec()), options()).unwrap();
        let (before, export) = (answers(&engine), export(&engine).unwrap());
        for change in CHANGES {
            change(&engine).unwrap();
        }
        let found = engine.verify().unwrap();
        assert!(found.is_sound(), "{:?}", found.problems);
        let none = |answer: &Answer| answer.status.code >= 400;
        assert!(!before.iter().any(none), "{before:?}");
        Right {
            before,
            export,
            after: answers(&engine),
        }
    }
}

#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    tried: u32,
    /// The store could not be opened.
    refused: u32,
    /// An answer or the export was an error.
    failed: u32,
    /// An answer or the export was wrong.
    wrong: u32,
    /// A change was refused.
    changes_refused: u32,
    /// All changes were made, and an answer after them was wrong.
    wrong_after: u32,
}

fn try_out(file: Vec<u8>, right: &Right) -> Tally {
    let mut tally = Tally {
        tried: 1,
        ..Tally::default()
    };
    let Ok(engine) = Engine::open_with_backend(Disk::new(file), options()) else {
        tally.refused = 1;
        return tally;
    };
    let agree = |found: &[Answer], right: &[Answer]| {
        let mut pairs = found.iter().zip(right);
        pairs.all(|(found, right)| found == right || found.status.code == 500)
    };
    let (found, exported) = (answers(&engine), export(&engine));
    let is_error = |answer: &Answer| answer.status.code == 500;
    tally.failed = u32::from(found.iter().any(is_error) || exported.is_err());
    let exported_otherwise = exported.is_ok_and(|text| text != right.export);
    tally.wrong = u32::from(exported_otherwise || !agree(&found, &right.before));
    let _ = engine.verify();
    let mut all_made = true;
    for change in CHANGES {
        all_made &= change(&engine).is_ok();
    }
    tally.changes_refused = u32::from(!all_made);
    let found = answers(&engine);
    tally.wrong_after = u32::from(all_made && !agree(&found, &right.after));
    let _ = (export(&engine), engine.verify());
    tally
}

/// Returns whether a number states a size that can be compared with the data, so that a wrong
/// number must be noticed.
fn is_always_noticed(what: &str, how: &str) -> bool {
    let is_slot_beyond_all = || {
        let bit = how.strip_prefix("bit ").and_then(|bit| bit.parse().ok());
        what == "collection 12: tag 0" && bit.is_none_or(|bit: u32| bit >= 17) && how.len() > 1
    };
    what.ends_with(": count")
        || what.contains(": count of")
        || what.contains(": length of column")
        // A first key that is too high hides its block, so that no search reads it.
        || what.starts_with("block index") && what != "block index: first key"
        || what == "a state" && how != "bit 0" && how.len() > 1
        || is_slot_beyond_all()
}

/// The number of child processes. Each tries every second case.
const CHILDREN: usize = 2;

/// Runs in a child: tries its cases, beginning with one. It prints each case before trying it, then
/// its failure if any, and the totals at the end.
fn try_all(from: usize) {
    let panics = panics::counted();
    let whole = store();
    let right = Right::read(&whole);
    let places = places(&whole);
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    let chosen = chosen(&places).into_iter().enumerate();
    for (at, (place, number, how)) in chosen.skip(from).step_by(CHILDREN) {
        let what = &*place.number.what;
        let case = format!("{what}, {how}, of row {:02x?}", place.key);
        child::say(&format!("{CASE}{at} {case}"));
        let _dog = Watchdog::over(&case, Duration::from_secs(60));
        let row = place.number.with(&place.row, number);
        let file = with_rows(whole.clone(), place.table, &[(place.key.clone(), row)]);
        let panicked = panics.of_ours();
        let tally = try_out(file, &right);
        if panics.of_ours() > panicked {
            child::say(&format!("{FAILURE}{case}: it panicked"));
        }
        if tally.wrong + tally.wrong_after > 0 && is_always_noticed(what, &how) {
            child::say(&format!("{FAILURE}{case}: {tally:?}"));
        }
        tallies.entry(what).or_default().add(&tally);
    }
    for (what, tally) in &tallies {
        child::say(&format!("{what}: {tally:?}"));
    }
    let mut all = Tally::default();
    for tally in tallies.values() {
        all.add(tally);
    }
    child::say(&format!("{} sorts of numbers: {all:?}", tallies.len()));
}

const CASE: &str = "case ";
const FAILURE: &str = "failure: ";

/// Returns the failures of one child. If a case ends the process, a new child continues after it.
fn failures_from(first: usize, cases: &AtomicUsize) -> Vec<String> {
    let test = "damaged_numbers::each_number_made_another";
    let mut failures = Vec::new();
    let mut next = first;
    loop {
        let mut child = child::start_within(ADDRESSES, test, &next.to_string());
        let mut case = String::new();
        for line in child::lines(child.stdout.take().unwrap()) {
            match (line.strip_prefix(CASE), line.strip_prefix(FAILURE)) {
                (Some(tried), _) => {
                    tried.clone_into(&mut case);
                    cases.fetch_add(1, Ordering::Relaxed);
                }
                (_, Some(failure)) => failures.push(failure.to_owned()),
                _ => println!("{line}"),
            }
        }
        if child.wait().unwrap().success() {
            return failures;
        }
        let (at, case) = case.split_once(' ').unwrap_or(("", "nothing was tried"));
        failures.push(format!("{case}: the process ended"));
        next = at.parse::<usize>().unwrap() + CHILDREN;
    }
}

#[test]
fn each_number_made_another() {
    if let Some(from) = child::task() {
        return try_all(from.parse().unwrap());
    }
    let cases = AtomicUsize::new(0);
    let failures = std::thread::scope(|scope| {
        let children: Vec<_> = (0..CHILDREN)
            .map(|first| {
                scope.spawn({
                    let cases = &cases;
                    move || failures_from(first, cases)
                })
            })
            .collect();
        let failures = children.into_iter().flat_map(|child| child.join().unwrap());
        failures.collect::<Vec<_>>()
    });
    assert!(
        failures.is_empty(),
        "{}:\n{}",
        failures.len(),
        failures.join("\n")
    );
    let cases = cases.into_inner();
    assert!(cases > 900, "{cases}");
}

/// With two assessments in one slot, a mark would replace the mark of the other assessment.
#[test]
fn two_assessments_in_one_slot() {
    let whole = store();
    let all = rows(whole.clone(), BLOCKS);
    let (key, row) = all.into_iter().find(|(key, _)| key[8] == 12).unwrap();
    let mut slots = numbers(BLOCKS, &key, &row);
    slots.retain(|number| number.what == "collection 12: tag 0");
    let row = slots[1].with(&row, slots[0].now(&row));
    let file = with_rows(whole, BLOCKS, &[(key, row)]);
    let engine = Engine::open_with_backend(Disk::new(file), options()).unwrap();
    let [marks, ..] = CHANGES;
    assert_eq!(marks(&engine).unwrap_err().code(), "corrupt");
    let found = answers(&engine);
    assert!(found.iter().any(|answer| answer.status.code == 500));
    assert!(!engine.verify().unwrap().is_sound());
}

impl Tally {
    fn add(&mut self, other: &Tally) {
        self.tried += other.tried;
        self.refused += other.refused;
        self.failed += other.failed;
        self.wrong += other.wrong;
        self.changes_refused += other.changes_refused;
        self.wrong_after += other.wrong_after;
    }
}
