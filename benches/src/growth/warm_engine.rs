//! What an engine holds that has answered every question, and how fast it
//! answers then.

use super::Task;
use crate::ask::{QUESTIONS, What, found};
use crate::ours::Typed;
use crate::peer::Peer;
use crate::process;
use crate::timing::{Effort, all, medians, warm};
use anyhow::Result;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// An engine that has answered every ask of every question once.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Held {
    /// Its memory beyond what the process had before it, the program's own code
    /// included; the buffer of the answers is not in it.
    pub resident: Option<u64>,
    /// How fast it answers each question then that has something to answer.
    pub questions: Vec<Warm>,
}

/// A question asked again and again.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Warm {
    /// The question.
    pub name: String,
    /// Median seconds of an ask, each on average over all asks of the question.
    pub median: f64,
}

pub(super) fn hold(task: &Task) -> Result<Held> {
    // Of no memory before it is written, and given back when it is dropped:
    // what large allocations are.
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
    let held = process::resident().zip(start);
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
    Ok(Held {
        resident: held.map(|(now, start)| now.saturating_sub(start)),
        questions: asked,
    })
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
