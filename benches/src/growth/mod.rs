//! What the engine takes as a school grows: time, memory, bytes on disk.
//!
//! Each step of a school runs in a process of its own.
//!
//! - `load`: the dataset in, and in again. `held`: an engine that has answered
//!   everything. `answers`: how many bytes of JSON there are to answer.
//!   `opening`: after a clean end and after a kill.

mod answers;
mod held;
mod load;
mod opening;

pub use held::{Held, Warm};
pub use load::{Again, Loaded};
pub use opening::{Killed, Openings};

use crate::changes::Change;
use crate::child;
use crate::spread::{Spread, timed};
use anyhow::{Context, Result};
use rollbook::{Engine, Options};
use rollbook_tests::sample::SampleSchool;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

/// What one size of school was measured at.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Growth {
    /// How many learners it has.
    pub learners: u32,
    /// The bytes of its dataset.
    pub dataset: u64,
    /// The dataset loaded into an empty store.
    pub loaded: Loaded,
    /// The same dataset applied to the store that it made.
    pub again: Again,
    /// The bytes of all that the store answers.
    pub answers: u64,
    /// An engine with the default cache that has answered every question.
    pub held: Held,
    /// Small durable changes, in seconds.
    pub changes: Vec<Changed>,
    /// The store opened.
    pub openings: Openings,
}

/// A small change, made many times over.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Changed {
    /// What was changed.
    pub name: String,
    /// How long it took.
    pub times: Spread,
}

/// How often to measure what is measured more than once.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Rounds {
    /// Each small change.
    pub changes: usize,
    /// Each way to open the store.
    pub openings: usize,
    /// For how long to ask each question, in milliseconds.
    pub asking: u64,
}

/// What a child does.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Task {
    step: Step,
    learners: u32,
    folder: PathBuf,
    rounds: Rounds,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
enum Step {
    Load,
    Again,
    Answers,
    Held,
    Change,
    Open,
    /// To be killed inside a change.
    Write,
    /// To be killed before the end of a load; beside it a small change has
    /// been committed or not.
    LoadForEver {
        beside: bool,
    },
}

/// Larger datasets are generated as they are loaded.
const IN_FILE_UP_TO: u32 = 10_000;

/// Measures a school of so many learners, whose files go to a folder that has
/// none of them. This program must hand its children's tasks to [`child()`].
pub fn measure(learners: u32, folder: &Path, rounds: Rounds) -> Result<Growth> {
    let task = |step| Task {
        step,
        learners,
        folder: folder.to_owned(),
        rounds,
    };
    let school = school(learners);
    let dataset = if learners <= IN_FILE_UP_TO {
        io::copy(
            &mut school.reader(),
            &mut File::create(task(Step::Load).dataset())?,
        )?
    } else {
        io::copy(&mut school.reader(), &mut io::sink())?
    };
    let growth = Growth {
        learners,
        dataset,
        loaded: child::run(&task(Step::Load))?,
        again: child::run(&task(Step::Again))?,
        held: child::run(&task(Step::Held))?,
        answers: child::run(&task(Step::Answers))?,
        changes: child::run(&task(Step::Change))?,
        openings: opening::measure(&task)?,
    };
    Ok(growth)
}

/// Does what a child was started for.
pub fn child(task: &str) -> Result<()> {
    let task: Task = serde_json::from_str(task)?;
    match task.step {
        Step::Load => child::say(&load::load(&task)?),
        Step::Again => child::say(&load::again(&task)?),
        Step::Answers => child::say(&answers::count(&task)?),
        Step::Held => child::say(&held::hold(&task)?),
        Step::Change => child::say(&change(&task)?),
        Step::Open => child::say(&opening::open(&task)?),
        Step::Write => opening::write(&task),
        Step::LoadForEver { beside } => opening::load_for_ever(&task, beside),
    }
}

/// The school of this size.
fn school(learners: u32) -> SampleSchool {
    SampleSchool {
        learners,
        ..SampleSchool::default()
    }
}

impl Task {
    fn school(&self) -> SampleSchool {
        school(self.learners)
    }

    fn store(&self) -> PathBuf {
        self.folder.join("rollbook.redb")
    }

    fn dataset(&self) -> PathBuf {
        self.folder.join("dataset.ndjson")
    }

    /// The dataset to be read. What generates it takes its memory at once.
    fn source(&self) -> Result<Box<dyn BufRead>> {
        if self.learners <= IN_FILE_UP_TO {
            return Ok(Box::new(BufReader::new(File::open(self.dataset())?)));
        }
        let mut reader = self.school().reader();
        reader.fill_buf()?;
        Ok(Box::new(reader))
    }

    fn engine(&self) -> Result<Engine> {
        Ok(Engine::open(self.store(), Options::default())?)
    }

    fn store_bytes(&self) -> Result<u64> {
        let file = std::fs::metadata(self.store());
        Ok(file.context("the store is gone")?.len())
    }
}

/// The child that makes each small change many times over.
fn change(task: &Task) -> Result<Vec<Changed>> {
    let engine = task.engine()?;
    let mut changed = Vec::new();
    for change in Change::for_school(&task.school())? {
        let mut times = Vec::new();
        for round in 0..task.rounds.changes {
            let (made, took) = timed(|| change.write(&engine, round));
            made?;
            times.push(took);
        }
        changed.push(Changed {
            name: change.name.to_owned(),
            times: Spread::new(times),
        });
    }
    engine.close()?;
    Ok(changed)
}
