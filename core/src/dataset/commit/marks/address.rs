//! Where the marks of an assessment lie.

use crate::error::{Error, Failure, Result};
use crate::record::assessment::{self, GRADE_TAG, SLOT_TAG, TERM_TAG, YEAR_TAG};
use crate::store::{Collection, Key, Partition, Reader, Write};

/// The grade, year and term that an assessment belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::dataset::commit) struct GradeTerm {
    pub(in crate::dataset::commit) grade: u64,
    pub(in crate::dataset::commit) year: u64,
    pub(in crate::dataset::commit) term: u64,
}

impl GradeTerm {
    pub(in crate::dataset::commit) fn partition(
        self,
        school: u64,
        collection: Collection,
    ) -> Partition {
        Partition::of_grade_year(school, collection, self.grade, self.year)
    }
}

/// Where an assessment lies, as the index says.
pub(in crate::dataset::commit) fn grade_term_of(
    write: &Write<'_>,
    school: u64,
    assessment: u64,
) -> Result<Option<GradeTerm>> {
    let assessments = write.records(Partition::of(school, Collection::AssessmentIndex))?;
    let Some((pinned, index)) = assessments.get(Key::one(assessment))? else {
        return Ok(None);
    };
    let run = pinned.run()?;
    let tag = |tag| run.tag(tag, index)?.ok_or_else(not_as_indexed);
    Ok(Some(GradeTerm {
        grade: tag(GRADE_TAG)?,
        year: tag(YEAR_TAG)?,
        term: tag(TERM_TAG)?,
    }))
}

/// The slot of an assessment's marks in the rows of its grade and term.
pub(in crate::dataset::commit) fn slot_of(
    write: &Write<'_>,
    school: u64,
    at: GradeTerm,
    assessment: u64,
) -> Result<u64> {
    let partition = at.partition(school, Collection::Assessments);
    let assessments = write.records(partition)?;
    let found = assessments.get(Key(at.term, assessment))?;
    let (pinned, index) = found.ok_or_else(not_as_indexed)?;
    let slot = pinned.run()?.tag(SLOT_TAG, index)?;
    assessment::slot(slot)
}

pub(in crate::dataset::commit) fn not_as_indexed() -> Failure {
    Error::corrupt("an assessment is not where its index says")
}

/// Where an assessment's marks belong: a slot in the rows of a grade and term, or nowhere.
pub(in crate::dataset::commit) type SlotAddress = Option<(GradeTerm, u64)>;

/// Where a learner's mark for an assessment lies: in a slot of a row, or among
/// the waiting ones if the assessment is nowhere.
pub(in crate::dataset::commit) fn mark_address(
    school: u64,
    assessment: u64,
    learner: u64,
    at: SlotAddress,
) -> (Partition, Key, u64) {
    match at {
        Some((at, slot)) => {
            let rows = at.partition(school, Collection::MarkRows);
            (rows, Key(at.term, learner), slot)
        }
        None => {
            let waiting = Partition::of(school, Collection::WaitingMarks);
            (waiting, Key(assessment, learner), 0)
        }
    }
}
