//! Measures how time, memory and disk space grow with the size of a school.
//!
//! Each step runs in a process of its own.
//!
//! - `load`: loading the dataset, and loading it again. `warm_engine`: an engine that has answered
//!   everything. `answers`: the size of all answers. `opening`: opening after the store was closed,
//!   and after a kill.

mod answers;
mod load;
mod opening;
mod warm_engine;

pub use load::{Again, Loaded};
pub use opening::{Killed, Openings};
pub use warm_engine::{Warm, WarmEngine};

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

/// The measurements for one size of school.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Growth {
    /// The number of learners.
    pub learners: u32,
    /// The size of the dataset in bytes.
    pub dataset: u64,
    /// The load of the dataset into an empty store.
    pub loaded: Loaded,
    /// The load of the same dataset into the store that resulted.
    pub again: Again,
    /// The size in bytes of all answers of the store.
    pub answers: u64,
    /// An engine with the default cache that has answered every question.
    pub warm_engine: WarmEngine,
    /// The times of small durable changes, in seconds.
    pub changes: Vec<Changed>,
    /// The times of opening the store.
    pub openings: Openings,
}

/// A small change that was made repeatedly.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Changed {
    /// The name of the change.
    pub name: String,
    /// How long it took.
    pub times: Spread,
}

/// How often the repeated measurements are made.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Rounds {
    /// The number of times that each small change is made.
    pub changes: usize,
    /// The number of times that the store is opened in each way.
    pub openings: usize,
    /// The time for which each question is asked, in milliseconds.
    pub asking: u64,
}

/// The task of a child.
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
    WarmEngine,
    Change,
    Open,
    /// Writes until it is killed inside a change.
    Write,
    /// Loads until it is killed before the end. `beside` says whether a small change is committed
    /// at the same time.
    LoadForEver {
        beside: bool,
    },
}

/// The maximum number of learners whose dataset is written to a file. Larger datasets are generated
/// while they are loaded.
const IN_FILE_UP_TO: u32 = 10_000;

/// Measures a school with this number of learners. `folder` must not contain files of an earlier
/// measurement. This program must pass the tasks of its children to [`child()`].
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
        warm_engine: child::run(&task(Step::WarmEngine))?,
        answers: child::run(&task(Step::Answers))?,
        changes: child::run(&task(Step::Change))?,
        openings: opening::measure(&task)?,
    };
    Ok(growth)
}

/// Runs the task of a child.
pub fn child(task: &str) -> Result<()> {
    let task: Task = serde_json::from_str(task)?;
    match task.step {
        Step::Load => child::say(&load::load(&task)?),
        Step::Again => child::say(&load::again(&task)?),
        Step::Answers => child::say(&answers::count(&task)?),
        Step::WarmEngine => child::say(&warm_engine::measure(&task)?),
        Step::Change => child::say(&change(&task)?),
        Step::Open => child::say(&opening::open(&task)?),
        Step::Write => opening::write(&task),
        Step::LoadForEver { beside } => opening::load_for_ever(&task, beside),
    }
}

/// Returns the school of this size.
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

    /// Returns a reader of the dataset. A generator allocates its memory before it is returned.
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

/// Runs the child that makes each small change repeatedly.
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
