//! Assessment marks (2.6) as this client reads and filters them.

use super::members::Members;
use crate::peers::wire::Assessment;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Assessment marks by grade.
pub(super) type Marks<'a> = Members<'a, Grade<'a>>;

#[derive(Serialize, Deserialize)]
pub(super) struct Grade<'a> {
    #[serde(borrow)]
    grade: Cow<'a, str>,
    #[serde(borrow)]
    years: Members<'a, Year<'a>>,
}

#[derive(Serialize, Deserialize)]
struct Year<'a> {
    #[serde(borrow)]
    year: Cow<'a, str>,
    #[serde(borrow)]
    year_name: Cow<'a, str>,
    #[serde(borrow)]
    terms: Members<'a, Term<'a>>,
}

#[derive(Serialize, Deserialize)]
struct Term<'a> {
    #[serde(borrow)]
    term: Cow<'a, str>,
    #[serde(borrow)]
    learners: Members<'a, Learner<'a>>,
}

#[derive(Serialize, Deserialize)]
struct Learner<'a> {
    #[serde(borrow)]
    learner_id: Cow<'a, str>,
    #[serde(borrow)]
    subjects: Members<'a, Subject<'a>>,
}

#[derive(Serialize, Deserialize)]
struct Subject<'a> {
    #[serde(borrow)]
    subject_id: Cow<'a, str>,
    #[serde(borrow)]
    subject_name: Cow<'a, str>,
    #[serde(borrow)]
    learning_outcomes: Members<'a, LearningOutcome<'a>>,
}

#[derive(Serialize, Deserialize)]
struct LearningOutcome<'a> {
    #[serde(borrow)]
    learning_outcome_id: Cow<'a, str>,
    #[serde(borrow)]
    learning_outcome_name: Cow<'a, str>,
    #[serde(borrow)]
    assessments: Members<'a, Assessment<'a>>,
}

/// What is asked of a grade's marks; all unless given.
#[derive(Default, Clone, Copy)]
pub(super) struct Only {
    pub(super) term: Option<u64>,
    pub(super) learner: Option<u64>,
    pub(super) outcome: Option<u64>,
}

impl Only {
    /// Leaves what is asked for, and no level with nothing in it.
    pub(super) fn filter(self, marks: &mut Marks<'_>) {
        marks.retain(|_, grade| {
            grade.years.retain(|_, year| {
                keep(&mut year.terms, self.term);
                year.terms.retain(|_, term| {
                    keep(&mut term.learners, self.learner);
                    if self.outcome.is_some() {
                        self.filter_subjects(&mut term.learners);
                    }
                    !term.learners.is_empty()
                });
                !year.terms.is_empty()
            });
            !grade.years.is_empty()
        });
    }

    fn filter_subjects(self, learners: &mut Members<'_, Learner<'_>>) {
        learners.retain(|_, learner| {
            learner.subjects.retain(|_, subject| {
                keep(&mut subject.learning_outcomes, self.outcome);
                !subject.learning_outcomes.is_empty()
            });
            !learner.subjects.is_empty()
        });
    }
}

/// Keeps one member, if one is asked for.
fn keep<T>(members: &mut Members<'_, T>, only: Option<u64>) {
    if let Some(id) = only {
        members.retain(|key, _| key.parse() == Ok(id));
    }
}
