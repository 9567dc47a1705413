//! What random sequences reach, and what is true after each of them.

mod answers;
mod faults;
mod shares;
mod shrinking;
mod walks;

use std::sync::LazyLock;

use rollbook_tests::random::Random;
use rollbook_tests::twin::{Counts, Twin, TwinAnswer};
use rollbook_tests::world::{Action, Cursors, Outcome, World, blanked};

/// A sequence with its outcomes in the naive implementation, and the final state.
struct Life {
    steps: Vec<(Action, Outcome)>,
    twin: Twin,
}

/// Enough sequences for everything that must occur.
static LIVES: LazyLock<Vec<Life>> = LazyLock::new(|| (0..600).map(life).collect());

fn life(seed: u64) -> Life {
    let mut twin = Twin::default();
    let mut cursors = Cursors::default();
    let perform = |action: Action| {
        let outcome = action.perform(&mut twin, &mut cursors);
        (action, outcome)
    };
    let steps = World::new(seed)
        .actions(60)
        .into_iter()
        .map(perform)
        .collect();
    Life { steps, twin }
}

fn body(answer: &TwinAnswer) -> serde_json::Value {
    serde_json::from_slice(&answer.body).expect("answers are JSON")
}

/// Returns the `error_description` of an answer, or its `message` in v2.
fn description(body: &serde_json::Value) -> Option<&str> {
    let text = body.get("error_description").or(body.get("message"))?;
    text.as_str()
}

/// Returns the number of records on a page.
fn data_len(body: &serde_json::Value) -> Option<usize> {
    Some(body.get("data")?.as_array()?.len())
}

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

#[test]
fn the_last_cursor_is_inserted() {
    let mut cursors = Cursors::default();
    let target = "/a?cursor=<cursor>&b=<cut-cursor>x&c=<changed-cursor>";
    assert_eq!(cursors.fill(target), "/a?cursor=none&b=nonx&c=noAe");
    cursors.note(r#"{"data":[],"meta":{"limit":0,"next_cursor":"abAd"}}"#);
    cursors.note(r#"{"success":false,"message":"],\"meta\":{\"limit\":"}"#);
    assert_eq!(cursors.fill(target), "/a?cursor=abAd&b=abAx&c=abBd");
    cursors.note(r#"{"data":["\"next_cursor\":\"x\""],"meta":{"limit":1}}"#);
    assert_eq!(cursors.fill(target), "/a?cursor=&b=nonx&c=noAe");
}

#[test]
fn only_the_text_of_a_cursor_is_blanked() {
    let body = r#"{"data":[1],"meta":{"limit":1,"next_cursor":"abc"}}"#;
    assert_eq!(blanked(body), body.replace("abc", ""));
    let without = r#"{"data":["\"next_cursor\":\"x\""],"meta":{"limit":1}}"#;
    assert_eq!(blanked(without), without);
}
