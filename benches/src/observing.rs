//! Measures the additional cost of a change when questions are observed.

use crate::changes::Change;
use crate::spread::{Spread, timed};
use anyhow::{Context, Result, ensure};
use rollbook::{AssessmentMarks, Engine, Learners, LiveQuery, Options};
use rollbook_tests::sample::SampleSchool;
use serde::Serialize;
use std::io::Read;

/// The times of one mark applied in memory, with observers of its school and without.
#[derive(Debug, Clone, Serialize)]
pub struct Observing {
    /// The number of observers.
    pub observers: usize,
    /// The number of observers whose answer the mark changes.
    pub concerned: usize,
    /// The times of the change, in seconds, with observers that poll.
    pub polling: Spread,
    /// The times with observers that listen.
    pub listening: Spread,
    /// The times without observers.
    pub alone: Spread,
}

/// The number of observers, and the number of those that observe marks.
const OBSERVERS: usize = 100;
const CONCERNED: usize = 2;

/// Changes one mark of a school with this number of learners in this number of rounds, in turn with
/// observers that poll, with observers that listen, and without any.
pub fn measure(learners: u32, rounds: usize) -> Result<Observing> {
    let school = SampleSchool {
        learners,
        ..SampleSchool::default()
    };
    let mut dataset = Vec::new();
    school.reader().read_to_end(&mut dataset)?;
    let changes = Change::for_school(&school)?;
    let mark = changes.first().context("one mark")?;
    let engine = || -> Result<Engine> {
        let engine = Engine::memory(Options::default())?;
        engine.apply(dataset.as_slice())?;
        Ok(engine)
    };
    let (polled, heard, alone) = (engine()?, engine()?, engine()?);
    let mut polling = observers(&polled, school.school_id, false)?;
    let mut listening = observers(&heard, school.school_id, true)?;
    // The engine without observers answers the same questions, so that all engines have the same
    // decoded values in their caches before a change invalidates them.
    alone.ask(&learner(school.school_id, CONCERNED))?;
    let mut times = [Vec::new(), Vec::new(), Vec::new()];
    for round in 0..rounds {
        for (engine, times) in [&polled, &heard, &alone].into_iter().zip(&mut times) {
            let (made, took) = timed(|| mark.write(engine, round));
            made?;
            times.push(took);
        }
        for observers in [&mut polling, &mut listening] {
            let given = observers.iter_mut().filter_map(LiveQuery::poll).count();
            ensure!(given == CONCERNED, "{given} observers were given something");
        }
        alone.ask(&marks(school.school_id))?;
    }
    let [polling, listening, alone] = times.map(Spread::new);
    Ok(Observing {
        observers: OBSERVERS,
        concerned: CONCERNED,
        polling,
        listening,
        alone,
    })
}

/// Returns a question for the marks of the learner whose mark is changed.
fn marks(school: u64) -> AssessmentMarks {
    AssessmentMarks {
        school,
        learner_id: Some(1),
        ..AssessmentMarks::default()
    }
}

/// Returns a question for a learner that the mark does not affect.
fn learner(school: u64, number: usize) -> Learners<'static> {
    Learners {
        school,
        learner_id: Some(number as u64),
        ..Learners::default()
    }
}

/// Returns observers that have received their first answer, and that listen if `listen` is true.
fn observers(engine: &Engine, school: u64, listen: bool) -> Result<Vec<LiveQuery>> {
    let mut observers = Vec::new();
    for number in 0..OBSERVERS {
        let mut observer = if number < CONCERNED {
            engine.observe(marks(school))
        } else {
            engine.observe(learner(school, number))
        };
        if listen {
            observer.on_change(|| {})?;
        }
        observer.poll().context("a first answer")??;
        observers.push(observer);
    }
    Ok(observers)
}
