//! The cost of a pass in calls and bytes, for a generated school of 1,000 learners.

use super::machine::pass;
use super::{ACCESS, NOW, SCHOOL, get};
use rollbook::{Credentials, Engine, Options, SyncOptions};
use rollbook_tests::sample::SampleSchool;

/// Runs a pass. Returns the number of calls and of bytes in their answers.
fn cost(mirror: &Engine, source: &Engine, now: i64) -> (usize, usize) {
    let sync = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
    let (targets, report) = pass(&sync, source, now);
    assert_eq!((report.quarantined, report.unstable), (vec![], vec![]));
    let bytes = targets
        .iter()
        .map(|target| get(source, target, now).body.len());
    (targets.len(), bytes.sum())
}

/// After nine passes, the structure of each grade was requested.
#[test]
fn a_pass_costs_little() {
    let source = Engine::memory(Options::default()).unwrap();
    let school = SampleSchool {
        school_id: SCHOOL,
        learners: 1_000,
        ..SampleSchool::default()
    };
    source.apply(school.reader()).unwrap();
    source.apply(ACCESS.as_bytes()).unwrap();
    let mirror = Engine::memory(Options::default()).unwrap();
    let first = cost(&mirror, &source, NOW);
    println!("first {first:?}");
    assert!(first.0 <= 2_000 && first.1 <= 125_000_000, "{first:?}");
    for number in 1..=9 {
        let unchanged = cost(&mirror, &source, NOW + number);
        println!("unchanged {unchanged:?}");
        assert!(
            unchanged.0 <= 60 && unchanged.1 <= 25_000_000,
            "{unchanged:?}"
        );
    }
    let mut lines = source
        .export(Credentials::LeaveOut)
        .unwrap()
        .map(Result::unwrap);
    let is_mark =
        |line: &String| line.starts_with(r#"{"type":"mark""#) && line.contains(r#""mark":"#);
    let line = lines.find(is_mark).unwrap();
    let mut mark: serde_json::Value = serde_json::from_str(&line).unwrap();
    mark["mark"] = "1.5".into();
    source.apply(mark.to_string().as_bytes()).unwrap();
    let changed = cost(&mirror, &source, NOW + 10);
    println!("one mark {changed:?}");
    assert!(changed.0 <= 70 && changed.1 <= 35_000_000, "{changed:?}");
}
