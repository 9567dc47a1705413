//! `rollbook load`: loads datasets into a store.

use crate::Outcome;
use crate::counts;
use crate::datasets::Datasets;
use crate::output::print;
use crate::store::named;
use rollbook::{Counts, Engine, Options, Summary};
use serde_json::{Map, Value, json};
use std::error::Error;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// Load datasets into a store, completely or not at all.
///
/// The counts of the records are printed by kind. If a line has a fault, or the command is
/// interrupted, the store remains unchanged.
#[derive(clap::Args)]
#[command(args_override_self = true, after_long_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The file of the store, which is created if it does not exist.
    #[arg(long, value_name = "FILE")]
    store: PathBuf,
    /// The datasets, which can be compressed with gzip. They are read in their order, and - is
    /// stdin.
    #[arg(value_name = "DATASET", required = true)]
    datasets: Vec<PathBuf>,
    /// The datasets are all records of this school: its other records are removed.
    #[arg(long, value_name = "ID")]
    replace_school: Option<u64>,
}

const EXAMPLES: &str = "\
Examples:
  rollbook load --store school.redb school.ndjson
  rollbook load --store school.redb school.ndjson absences.ndjson.gz
      Loads both, or none of them if one has a fault.
  rollbook load --store school.redb --replace-school 1000 school.ndjson
      Also removes the records of school 1000 that the dataset lacks.
  rollbook sample | rollbook load --store school.redb -
      Loads a generated school.";

/// Loads the datasets and prints the counts.
pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Box<dyn Error>> {
    let store = &arguments.store;
    let mut datasets = Datasets::new(&arguments.datasets)?;
    let engine = Engine::open(store, Options::default()).map_err(named(store))?;
    let ignored = |_| ControlFlow::Continue(());
    let loaded = match arguments.replace_school {
        None => engine.apply_with(&mut datasets, ignored),
        Some(school) => engine.replace_school_with(school, &mut datasets, ignored),
    };
    let summary = match loaded {
        Ok(summary) => summary,
        Err(error) => {
            let Some(mut what) = datasets.describe(&error) else {
                return Err(named(store)(error).into());
            };
            if let rollbook::Error::BadDataset(_) = error {
                what += "\nNothing was stored. `rollbook check` lists all faults";
            }
            return Err(what.into());
        }
    };
    drop(datasets);
    engine.close().map_err(named(store))?;
    let text = if json {
        format!("{}\n", to_json(&summary))
    } else {
        to_text(&summary)
    };
    print(&text)?;
    Ok(Outcome::Success)
}

fn to_text(summary: &Summary) -> String {
    let row = |(kind, counts): (_, Counts)| {
        let numbers = [
            counts.added,
            counts.changed,
            counts.removed,
            counts.unchanged,
        ];
        (kind, numbers)
    };
    let total = [("total", summary.total())];
    let rows = summary.kinds().chain(total).map(row);
    counts::table(["added", "changed", "removed", "unchanged"], rows)
}

fn to_json(summary: &Summary) -> Value {
    let kinds = summary.kinds();
    let kinds: Map<_, _> = kinds
        .map(|(kind, counts)| (kind.to_owned(), counts_to_json(counts)))
        .collect();
    json!({
        "lines": summary.lines,
        "bytes": summary.bytes,
        "kinds": kinds,
        "total": counts_to_json(summary.total()),
    })
}

fn counts_to_json(counts: Counts) -> Value {
    json!({
        "added": counts.added,
        "changed": counts.changed,
        "removed": counts.removed,
        "unchanged": counts.unchanged,
    })
}
