//! The marks that a question selects.

use crate::date::Date;
use crate::error::Result;
use crate::query::decoded::school_tables::Tables;
use crate::query::marks::assessment_layout::{LayoutSubject, LayoutTerm, Wanted};
use crate::store::{Collection, Key, Partition, Reader, Records, Snapshot};
use std::sync::Arc;

/// The marks that a question selects, and the data from which both versions write them.
pub(crate) struct MarksSelection<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) tables: Arc<Tables>,
    pub(crate) school: u64,
    pub(crate) year: u64,
    pub(crate) today: Date,
    pub(crate) learner: Option<u64>,
    pub(crate) grade: Option<u64>,
    pub(crate) wanted: Wanted,
    /// Whether only the structure is written, whether marks are released or not.
    pub(crate) structure: bool,
}

impl<'a> MarksSelection<'a> {
    /// Returns the grades in which there may be marks, in ascending order.
    pub(super) fn grades(&self) -> Result<Vec<u64>> {
        let learner = match (self.grade, self.learner) {
            (Some(grade), _) => return Ok(vec![grade]),
            (None, Some(learner)) => learner,
            (None, None) => return Ok(Vec::new()),
        };
        let rows = Partition::of_year(self.school, Collection::MarkRowIndex, self.year);
        let rows = self.snapshot.records(rows)?;
        let keys = rows.keys(Key(learner, 0), Key(learner, u64::MAX))?;
        Ok(keys.into_iter().map(|Key(_, grade)| grade).collect())
    }

    /// Returns the learning programs of a term of which the answer may contain assessments.
    pub(super) fn shown<'l>(&self, term: &'l LayoutTerm) -> Result<Vec<&'l LayoutSubject>> {
        let end = self.tables.term_end(self.snapshot, self.year, term.term)?;
        let shows = |subject: &&LayoutSubject| {
            let wanted = self.wanted;
            wanted
                .subject
                .is_none_or(|wanted| wanted == subject.subject)
                && wanted.outcome.is_none_or(|wanted| {
                    let mut outcomes = subject.outcomes.iter();
                    outcomes.any(|outcome| outcome.outcome == wanted)
                })
                && (self.structure || subject.release.is_released(end, self.today))
        };
        Ok(term.subjects.iter().filter(shows).collect())
    }

    /// Returns the mark rows of a grade.
    pub(super) fn rows(&self, grade: u64) -> Result<Records<'a>> {
        let rows = Partition::of_grade_year(self.school, Collection::MarkRows, grade, self.year);
        self.snapshot.records(rows)
    }

    /// Returns the first and the last key of the mark rows of a term.
    pub(super) fn keys(&self, term: u64) -> (Key, Key) {
        match self.learner {
            Some(learner) => (Key(term, learner), Key(term, learner)),
            None => (Key(term, 0), Key(term, u64::MAX)),
        }
    }
}
