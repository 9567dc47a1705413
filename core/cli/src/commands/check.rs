//! `rollbook check`: lists the faults of datasets.

use crate::Outcome;
use crate::datasets::Datasets;
use crate::output::print;
use crate::store::{named, open_existing};
use indicatif::HumanCount;
use rollbook::{Engine, Options};
use serde_json::json;
use std::error::Error;
use std::fmt::Write as _;
use std::path::PathBuf;

/// List the faults of datasets, and store nothing.
///
/// The datasets are checked as a single one: a record can belong to a school of another one. The
/// exit code is 1 if there are faults.
#[derive(clap::Args)]
#[command(args_override_self = true, after_long_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The datasets, which can be compressed with gzip; - is stdin.
    #[arg(value_name = "DATASET", required = true)]
    datasets: Vec<PathBuf>,
    /// A store whose schools the records may belong to. It remains unchanged.
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
    /// The maximum number of faults that are listed.
    #[arg(long, value_name = "COUNT", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
}

const EXAMPLES: &str = "\
Examples:
  rollbook check school.ndjson
      Lists the faults as FILE:LINE: what.
  rollbook check --store school.redb absences.ndjson
      Checks records whose school is in a store.";

/// Checks the datasets and prints their faults.
pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Box<dyn Error>> {
    let mut datasets = Datasets::new(&arguments.datasets)?;
    let engine = match &arguments.store {
        Some(store) => open_existing(store, Options::default())?,
        None => Engine::memory(Options::default())?,
    };
    let limit = arguments.limit as usize;
    // One more shows whether there are more.
    let mut faults = match engine.check(&mut datasets, limit.saturating_add(1)) {
        Ok(faults) => faults,
        Err(error) => match (datasets.describe(&error), &arguments.store) {
            (Some(what), _) => return Err(what.into()),
            (None, Some(store)) => return Err(named(store)(error).into()),
            (None, None) => return Err(error.into()),
        },
    };
    engine.close()?;
    let has_more = faults.len() > limit;
    faults.truncate(limit);
    let mut text = String::new();
    for fault in &faults {
        let (file, line) = datasets.place(fault);
        let what = &fault.what;
        // Writing to a string does not fail.
        let _ = if json {
            let fault = json!({"file": file, "line": line, "what": what});
            writeln!(text, "{fault}")
        } else {
            writeln!(text, "{file}:{line}: {what}")
        };
    }
    let lines = datasets.line_count();
    drop(datasets);
    print(&text)?;
    let count = HumanCount(faults.len() as u64);
    match faults.len() {
        0 => eprintln!("No faults in {} lines.", HumanCount(lines)),
        _ if has_more => eprintln!("There are more faults than the limit of {count} (--limit)."),
        1 => eprintln!("1 fault."),
        _ => eprintln!("{count} faults."),
    }
    Ok(if faults.is_empty() {
        Outcome::Success
    } else {
        Outcome::Failure
    })
}
