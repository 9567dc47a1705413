//! Assessment marks (2.6) as this client filters them.

use crate::peers::members::Members;
use crate::peers::wire::{LearnerMarks, Marks};

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
        marks.0.retain_mut(|(_, grade)| {
            grade.years.0.retain_mut(|(_, year)| {
                keep(&mut year.terms, self.term);
                year.terms.0.retain_mut(|(_, term)| {
                    keep(&mut term.learners, self.learner);
                    if self.outcome.is_some() {
                        self.filter_subjects(&mut term.learners);
                    }
                    !term.learners.0.is_empty()
                });
                !year.terms.0.is_empty()
            });
            !grade.years.0.is_empty()
        });
    }

    fn filter_subjects(self, learners: &mut Members<'_, LearnerMarks<'_>>) {
        learners.0.retain_mut(|(_, learner)| {
            learner.subjects.0.retain_mut(|(_, subject)| {
                keep(&mut subject.learning_outcomes, self.outcome);
                !subject.learning_outcomes.0.is_empty()
            });
            !learner.subjects.0.is_empty()
        });
    }
}

/// Keeps one member, if one is asked for.
fn keep<T>(members: &mut Members<'_, T>, only: Option<u64>) {
    if let Some(id) = only {
        members.0.retain(|(key, _)| key.parse() == Ok(id));
    }
}
