//! `rollbook stats`: describes the content of a store.

use crate::args::{format_instant, parse_instant};
use crate::directory::Directory;
use crate::output::print;
use crate::store::{named, open_existing};
use crate::{Outcome, ages, counts};
use indicatif::HumanBytes;
use rollbook::{Coverage, Options, Stats};
use serde_json::{Map, Value, json};
use std::error::Error;
use std::path::PathBuf;

/// Show the size of a store, its records by kind, and the age of synced data.
#[derive(clap::Args)]
#[command(args_override_self = true, after_long_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The file of the store.
    #[arg(long, value_name = "FILE")]
    store: PathBuf,
    /// The time of the service, if its clock is not that of this machine. The ages depend on it.
    #[arg(long, value_name = "INSTANT", value_parser = parse_instant)]
    now: Option<i64>,
}

const EXAMPLES: &str = "\
Examples:
  rollbook stats --store school.redb";

/// Prints the size, the records and the ages.
pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<Outcome, Box<dyn Error>> {
    let store = &arguments.store;
    let engine = open_existing(store, Options::default())?;
    let stats = engine.stats().map_err(named(store))?;
    let mut synced = Vec::new();
    for school in Directory::read(&engine)?.schools {
        let coverage = engine.synced(school).map_err(named(store))?;
        synced.extend(coverage.map(|coverage| (school, coverage)));
    }
    engine.close().map_err(named(store))?;
    // The file can have another size while it is open.
    let bytes = store.metadata()?.len();
    let text = if json {
        format!("{}\n", to_json(bytes, &stats, &synced))
    } else {
        let system = || jiff::Timestamp::now().as_second();
        let now = arguments.now.unwrap_or_else(system);
        let size = HumanBytes(bytes);
        let ages = synced
            .iter()
            .map(|(school, coverage)| format!("\n{}", ages::text(*school, coverage, now)));
        let ages: String = ages.collect();
        format!("{}: {size}\n\n{}{ages}", store.display(), table(&stats))
    };
    print(&text)?;
    Ok(Outcome::Success)
}

/// Formats the kinds that have records.
fn table(stats: &Stats) -> String {
    let total = stats.records.iter().map(|(_, count)| count).sum();
    let kinds = stats.records.iter().filter(|(_, count)| *count > 0);
    let rows = kinds.copied().chain([("total", total)]);
    counts::table(["records"], rows.map(|(kind, count)| (kind, [count])))
}

fn to_json(bytes: u64, stats: &Stats, synced: &[(u64, Coverage)]) -> Value {
    let kinds = stats.records.iter();
    let kinds: Map<_, _> = kinds
        .map(|(kind, count)| ((*kind).to_owned(), json!(count)))
        .collect();
    let synced = synced.iter().map(|(school, coverage)| {
        json!({
            "school": school,
            "as_of": coverage.as_of.map(format_instant),
            "coverage": ages::json(coverage),
        })
    });
    json!({"bytes": bytes, "records": kinds, "synced": synced.collect::<Value>()})
}
