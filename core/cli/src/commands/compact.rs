//! `rollbook compact`: returns the unused space of a store to the file system.

use crate::Outcome;
use crate::output::print;
use crate::store::{named, open_existing};
use indicatif::HumanBytes;
use rollbook::Options;
use serde_json::json;
use std::error::Error;
use std::path::PathBuf;

/// Return the unused space of a store to the file system.
///
/// This also removes all remains of removed records from the file. It temporarily needs up to twice
/// the space.
#[derive(clap::Args)]
#[command(args_override_self = true, after_long_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The file of the store.
    #[arg(long, value_name = "FILE")]
    store: PathBuf,
}

const EXAMPLES: &str = "\
Examples:
  rollbook compact --store school.redb";

/// Compacts the store and prints its size before and after.
pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Box<dyn Error>> {
    let store = &arguments.store;
    // The file can have another size while it is open.
    let size = || store.metadata().map(|metadata| metadata.len());
    let before = size();
    let engine = open_existing(store, Options::default())?;
    engine.compact().map_err(named(store))?;
    engine.close().map_err(named(store))?;
    let (before, after) = (before?, size()?);
    let text = if json {
        json!({"bytes_before": before, "bytes": after}).to_string()
    } else {
        let (before, after) = (HumanBytes(before), HumanBytes(after));
        format!("{}: {before} before, {after} now", store.display())
    };
    print(&format!("{text}\n"))?;
    Ok(Outcome::Success)
}
