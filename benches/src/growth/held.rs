//! What an engine holds that has answered every question, and how fast it
//! answers then.

use super::Task;
use crate::ask::{Ask, QUESTIONS, What};
use crate::peer::Asked as _;
use crate::process;
use crate::spread::timed;
use anyhow::Result;
use rollbook::Engine;
use serde::{Deserialize, Serialize};
use std::hint::black_box;
use std::time::Duration;

/// An engine that has answered every ask of every question once.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Held {
    /// Its memory beyond what the process had before it, the program's own code
    /// included; the buffer of the answers is not in it.
    pub resident: Option<u64>,
    /// What of that is allocated.
    pub anonymous: Option<u64>,
    /// How fast it answers each question then that has something to answer.
    pub questions: Vec<Warm>,
}

/// A question asked again and again.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Warm {
    /// The question.
    pub name: String,
    /// How many asks it has.
    pub asks: usize,
    /// The bytes of an answer, on average.
    pub bytes: u64,
    /// The median of the seconds that an ask takes, each on average over all
    /// asks of the question.
    pub median: f64,
}

pub(super) fn hold(task: &Task) -> Result<Held> {
    // Of no memory before it is written, and given back when it is dropped:
    // what large allocations are.
    let mut answer = Vec::with_capacity((64 << 20) + (usize::try_from(task.learners)? << 12));
    let start = process::memory();
    let engine = task.engine()?;
    let mut questions = Vec::new();
    for (name, things) in QUESTIONS {
        let asks = asks(task, things, &engine, &mut answer)?;
        if !asks.is_empty() {
            questions.push((name, asks));
        }
    }
    drop(answer);
    let held = process::memory().zip(start);
    let questions = questions
        .iter()
        .map(|(name, asks)| warm(name, asks, &engine, task.rounds.asking));
    let questions = questions.collect::<Result<_>>()?;
    engine.close()?;
    Ok(Held {
        resident: held.map(|(now, start)| now.resident.saturating_sub(start.resident)),
        anonymous: held.map(|(now, start)| now.anonymous.saturating_sub(start.anonymous)),
        questions,
    })
}

/// What is answered with something.
fn asks(
    task: &Task,
    things: fn(&[u64]) -> Vec<What>,
    engine: &Engine,
    answer: &mut Vec<u8>,
) -> Result<Vec<Ask>> {
    let school = task.school();
    let mut asks = Vec::new();
    for what in things(&school.grade_ids()) {
        let what = spread(what, u64::from(task.learners));
        let ask = Ask::new(asks.len(), school.school_id, what);
        if ask.typed(engine, answer)? {
            asks.push(ask);
        }
    }
    Ok(asks)
}

/// The questions ask learners up to 1,000; this takes them from the whole
/// school.
fn spread(what: What, learners: u64) -> What {
    let learner = |id| 1 + (id - 1) * learners / 1000;
    match what {
        What::Learner(id) => What::Learner(learner(id)),
        What::MarksOfLearner(id) => What::MarksOfLearner(learner(id)),
        What::SubjectsPerTerm(id) => What::SubjectsPerTerm(learner(id)),
        What::SubjectMarks(id) => What::SubjectMarks(learner(id)),
        other => other,
    }
}

/// Rounds at least.
const LEAST: usize = 5;

fn warm(name: &str, asks: &[Ask], engine: &Engine, milliseconds: u64) -> Result<Warm> {
    let mut answer = Vec::new();
    let mut bytes = 0;
    let mut round = || -> Result<Duration> {
        let (asked, took) = timed(|| -> Result<()> {
            bytes = 0;
            for ask in asks {
                ask.typed(engine, &mut answer)?;
                bytes += black_box(&answer).len();
            }
            Ok(())
        });
        asked.map(|()| took)
    };
    round()?;
    let mut times = Vec::new();
    let mut spent = Duration::ZERO;
    while times.len() < LEAST || spent < Duration::from_millis(milliseconds) {
        let took = round()?;
        spent += took;
        times.push(took);
    }
    times.sort_unstable();
    let count = u32::try_from(asks.len())?;
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    Ok(Warm {
        name: name.to_owned(),
        asks: asks.len(),
        bytes: (bytes / asks.len()) as u64,
        median: median.as_secs_f64() / f64::from(count),
    })
}
