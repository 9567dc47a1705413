//! Loads datasets again when their files change, into a store in memory.

use rollbook::{Engine, Options};
use serde::Deserialize;
use serde_json::Value;
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
    // An error is found before anything is changed.
    let trial = Engine::memory(Options::default())?;
    lines.load(&trial)?;
    lines.load(engine)?;
    let now: BTreeSet<u64> = lines.schools.into_keys().collect();
    for school in schools.difference(&now) {
        engine.remove_school(*school)?;
    }
    *schools = now;
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
    school_id: Option<Value>,
}

impl Lines {
    /// Reads the datasets. Fails if one of them has an error, which the message describes.
    fn read(datasets: &[PathBuf]) -> Result<Lines, Box<dyn Error>> {
        let mut lines = Lines::default();
        let checked = Engine::memory(Options::default())?;
        for path in datasets {
            let named = |error: &dyn Error| format!("{}: {error}", path.display());
            let text = fs::read_to_string(path).map_err(|error| named(&error))?;
            checked
                .apply(text.as_bytes())
                .map_err(|error| named(&error))?;
            for line in text.trim_start_matches('\u{feff}').lines() {
                if !line.trim().is_empty() {
                    lines.add(line).map_err(|error| named(&error))?;
                }
            }
        }
        Ok(lines)
    }

    fn add(&mut self, line: &str) -> serde_json::Result<()> {
        let owner: Owner = serde_json::from_str(line)?;
        // Ids are numbers, or texts of digits.
        let school = owner.school_id.as_ref().and_then(|id| match id {
            Value::String(text) => text.parse().ok(),
            id => id.as_u64(),
        });
        let lines = match school {
            None => &mut self.shared,
            Some(school) => self.schools.entry(school).or_default(),
        };
        lines.push_str(line);
        lines.push('\n');
        Ok(())
    }

    fn load(&self, engine: &Engine) -> rollbook::Result<()> {
        engine.apply(self.shared.as_bytes())?;
        for (school, lines) in &self.schools {
            engine.replace_school(*school, lines.as_bytes())?;
        }
        Ok(())
    }
}
