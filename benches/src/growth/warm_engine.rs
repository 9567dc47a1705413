//! Measures an engine that has answered every question: its memory, and how fast it answers then.

use super::Task;
use crate::ask::{QUESTIONS, What, found};
use crate::ours::Typed;
use crate::peer::Peer;
use crate::process;
use crate::timing::{Effort, all, medians, warm};
use anyhow::Result;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The measurements of an engine that has answered every ask of every question once.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct WarmEngine {
    /// The memory in addition to that of the process before the engine was opened, including the
    /// program's code. The buffer of the answers is not included.
    pub resident: Option<u64>,
    /// The times of each question that has a non-empty answer.
    pub questions: Vec<Warm>,
}

/// The time of a question whose data is cached.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Warm {
    /// The question.
    pub name: String,
    /// The median time of an ask in seconds, where each time is the mean of all asks of the
    /// question.
    pub median: f64,
}

pub(super) fn measure(task: &Task) -> Result<WarmEngine> {
    // A large allocation uses no memory before it is written, and returns it when it is dropped.
    let mut answer = Vec::with_capacity((64 << 20) + (usize::try_from(task.learners)? << 12));
    let start = process::resident();
    let engine = task.engine()?;
    let mut questions = Vec::new();
    let school = task.school();
    for (name, things) in QUESTIONS {
        let things = things(&school.grade_ids());
        let things = things
            .into_iter()
            .map(|what| spread(what, u64::from(task.learners)));
        let asks = found(&engine, school.school_id, things, &mut answer)?;
        if !asks.is_empty() {
            questions.push((name, asks));
        }
    }
    drop(answer);
    let memory = process::resident().zip(start);
    let effort = Effort {
        rounds: 5,
        time: Duration::from_millis(task.rounds.asking),
    };
    let mut asked = Vec::new();
    for (name, asks) in &questions {
        let mut alone: [Box<dyn Peer + '_>; 1] = [Box::new(Typed(&engine))];
        let times = medians(&mut alone, all(asks), warm, effort)?;
        asked.push(Warm {
            name: (*name).to_owned(),
            median: times.first().map_or(f64::NAN, |median| median / 1e9),
        });
    }
    engine.close()?;
    Ok(WarmEngine {
        resident: memory.map(|(now, start)| now.saturating_sub(start)),
        questions: asked,
    })
}

/// Spreads the learners of a question, whose ids are at most 1,000, over the whole school.
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
