//! What the journal costs: the same is written to two stores in turn, one of which keeps
//! none.

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

/// Something that is written with a journal and without; in seconds.
#[derive(Debug, Clone, Serialize)]
pub struct Noted {
    /// What is written.
    pub name: &'static str,
    /// How long it took with a journal.
    pub with: Spread,
    /// How long it took without.
    pub without: Spread,
    /// How many medians without a journal the one with it is.
    pub ratio: f64,
}

/// Loads a school of so many learners as often as told, then makes each small change in so
/// many rounds. The files go to a folder that has none of them.
pub fn measure(learners: u32, folder: &Path, loads: usize, rounds: usize) -> Result<Vec<Noted>> {
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

/// Whoever is first in a round is second in the next.
fn in_turn(
    name: &'static str,
    rounds: usize,
    mut write: impl FnMut(u64, usize) -> Result<Duration>,
) -> Result<Noted> {
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
    Ok(Noted {
        name,
        with,
        without,
        ratio: with.median / without.median,
    })
}
