//! Tests of the exports of the naive implementation.

use super::LIVES;
use rollbook_tests::random::Random;
use rollbook_tests::twin::{Counts, Twin};

#[test]
#[ignore = "tests/run searches"]
fn an_export_is_the_whole_store_in_any_order() {
    for (seed, life) in (0..).zip(LIVES.iter()) {
        let export = life.twin.export();
        let mut lines: Vec<String> = export.lines().map(str::to_owned).collect();
        Random::new(seed).shuffle(&mut lines);
        let mut fresh = Twin::default();
        for again in [false, true] {
            let summary = fresh.apply(&lines).expect("an export can be applied");
            assert_eq!(fresh.export(), export, "seed {seed}");
            let same = |n: &Counts| (n.changed, n.removed) == (0, 0) && again == (n.added == 0);
            assert!(summary.values().all(same), "seed {seed}: {summary:?}");
        }
    }
}
