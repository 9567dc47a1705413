//! Runs the subcommands of `rollbook` that work with datasets and stores: their results are those
//! of the engine, and their errors say what is wrong.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    missing_docs
)]

mod checking;
mod exporting;
mod folder;
mod loading;
mod maintenance;
mod pipes;
mod samples;

use rollbook::{Credentials, Engine, Options};
use rollbook_tests::login::quick;
use serde_json::Value;

const SAMPLE: &str = include_str!("../../core/examples/sample-school.ndjson");

/// Returns an engine in memory with the sample schools and a dataset.
fn engine_with(dataset: &str) -> Engine {
    let engine = Engine::memory(Options::default()).unwrap();
    engine.apply(sample().as_bytes()).unwrap();
    engine.apply(dataset.as_bytes()).unwrap();
    engine
}

/// Returns the dataset of the sample schools.
fn sample() -> String {
    quick(SAMPLE)
}

/// Returns the dataset that an engine exports.
fn export(engine: &Engine, credentials: Credentials) -> String {
    let lines = engine.export(credentials).unwrap();
    lines.map(|line| line.unwrap() + "\n").collect()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}
