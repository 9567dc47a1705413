//! Counts the bytes of v1 JSON that a store can answer.

use super::Task;
use crate::ask::{MONTHS, NOW};
use crate::request::fetch;
use anyhow::Result;

/// Returns the number of bytes of everything that a school's store answers, each part once: the
/// learners of all three statuses with their parents, their subjects and marks, and the absences.
pub(super) fn count(task: &Task) -> Result<u64> {
    let engine = task.engine()?;
    let sample = task.school();
    let school = sample.school_id;
    let mut total = 0;
    let mut ask = |collection: &str, parameters: &str| {
        let answer = fetch(&engine, &format!("{collection}/{school}?{parameters}"), NOW)?;
        total += answer.len() as u64;
        anyhow::Ok(())
    };
    for status in ["current", "left&since=2025-12-31", "waitlist"] {
        let parameters = format!("include_parents=1&status={status}");
        ask("adminplus/learners", &parameters)?;
    }
    for (first, last) in MONTHS {
        let parameters = format!("from_date={first}&to_date={last}");
        ask("adminplus/learnerabsentees", &parameters)?;
    }
    ask("currplus/learnersubjects", "")?;
    for learner in 1..=task.learners {
        let parameters = format!("learner_id={learner}");
        ask("currplus/learnersubjectsperterm", &parameters)?;
        ask("currplus/learnersubjectmarks", &parameters)?;
    }
    for grade in sample.grade_ids() {
        let parameters = format!("grade_id={grade}");
        ask("currplus/learnerassessmentmarks", &parameters)?;
    }
    engine.close()?;
    Ok(total)
}
