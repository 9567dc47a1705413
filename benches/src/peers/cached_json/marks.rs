//! Filters assessment marks (2.6) in the client.

use crate::peers::members::Members;
use crate::peers::wire::{LearnerMarks, Marks};

/// The filter of a grade's marks. `None` selects all.
#[derive(Default, Clone, Copy)]
pub(super) struct Only {
    pub(super) term: Option<u64>,
    pub(super) learner: Option<u64>,
    pub(super) outcome: Option<u64>,
}

impl Only {
    /// Removes everything that is not selected, and levels that become empty.
    pub(super) fn filter(self, marks: &mut Marks<'_>) {
        marks.0.retain_mut(|(_, grade)| {
            grade.years.0.retain_mut(|(_, year)| {
                retain_only(&mut year.terms, self.term);
                year.terms.0.retain_mut(|(_, term)| {
                    retain_only(&mut term.learners, self.learner);
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
                retain_only(&mut subject.learning_outcomes, self.outcome);
                !subject.learning_outcomes.0.is_empty()
            });
            !learner.subjects.0.is_empty()
        });
    }
}

/// Removes all other members, if an id is given.
fn retain_only<T>(members: &mut Members<'_, T>, only: Option<u64>) {
    if let Some(id) = only {
        members.0.retain(|(key, _)| key.parse() == Ok(id));
    }
}
