//! Splits assessment marks into one row per learner, subject and term.

use super::{Row, Sink, Table, number};
use crate::peers::members::Members;
use anyhow::Result;
use serde::Deserialize;
use serde_json::value::RawValue;

/// Calls `each` for the rows of an answer. The school and the year are the start of their
/// partitions.
pub(super) fn each_row(answer: &[u8], [school, year]: [u64; 2], each: &mut Sink<'_>) -> Result<()> {
    let grades: Members<'_, Years<'_>> = serde_json::from_slice(answer)?;
    let mut row = String::new();
    for (grade, years) in &grades.0 {
        for (term, learners) in years.years.0.iter().flat_map(|(_, year)| &year.terms.0) {
            for (learner, subjects) in &learners.learners.0 {
                for (subject, marks) in &subjects.subjects.0 {
                    row.clear();
                    row.extend(["\"", subject, "\":", marks.get()]);
                    each(&Row {
                        table: Table::Marks,
                        partition: &[school, year, number(grade)?, number(term)?],
                        key: &[number(learner)?, number(subject)?],
                        tags: &[],
                        name: "",
                        json: &row,
                    })?;
                }
            }
        }
    }
    Ok(())
}

#[derive(Deserialize)]
struct Years<'a> {
    #[serde(borrow)]
    years: Members<'a, Terms<'a>>,
}

#[derive(Deserialize)]
struct Terms<'a> {
    #[serde(borrow)]
    terms: Members<'a, LearnersOfTerm<'a>>,
}

#[derive(Deserialize)]
struct LearnersOfTerm<'a> {
    #[serde(borrow)]
    learners: Members<'a, SubjectsOfLearner<'a>>,
}

#[derive(Deserialize)]
struct SubjectsOfLearner<'a> {
    #[serde(borrow)]
    subjects: Members<'a, &'a RawValue>,
}
