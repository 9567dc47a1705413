//! Loads datasets again when their files change, into a store in memory.

use crate::datasets;
use rollbook::{Credentials, Engine, Options};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::io::{self, Write};
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
        let lines = Lines::read(&datasets).unwrap_or_default();
        let mut schools: BTreeSet<u64> = lines.schools.into_keys().collect();
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
            let said = match reload(&engine, &datasets, &mut schools) {
                Ok(()) => "the datasets were loaded again".to_owned(),
                Err(error) => format!("the datasets were not loaded again: {error}"),
            };
            // A failure to write is no reason to load nothing more.
            let _ = writeln!(io::stderr(), "rollbook: {said}");
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
/// The records that belong to no school are only added and changed. `schools` has the schools that
/// the datasets had before, and receives those that they have now.
fn reload(
    engine: &Engine,
    datasets: &[PathBuf],
    schools: &mut BTreeSet<u64>,
) -> Result<(), Box<dyn Error>> {
    let lines = Lines::read(datasets)?;
    lines.load(engine)?;
    let now: BTreeSet<u64> = lines.schools.into_keys().collect();
    for school in schools.difference(&now) {
        engine.remove_school(*school)?;
    }
    *schools = now;
    Ok(())
}

/// The records of datasets as lines.
#[derive(Default)]
struct Lines {
    /// The records that belong to no school.
    shared: String,
    /// The records of each school.
    schools: BTreeMap<u64, String>,
}

/// The part of a line that says to which school its record belongs.
#[derive(Deserialize)]
struct Owner {
    school_id: Option<u64>,
}

impl Lines {
    /// Reads the datasets into a store of their own, so that an error is found before anything is
    /// changed.
    fn read(datasets: &[PathBuf]) -> Result<Lines, Box<dyn Error>> {
        let read = Engine::memory(Options::default())?;
        for path in datasets {
            datasets::apply(&read, path)?;
        }
        let mut lines = Lines::default();
        for line in read.export(Credentials::Keep)? {
            let line = line?;
            let lines = match serde_json::from_str(&line)? {
                Owner { school_id: None } => &mut lines.shared,
                Owner {
                    school_id: Some(school),
                } => lines.schools.entry(school).or_default(),
            };
            lines.push_str(&line);
            lines.push('\n');
        }
        Ok(lines)
    }

    /// Replaces the schools, and applies the other records.
    fn load(&self, engine: &Engine) -> rollbook::Result<()> {
        engine.apply(self.shared.as_bytes())?;
        for (school, lines) in &self.schools {
            engine.replace_school(*school, lines.as_bytes())?;
        }
        Ok(())
    }
}
