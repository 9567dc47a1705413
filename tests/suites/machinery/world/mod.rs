//! What random sequences reach, and what must hold after every one of them.

mod answers;
mod cursors;
mod export;
mod faults;
mod shares;
mod shrinking;
mod walks;

use std::sync::LazyLock;

use rollbook_tests::twin::{Twin, TwinAnswer};
use rollbook_tests::world::{Action, Cursors, Outcome, World, blanked};

/// A sequence as the naive implementation lived it, and how it was left.
struct Life {
    steps: Vec<(Action, Outcome)>,
    twin: Twin,
}

/// Sequences enough for all that must come up.
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

/// The `error_description` of an answer, in v2 its `message`, if it has one.
fn description(body: &serde_json::Value) -> Option<&str> {
    let text = body.get("error_description").or(body.get("message"))?;
    text.as_str()
}

/// How many records the page of a collection has.
fn data_len(body: &serde_json::Value) -> Option<usize> {
    Some(body.get("data")?.as_array()?.len())
}
