//! What random sequences reach, and what must hold after every one of them.

mod coverage;
mod invariants;
mod shares;
mod shrinking;
mod v2_coverage;
mod walks;

use super::{Action, Cursors, Outcome, World};
use crate::twin::{Twin, TwinAnswer};

/// Runs a sequence of a seed and shows every action with its outcome.
fn run(seed: u64, len: usize, mut each: impl FnMut(&Action, &Outcome)) -> Twin {
    let mut twin = Twin::default();
    let mut cursors = Cursors::default();
    for action in World::new(seed).actions(len) {
        let outcome = action.perform(&mut twin, &mut cursors);
        each(&action, &outcome);
    }
    twin
}

fn body(answer: &TwinAnswer) -> serde_json::Value {
    serde_json::from_slice(&answer.body).expect("answers are JSON")
}

/// The `error_description` of an answer, in v2 its `message`, if it has one.
fn description(answer: &TwinAnswer) -> Option<String> {
    let body = body(answer);
    let text = body.get("error_description").or(body.get("message"))?;
    Some(text.as_str()?.to_owned())
}

/// How many records the page of a collection has.
fn data_len(answer: &TwinAnswer) -> Option<usize> {
    Some(body(answer).get("data")?.as_array()?.len())
}
