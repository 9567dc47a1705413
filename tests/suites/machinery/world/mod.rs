//! What random sequences reach, and what is true after each of them.

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
