//! Loads datasets again when their files change.

use rollbook::Engine;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::sync::Weak;
use std::time::{Duration, SystemTime};

/// The time between two looks at the files.
const INTERVAL: Duration = Duration::from_millis(500);

/// The time of the last change of a file, and its length. `None` if there is no such file.
type Version = Option<(SystemTime, u64)>;

/// Starts a thread that loads the datasets again whenever one of their files has changed, as long
/// as the engine exists. If a dataset has an error, nothing changes.
pub(super) fn start(engine: Weak<Engine>, datasets: Vec<PathBuf>) {
    std::thread::spawn(move || {
        let mut before = versions(&datasets);
        loop {
            std::thread::sleep(INTERVAL);
            let Some(engine) = engine.upgrade() else {
                return;
            };
            let now = versions(&datasets);
            if now == before {
                continue;
            }
            before = now;
            match reload(&engine, &datasets) {
                Ok(()) => tracing::info!("the datasets were loaded again"),
                Err(error) => tracing::error!("the datasets were not loaded again: {error}"),
            }
        }
    });
}

fn versions(datasets: &[PathBuf]) -> Vec<Version> {
    let version = |path: &PathBuf| {
        let metadata = fs::metadata(path).ok()?;
        Some((metadata.modified().ok()?, metadata.len()))
    };
    datasets.iter().map(version).collect()
}

/// Replaces the schools of the datasets, so that records which are no longer in a file are removed.
/// The records that belong to no school are only added and changed.
fn reload(engine: &Engine, datasets: &[PathBuf]) -> Result<(), Box<dyn Error>> {
    let mut lines = Lines::default();
    for path in datasets {
        let named = |error: &dyn Error| format!("{}: {error}", path.display());
        let text = fs::read_to_string(path).map_err(|error| named(&error))?;
        if let Some(fault) = engine.check(text.as_bytes(), 1)?.first() {
            return Err(named(fault).into());
        }
        lines.add(&text)?;
    }
    engine.apply(lines.shared.as_bytes())?;
    for (school, lines) in &lines.schools {
        engine.replace_school(*school, lines.as_bytes())?;
    }
    Ok(())
}

/// The lines of datasets, in their order.
#[derive(Default)]
struct Lines {
    /// The lines of records that belong to no school.
    shared: String,
    /// The lines of the records of each school.
    schools: BTreeMap<u64, String>,
}

/// The part of a line that says to which school its record belongs.
#[derive(Deserialize)]
struct Owner {
    school_id: Option<u64>,
}

impl Lines {
    fn add(&mut self, text: &str) -> serde_json::Result<()> {
        for line in text.trim_start_matches('\u{feff}').lines() {
            if line.trim().is_empty() {
                continue;
            }
            let lines = match serde_json::from_str(line)? {
                Owner { school_id: None } => &mut self.shared,
                Owner {
                    school_id: Some(school),
                } => self.schools.entry(school).or_default(),
            };
            lines.push_str(line);
            lines.push('\n');
        }
        Ok(())
    }
}
