//! The collection in which the records of a kind are stored, and their keys in it.

use crate::store::{Collection, Key, Partition, Sources};

/// The storage of a kind of record. All records in a [`Collection`] are pre-rendered, except
/// learners' subjects and marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Storage {
    /// Rows of integrators.
    Integrators,
    /// Rows of the authorisations of integrators by schools.
    Authorisations,
    /// One partition for all schools. The key is the id.
    Global(Collection),
    /// A partition for each school. The key consists of the one or two numbers after the
    /// school.
    BySchool(Collection),
    /// A partition for each school, grade and year. The key consists of the two numbers after
    /// them.
    ByGradeAndYear(Collection),
    /// A partition for each school, ordered by the date in the field at the index `field`. The
    /// key consists of the date and the id.
    Dated { at: Dated, field: usize },
    /// A partition for each school and year. The key consists of the learner and the subject.
    LearnerSubjects,
    /// A partition for each school, grade and year. These are not part of the record's key, so
    /// an index contains them. The key consists of the term and the assessment.
    Assessments,
    /// Mark rows of learners. A mark without an assessment is stored in a partition of the
    /// school, with a key of the assessment and the learner.
    Marks,
}

/// The collections of records that are ordered by date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dated {
    pub(crate) records: Collection,
    /// The index that contains the date of each id.
    pub(crate) dates: Collection,
}

impl Dated {
    /// The filter column of the index that contains the date as a number.
    pub(crate) const DATE_COLUMN: usize = 0;
}

impl Storage {
    /// Returns the collection whose entries are records of the kind, one for each, if there is
    /// one. Marks of a known assessment are stored in mark rows instead.
    pub(crate) const fn collection(self) -> Option<Collection> {
        Some(match self {
            Storage::Integrators | Storage::Authorisations => return None,
            Storage::Global(collection)
            | Storage::BySchool(collection)
            | Storage::ByGradeAndYear(collection) => collection,
            Storage::Dated { at, .. } => at.records,
            Storage::LearnerSubjects => Collection::LearnerSubjects,
            Storage::Assessments => Collection::Assessments,
            Storage::Marks => Collection::WaitingMarks,
        })
    }

    /// Returns the collections in which the records are stored, including indexes.
    pub(crate) const fn sources(self) -> Sources {
        match self {
            Storage::Integrators => Sources::INTEGRATORS,
            Storage::Authorisations => Sources::AUTHORISATIONS,
            Storage::Global(of) | Storage::BySchool(of) | Storage::ByGradeAndYear(of) => {
                Sources::new(&[of])
            }
            Storage::Dated { at, .. } => Sources::new(&[at.records, at.dates]),
            // Mark rows also contain the subjects that a learner takes.
            Storage::LearnerSubjects => Sources::new(&[
                Collection::LearnerSubjects,
                Collection::MarkRows,
                Collection::MarkRowIndex,
            ]),
            Storage::Assessments => {
                Sources::new(&[Collection::Assessments, Collection::AssessmentIndex])
            }
            Storage::Marks => Sources::new(&[
                Collection::WaitingMarks,
                Collection::MarkRows,
                Collection::MarkRowIndex,
            ]),
        }
    }

    /// Returns true if records are stored as pre-rendered JSON with residual fields.
    pub(crate) const fn is_pre_rendered(self) -> bool {
        match self {
            Storage::Integrators
            | Storage::Authorisations
            | Storage::LearnerSubjects
            | Storage::Marks => false,
            Storage::Global(_)
            | Storage::BySchool(_)
            | Storage::ByGradeAndYear(_)
            | Storage::Dated { .. }
            | Storage::Assessments => true,
        }
    }

    /// Returns the partition and the key of a record whose key fields have these values, or
    /// `None` if the key fields alone do not determine them.
    pub(crate) fn address(self, key: &[u64]) -> Option<(Partition, Key)> {
        Some(match (self, key) {
            (Storage::Global(of), [id]) => (Partition::global(of), Key::one(*id)),
            (Storage::BySchool(of), [school, id]) => (Partition::new(*school, of), Key::one(*id)),
            (Storage::BySchool(of), [school, first, second]) => {
                (Partition::new(*school, of), Key(*first, *second))
            }
            (Storage::ByGradeAndYear(of), [school, grade, year, first, second]) => (
                Partition::of_grade_year(*school, of, *grade, *year),
                Key(*first, *second),
            ),
            (Storage::LearnerSubjects, [school, learner, year, subject]) => (
                Partition::of_year(*school, Collection::LearnerSubjects, *year),
                Key(*learner, *subject),
            ),
            _ => return None,
        })
    }

    /// Returns the values of the key fields of a stored record, in the order of the fields.
    /// `count` is the number of the fields.
    pub(super) fn key_of(self, partition: Partition, key: Key, count: usize) -> Vec<u64> {
        let Partition {
            school,
            first: a,
            second: b,
            ..
        } = partition;
        match self {
            Storage::Global(_) => vec![key.0],
            Storage::ByGradeAndYear(_) => vec![school, a, b, key.0, key.1],
            Storage::LearnerSubjects => vec![school, key.0, a, key.1],
            // The date and the term are not key fields.
            Storage::Dated { .. } | Storage::Assessments => vec![school, key.1],
            _ if count == 2 => vec![school, key.0],
            _ => vec![school, key.0, key.1],
        }
    }
}
