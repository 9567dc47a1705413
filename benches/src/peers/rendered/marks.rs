//! Assessment marks, cut into a row a learner, subject and term.

use super::{Place, number};
use anyhow::Result;
use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::value::RawValue;

/// The assessment marks of a learner, subject and term.
#[derive(Debug, Clone, Copy)]
pub struct MarksRow<'a> {
    /// The grade, the term and the learner.
    pub place: Place,
    /// The subject.
    pub subject: u64,
    /// `"101":{"subject_id":"101",…}`
    pub row: &'a str,
}

/// Hands on the rows of an answer.
pub(super) fn each_row(
    answer: &[u8],
    each: &mut dyn FnMut(&MarksRow<'_>) -> Result<()>,
) -> Result<()> {
    let grades: IndexMap<&str, Years<'_>> = serde_json::from_slice(answer)?;
    let mut key = String::new();
    for (grade, years) in &grades {
        for (term, learners) in years.years.values().flat_map(|year| &year.terms) {
            for (learner, subjects) in &learners.learners {
                let place = Place {
                    grade: number(grade)?,
                    term: number(term)?,
                    learner: number(learner)?,
                };
                for (subject, marks) in &subjects.subjects {
                    key.clear();
                    key.extend(["\"", subject, "\":", marks.get()]);
                    each(&MarksRow {
                        place,
                        subject: number(subject)?,
                        row: &key,
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
    years: IndexMap<&'a str, Terms<'a>>,
}

#[derive(Deserialize)]
struct Terms<'a> {
    #[serde(borrow)]
    terms: IndexMap<&'a str, LearnersOfTerm<'a>>,
}

#[derive(Deserialize)]
struct LearnersOfTerm<'a> {
    #[serde(borrow)]
    learners: IndexMap<&'a str, SubjectsOfLearner<'a>>,
}

#[derive(Deserialize)]
struct SubjectsOfLearner<'a> {
    #[serde(borrow)]
    subjects: IndexMap<&'a str, &'a RawValue>,
}
