//! `rollbook backup`: copies a store.

use crate::Outcome;
use crate::output::print;
use crate::store::{named, open_existing};
use indicatif::HumanBytes;
use rollbook::{Credentials, Options};
use serde_json::json;
use std::error::Error;
use std::path::PathBuf;

/// Copy a store to a new file.
///
/// Only the owner of the file can read it. A file that exists is not replaced.
#[derive(clap::Args)]
#[command(args_override_self = true, after_long_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The file of the store.
    #[arg(long, value_name = "FILE")]
    store: PathBuf,
    /// The file of the copy.
    #[arg(value_name = "TARGET")]
    target: PathBuf,
    /// Leave out the integrators with the hashes of their passwords.
    #[arg(long)]
    without_credentials: bool,
}

const EXAMPLES: &str = "\
Examples:
  rollbook backup --store school.redb backup.redb
      To restore it, move it to school.redb while no program has the store open.";

/// Copies the store and prints the size of the copy.
pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Box<dyn Error>> {
    let (store, target) = (&arguments.store, &arguments.target);
    let credentials = if arguments.without_credentials {
        Credentials::LeaveOut
    } else {
        Credentials::Keep
    };
    let engine = open_existing(store, Options::default())?;
    // The copy is what cannot be written.
    engine.backup(target, credentials).map_err(named(target))?;
    engine.close().map_err(named(store))?;
    let bytes = target.metadata()?.len();
    let target = target.display();
    let text = if json {
        json!({"file": target.to_string(), "bytes": bytes}).to_string()
    } else {
        format!("{target}: {}", HumanBytes(bytes))
    };
    print(&format!("{text}\n"))?;
    Ok(Outcome::Success)
}
