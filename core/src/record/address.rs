//! The addresses of records: the partition and the key at which a record is stored. The key fields
//! of most kinds determine them. An index contains those of assessments and of records that are
//! stored by date.

use super::kind::Kind;
use super::kinds::assessment::{self, GRADE_COLUMN, SLOT_COLUMN, TERM_COLUMN, YEAR_COLUMN};
use super::storage::{Dated, Storage};
use crate::error::{Error, Failure, Result};
use crate::store::{Collection, Item, Key, Partition, Reader, Records};

/// Returns the address of a record of any kind except marks, given the values of its key fields.
/// Returns `None` if an index shows that there is no such record.
pub(crate) fn address(
    reader: &dyn Reader,
    kind: Kind,
    key: &[u64],
) -> Result<Option<(Partition, Key)>> {
    Ok(match (kind.storage(), key) {
        (Storage::Dated { at, .. }, &[school, id]) => {
            let date = date_of(reader, at, school, id)?;
            date.map(|date| (Partition::new(school, at.records), Key(date, id)))
        }
        (Storage::Assessments, &[school, id]) => {
            let at = grade_term_of(reader, school, id)?;
            at.map(|at| at.address(school, id))
        }
        (storage, key) => storage.address(key),
    })
}

/// Returns the date at which a record is stored, or `None` if there is no such record.
pub(crate) fn date_of(reader: &dyn Reader, at: Dated, school: u64, id: u64) -> Result<Option<u64>> {
    let dates = Records::open(reader, Partition::new(school, at.dates))?;
    match dates.get(Key::one(id))? {
        Some(record) => {
            let date = record.filter_column(Dated::DATE_COLUMN)?;
            date.ok_or_else(misplaced).map(Some)
        }
        None => Ok(None),
    }
}

/// The grade, year and term that an assessment belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct GradeTerm {
    pub(crate) grade: u64,
    pub(crate) year: u64,
    pub(crate) term: u64,
}

impl GradeTerm {
    /// Reads an entry of the index of assessments.
    pub(crate) fn from_item(entry: &Item<'_>) -> Result<GradeTerm> {
        let filter_column = |column| entry.filter_column(column).ok_or_else(misplaced);
        Ok(GradeTerm {
            grade: filter_column(GRADE_COLUMN)?,
            year: filter_column(YEAR_COLUMN)?,
            term: filter_column(TERM_COLUMN)?,
        })
    }

    pub(crate) fn partition(self, school: u64, collection: Collection) -> Partition {
        Partition::of_grade_year(school, collection, self.grade, self.year)
    }

    /// Returns the address of an assessment.
    pub(crate) fn address(self, school: u64, assessment: u64) -> (Partition, Key) {
        let partition = self.partition(school, Collection::Assessments);
        (partition, Key(self.term, assessment))
    }
}

/// Returns the grade, year and term of an assessment, or `None` if there is no such assessment.
pub(crate) fn grade_term_of(
    reader: &dyn Reader,
    school: u64,
    assessment: u64,
) -> Result<Option<GradeTerm>> {
    let index = Records::open(reader, Partition::new(school, Collection::AssessmentIndex))?;
    let entry = index.get(Key::one(assessment))?;
    entry
        .map(|entry| GradeTerm::from_item(&entry.item()?))
        .transpose()
}

/// Returns the slot of an assessment in the mark rows of its grade, year and term.
pub(crate) fn slot_of(
    reader: &dyn Reader,
    school: u64,
    at: GradeTerm,
    assessment: u64,
) -> Result<u64> {
    let (partition, key) = at.address(school, assessment);
    let found = Records::open(reader, partition)?.get(key)?;
    assessment::slot(found.ok_or_else(misplaced)?.filter_column(SLOT_COLUMN)?)
}

/// The slot of an assessment in the rows of a grade, year and term, or `None` if the assessment is
/// not in the store.
pub(crate) type SlotAddress = Option<(GradeTerm, u64)>;

/// Returns the slot of an assessment and the grade, year and term to which it belongs.
pub(crate) fn slot_address_of(
    reader: &dyn Reader,
    school: u64,
    assessment: u64,
) -> Result<SlotAddress> {
    let at = grade_term_of(reader, school, assessment)?;
    at.map(|at| Ok((at, slot_of(reader, school, at, assessment)?)))
        .transpose()
}

/// Returns the address of a learner's mark for an assessment: a slot of a row, or an entry among
/// the waiting marks if the assessment is not in the store.
pub(crate) fn mark_address(
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
            let waiting = Partition::new(school, Collection::WaitingMarks);
            (waiting, Key(assessment, learner), 0)
        }
    }
}

/// Returns the error for a record that is not at the address that its index contains.
pub(crate) fn misplaced() -> Failure {
    Error::corrupt("a record is not at the address in its index")
}
