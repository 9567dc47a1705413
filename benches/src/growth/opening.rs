//! Measures opening a store after it was closed, and after a process that wrote it was killed.

use super::{Step, Task};
use crate::changes::Change;
use crate::child;
use crate::spread::{Spread, timed};
use anyhow::{Context, Result};
use rollbook::{Engine, Options};
use rollbook_tests::sample::SampleSchool;
use rollbook_tests::storage::hooked_backend::Wrapping;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The times of opening a store, each time in a new process. The file is in the page cache of the
/// operating system.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Openings {
    /// After the store was closed.
    pub clean: Spread,
    /// After a process was killed with -9 while it wrote a change of 1,000 marks.
    pub writing: Killed,
    /// After a process was killed between commits, before the end of a load of the same school, or
    /// of 10,000 of its learners.
    pub loading: Killed,
    /// The same, with a state update that was committed during the load.
    pub loading_beside: Killed,
}

/// The times of opening a store after a number of kills.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Killed {
    /// The times of opening it immediately. The operating system may still have to write data to
    /// the disk that the killed process wrote and did not commit.
    pub at_once: Spread,
    /// The times of opening it after this data was written to the disk.
    pub later: Spread,
    /// The number of all these kills that took place inside a change or a load.
    pub inside: usize,
}

/// A message from a child that will be killed.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Said {
    /// A change has begun.
    Begun,
    Ended,
}

/// The maximum number of learners of a school whose load is interrupted.
const MAX_LEARNERS: u32 = 10_000;

/// The maximum number of interrupted loads, because each of them takes long.
const MAX_LOADS: usize = 3;

pub(super) fn measure(task: &impl Fn(Step) -> Task) -> Result<Openings> {
    let rounds = task(Step::Open).rounds.openings;
    let open = || child::run::<Duration>(&task(Step::Open));
    // The first call leaves the store closed.
    open()?;
    let clean = (0..rounds).map(|_| open()).collect::<Result<_>>()?;
    let after = |step, rounds| {
        let (mut at_once, mut later, mut inside) = (Vec::new(), Vec::new(), 0);
        for round in 0..rounds {
            inside += usize::from(kill(&task(step), round)?);
            at_once.push(open()?);
            inside += usize::from(kill(&task(step), round)?);
            File::open(task(step).store())?.sync_all()?;
            later.push(open()?);
        }
        Ok::<_, anyhow::Error>(Killed {
            at_once: Spread::new(at_once),
            later: Spread::new(later),
            inside,
        })
    };
    let loads = rounds.min(MAX_LOADS);
    Ok(Openings {
        clean: Spread::new(clean),
        writing: after(Step::Write, rounds)?,
        loading: after(Step::LoadForEver { beside: false }, loads)?,
        loading_beside: after(Step::LoadForEver { beside: true }, loads)?,
    })
}

/// Starts a child, and kills it inside a change: inside the first one, or after `round` more
/// changes have begun. Returns whether the kill took place inside a change.
fn kill(task: &Task, round: usize) -> Result<bool> {
    let more = match task.step {
        Step::Write => round,
        _ => 0,
    };
    let (mut child, mut out) = child::start(task)?;
    let mut begun = 0;
    while begun <= more {
        let said = child::hear::<Said>(&mut out)?;
        let said = said.context("a child ended that was to be killed")?;
        begun += usize::from(said == Said::Begun);
    }
    child.kill()?;
    child.wait()?;
    let mut last = Said::Begun;
    while let Some(said) = child::hear(&mut out)? {
        last = said;
    }
    Ok(last == Said::Begun)
}

/// Runs the child that opens the store and closes it.
pub(super) fn open(task: &Task) -> Result<Duration> {
    let (engine, took) = timed(|| task.engine());
    engine?.close()?;
    Ok(took)
}

/// Runs the child that writes, and sends a message before it writes the first bytes of a change.
pub(super) fn write(task: &Task) -> Result<()> {
    let silent = Arc::new(AtomicBool::new(true));
    let announced = silent.clone();
    let backend = Wrapping::open(&task.store(), move || {
        if !announced.swap(true, Ordering::Relaxed) {
            // Messages are lost if the parent has ended.
            let _ = child::say(&Said::Begun);
        }
    });
    let engine = Engine::open_with_backend(backend, Options::default())?;
    let changes = Change::for_school(&task.school())?;
    let marks = changes.get(1).context("1,000 marks")?;
    for round in 0.. {
        silent.store(false, Ordering::Relaxed);
        let changed = marks.make(&engine, round)?;
        silent.store(true, Ordering::Relaxed);
        if changed > 0 {
            child::say(&Said::Ended)?;
        }
    }
    Ok(())
}

/// Runs the child that loads and never reaches the end.
pub(super) fn load_for_ever(task: &Task, beside: bool) -> Result<()> {
    let school = SampleSchool {
        learners: task.learners.min(MAX_LEARNERS),
        ..task.school()
    };
    let engine = task.engine()?;
    let mut load = engine.load();
    let mut reader = school.reader();
    let mut buffer = vec![0; 64 << 10];
    loop {
        let read = reader.read(&mut buffer)?;
        if read == 0 {
            break;
        }
        load.push(buffer.get(..read).unwrap_or_default())?;
    }
    if beside {
        let changes = Change::for_school(&school)?;
        let state = changes.last().context("a state update")?;
        state.make(&engine, 0)?;
        state.make(&engine, 1)?;
    }
    child::say(&Said::Begun)?;
    child::wait()
}
