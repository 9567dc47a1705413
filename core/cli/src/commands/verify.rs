//! `rollbook verify`: checks a store for damage.

use crate::Outcome;
use crate::output::print;
use crate::store::{StoreError, named, open_existing};
use indicatif::HumanCount;
use rollbook::{Error, Options, Verification};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Check a store for damage and for inconsistent records.
///
/// The first hundred problems are printed. The exit code is 1 if there are any.
#[derive(clap::Args)]
#[command(args_override_self = true, after_long_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The file of the store.
    #[arg(long, value_name = "FILE")]
    store: PathBuf,
}

const EXAMPLES: &str = "\
Examples:
  rollbook verify --store school.redb";

/// Checks the store and prints the problems.
pub(crate) fn run(
    arguments: &Arguments,
    json: bool,
) -> Result<Outcome, Box<dyn std::error::Error>> {
    let found = verify(&arguments.store)?;
    let records = HumanCount(found.records);
    let text = if json {
        let (sound, problems) = (found.is_sound(), &found.problems);
        json!({"sound": sound, "records": found.records, "problems": problems}).to_string()
    } else if found.is_sound() {
        format!("The store is sound: {records} records and the whole file were checked.")
    } else {
        found.problems.join("\n")
    };
    print(&format!("{text}\n"))?;
    if found.is_sound() {
        return Ok(Outcome::Success);
    }
    eprintln!(
        "{} is damaged: restore a backup, or load its data into a new store",
        arguments.store.display()
    );
    Ok(Outcome::Failure)
}

/// Checks a store. A store that is too damaged to be opened has this one problem.
fn verify(path: &Path) -> Result<Verification, Box<dyn std::error::Error>> {
    let engine = match open_existing(path, Options::default()) {
        Ok(engine) => engine,
        Err(error) => {
            return match error.downcast_ref() {
                Some(StoreError {
                    error: Error::Corrupt { detail },
                    ..
                }) => Ok(Verification {
                    records: 0,
                    problems: vec![format!("the store cannot be opened: {detail}")],
                }),
                _ => Err(error),
            };
        }
    };
    let found = engine.verify().map_err(named(path))?;
    // A store that cannot be closed cleanly is damaged, and was reported as such.
    let _ = engine.close();
    Ok(found)
}
