//! Checks the measurements of the engine itself with a small school. This program starts itself as
//! a child, and therefore has no test harness.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use rollbook_benches::growth::{self, Rounds};
use rollbook_benches::spread::Spread;
use rollbook_benches::{child, concurrent, journal, writes};
use std::collections::BTreeSet;
use std::time::Duration;

const LEARNERS: u32 = 30;

fn main() {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() == Some(child::ARGUMENT) {
        return growth::child(&arguments.next().unwrap()).unwrap();
    }
    grows();
    writes();
    notes();
    reads_beside_a_writer();
}

fn grows() {
    let folder = tempfile::tempdir().unwrap();
    let rounds = Rounds {
        changes: 3,
        openings: 3,
        asking: 1,
    };
    let growth = growth::measure(LEARNERS, folder.path(), rounds).unwrap();
    println!("{}", serde_json::to_string(&growth).unwrap());
    assert!(growth.loaded.compacted <= growth.loaded.store);
    assert_eq!(growth.again.unchanged, growth.loaded.records);
    assert_eq!(growth.again.others, 0);
    assert!(growth.answers > growth.dataset);
    assert!(growth.warm_engine.questions.len() > 10);
    assert_eq!(growth.changes.len(), 5);
    assert!(growth.openings.writing.inside > 0);
    let measured = cfg!(target_os = "linux");
    assert_eq!(growth.loaded.peak.is_some(), measured);
    assert_eq!(growth.warm_engine.resident.is_some(), measured);
}

fn writes() {
    let folder = tempfile::tempdir().unwrap();
    let written = writes::measure(LEARNERS, folder.path(), 4).unwrap();
    println!("{}", serde_json::to_string(&written).unwrap());
    assert_eq!(written.len(), 6);
    let names: BTreeSet<&str> = written.iter().map(|written| written.name).collect();
    assert_eq!(names.len(), 6, "{names:?}");
    for written in &written {
        assert!(written.change.count > 0 && written.change.count == written.bare.count);
        assert!(is_in_order(&written.change) && is_in_order(&written.bare));
    }
}

/// Returns whether all times are numbers and none is above the maximum.
fn is_in_order(times: &Spread) -> bool {
    times.median <= times.p99 && times.p99 <= times.longest
}

fn notes() {
    let folder = tempfile::tempdir().unwrap();
    let noted = journal::measure(LEARNERS, folder.path(), 2, 4).unwrap();
    println!("{}", serde_json::to_string(&noted).unwrap());
    assert_eq!(noted.len(), 6);
    let names: BTreeSet<&str> = noted.iter().map(|noted| noted.name).collect();
    assert_eq!(names.len(), 6, "{names:?}");
    for noted in &noted {
        assert!(noted.with.count > 0 && noted.with.count == noted.without.count);
        assert!(is_in_order(&noted.with) && is_in_order(&noted.without));
    }
}

fn reads_beside_a_writer() {
    let folder = tempfile::tempdir().unwrap();
    let time = Duration::from_millis(200);
    let beside = concurrent::measure(LEARNERS, folder.path(), time).unwrap();
    println!("{}", serde_json::to_string(&beside).unwrap());
    for beside in &beside {
        assert_eq!(beside.written == 0, beside.writer == "nobody writes");
        assert!(beside.asks.iter().all(|(_, times)| times.count > 0));
    }
}
