//! Measures the cost of the journal: the same changes are made in turn to two stores, one of which
//! has no journal.

use crate::changes::Change;
use crate::spread::{Spread, timed};
use anyhow::Result;
use rollbook::{Engine, Options};
use rollbook_tests::sample::SampleSchool;
use serde::Serialize;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

/// The times in seconds of a change with a journal and without.
#[derive(Debug, Clone, Serialize)]
pub struct JournalCost {
    /// The name of the change.
    pub name: &'static str,
    /// The times with a journal.
    pub with: Spread,
    /// The times without a journal.
    pub without: Spread,
    /// The ratio of the two medians.
    pub ratio: f64,
}

/// Loads a school with this number of learners `loads` times, then makes each small change in this
/// number of rounds. `folder` must not contain files of an earlier measurement.
pub fn measure(
    learners: u32,
    folder: &Path,
    loads: usize,
    rounds: usize,
) -> Result<Vec<JournalCost>> {
    let school = SampleSchool {
        learners,
        ..SampleSchool::default()
    };
    let mut dataset = Vec::new();
    school.reader().read_to_end(&mut dataset)?;
    let path = folder.join("loaded.redb");
    let mut noted = vec![in_turn("the school loaded", loads, |journal_bytes, _| {
        let engine = open(&path, journal_bytes)?;
        let (loaded, took) = timed(|| engine.apply(dataset.as_slice()));
        loaded?;
        engine.close()?;
        fs::remove_file(&path)?;
        Ok(took)
    })?];
    let with = open(&folder.join("with.redb"), Options::default().journal_bytes)?;
    let without = open(&folder.join("without.redb"), 0)?;
    for engine in [&with, &without] {
        engine.apply(dataset.as_slice())?;
    }
    for change in Change::for_school(&school)? {
        noted.push(in_turn(change.name, rounds, |journal_bytes, round| {
            let engine = if journal_bytes > 0 { &with } else { &without };
            let (changed, took) = timed(|| change.write(engine, round));
            changed?;
            Ok(took)
        })?);
    }
    with.close()?;
    without.close()?;
    Ok(noted)
}

fn open(path: &Path, journal_bytes: u64) -> Result<Engine> {
    let options = Options {
        journal_bytes,
        ..Options::default()
    };
    Ok(Engine::open(path, options)?)
}

/// Measures both stores in turn. The one that is first in a round is second in the next.
fn in_turn(
    name: &'static str,
    rounds: usize,
    mut write: impl FnMut(u64, usize) -> Result<Duration>,
) -> Result<JournalCost> {
    let (mut with, mut without) = (Vec::new(), Vec::new());
    let usual = Options::default().journal_bytes;
    for round in 0..rounds {
        let mut order = [usual, 0];
        if !round.is_multiple_of(2) {
            order.reverse();
        }
        for journal_bytes in order {
            let took = write(journal_bytes, round)?;
            let times = if journal_bytes > 0 {
                &mut with
            } else {
                &mut without
            };
            times.push(took);
        }
    }
    let (with, without) = (Spread::new(with), Spread::new(without));
    Ok(JournalCost {
        name,
        with,
        without,
        ratio: with.median / without.median,
    })
}
