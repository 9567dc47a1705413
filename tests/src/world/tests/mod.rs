//! What random sequences reach, and what must hold after every one of them.

mod coverage;
mod invariants;
mod shares;
mod shrinking;

use super::{Action, Outcome, World};
use crate::twin::{Twin, TwinAnswer};

/// Runs a sequence of a seed and shows every action with its outcome.
fn run(seed: u64, len: usize, mut each: impl FnMut(&Action, &Outcome)) -> Twin {
    let mut twin = Twin::default();
    for action in World::new(seed).actions(len) {
        let outcome = action.perform(&mut twin);
        each(&action, &outcome);
    }
    twin
}

/// The `error_description` of an answer, if it has one.
fn description(answer: &TwinAnswer) -> Option<String> {
    let body: serde_json::Value = serde_json::from_slice(&answer.body).expect("answers are JSON");
    Some(body.get("error_description")?.as_str()?.to_owned())
}
