//! What holds for the naive implementation by itself.

use std::collections::BTreeMap;

use super::{Cursors, Outcome, World, run};
use crate::random::Random;
use crate::twin::{Twin, line_key};

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

#[test]
fn an_export_is_the_whole_store_in_any_order() {
    for seed in 0..2000 {
        let twin = run(seed, 12, |_, outcome| {
            if let Outcome::Answered(answer) = outcome {
                serde_json::from_slice::<serde::de::IgnoredAny>(&answer.body)
                    .expect("answers are JSON");
            }
        });
        let export = twin.export();
        let mut exported = lines(&export);
        let mut fresh = Twin::default();
        let summary = fresh.apply(&exported).expect("an export can be applied");
        assert_eq!(fresh.export(), export, "seed {seed}");
        assert!(
            summary
                .values()
                .all(|counts| (counts.changed, counts.removed, counts.unchanged) == (0, 0, 0))
        );

        if seed % 4 > 0 {
            continue;
        }
        Random::new(seed).shuffle(&mut exported);
        let mut shuffled = Twin::default();
        shuffled
            .apply(&exported)
            .expect("the order of lines does not count");
        assert_eq!(shuffled.export(), export, "seed {seed}");
        let again = shuffled
            .apply(&exported)
            .expect("what was applied can be applied again");
        assert!(
            again
                .values()
                .all(|counts| (counts.added, counts.changed, counts.removed) == (0, 0, 0))
        );
    }
}

/// The last line of each key; those of authorisations only with a `state`.
fn distinct(lines: &[String]) -> Vec<String> {
    let mut last = BTreeMap::new();
    for line in lines {
        let Some(key) = line_key(line) else { continue };
        if key.contains("ClientIntegration") && !has_state(line) {
            continue;
        }
        last.insert(key, line.clone());
    }
    last.into_values().collect()
}

fn has_state(line: &str) -> bool {
    let line: serde_json::Value = serde_json::from_str(line).expect("a line that was read");
    line["state"].is_number()
        || line["state"]
            .as_str()
            .is_some_and(|state| !state.is_empty())
}

#[test]
fn distinct_lines_give_the_same_store_in_any_order() {
    for seed in 0..100 {
        let dataset = distinct(&World::new(seed).dataset());
        let mut twin = Twin::default();
        twin.apply(&dataset).expect("a whole dataset");
        let mut dice = Random::new(seed);
        for _ in 0..2 {
            let mut shuffled = dataset.clone();
            dice.shuffle(&mut shuffled);
            let mut other = Twin::default();
            other
                .apply(&shuffled)
                .expect("the order of lines does not count");
            assert_eq!(other.export(), twin.export(), "seed {seed}");

            // In two batches, of which the first has the schools.
            let (schools, rest): (Vec<String>, Vec<String>) = shuffled
                .into_iter()
                .partition(|line| line_key(line).is_some_and(|key| key.contains("School")));
            let cut = dice.below(rest.len());
            let mut batched = Twin::default();
            batched
                .apply(&[schools, rest[..cut].to_vec()].concat())
                .expect("the first batch");
            batched.apply(&rest[cut..]).expect("the second batch");
            assert_eq!(batched.export(), twin.export(), "seed {seed}");
        }
    }
}

#[test]
fn checking_finds_the_fault_that_applying_finds() {
    for seed in 0..150 {
        let mut world = World::new(seed);
        let mut twin = Twin::default();
        for action in world.actions(20) {
            let faults = action.lines().map(|lines| twin.check(lines, 100));
            let is_apply = matches!(action, super::Action::Apply(_));
            let outcome = action.perform(&mut twin, &mut Cursors::default());
            if let (true, Some(faults)) = (is_apply, faults) {
                match outcome {
                    Outcome::Refused(fault) => assert_eq!(faults.first(), Some(&fault)),
                    _ => assert!(faults.is_empty(), "{faults:?}"),
                }
            }
        }
    }
}
