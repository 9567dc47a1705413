//! Where the records of a kind lie, and their keys there.

use crate::store::{Collection, Key, Partition};

/// How a kind of record is kept. All that lie in a [`Collection`] are baked, but for
/// learners' subjects and marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Storage {
    /// Rows of integrators,
    Integrators,
    /// and of what schools have authorised them for.
    Authorisations,
    /// In one partition for all schools. Key: the id.
    Global(Collection),
    /// By school. Key: the one or two numbers behind the school.
    BySchool(Collection),
    /// By school, grade and year. Key: the two numbers behind them.
    ByGradeAndYear(Collection),
    /// By school, in the order of the dates that the field at `field` has. Key: the
    /// date, the id.
    Dated { at: Dated, field: usize },
    /// By school and year. Key: learner, subject.
    LearnerSubjects,
    /// By school, grade and year, which are no part of the key, so that an
    /// index tells them. Key: term, assessment.
    Assessments,
    /// In the rows of learners; without an assessment by school. Key there:
    /// assessment, learner.
    Marks,
}

/// The collections of records that lie by date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dated {
    pub(crate) records: Collection,
    /// Tells the date of each id.
    pub(crate) dates: Collection,
}

impl Dated {
    /// The tag of an id among the dates: the date as a number.
    pub(crate) const DATE_TAG: usize = 0;
}

impl Storage {
    /// The collection that has one record for each of the kind, if there is one.
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

    /// Whether a record is kept as a rendering with facts beside it.
    pub(crate) const fn is_baked(self) -> bool {
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

    /// Where a record lies whose key these numbers are, in the order of its key
    /// fields, if its key alone decides that.
    pub(crate) fn address(self, key: &[u64]) -> Option<(Partition, Key)> {
        Some(match (self, key) {
            (Storage::Global(of), [id]) => (Partition::global(of), Key::one(*id)),
            (Storage::BySchool(of), [school, id]) => (Partition::of(*school, of), Key::one(*id)),
            (Storage::BySchool(of), [school, first, second]) => {
                (Partition::of(*school, of), Key(*first, *second))
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

    /// The numbers of the key of a record that lies here, in the order of its fields;
    /// `count` is how many they are.
    pub(super) fn key_of(self, partition: Partition, key: Key, count: usize) -> Vec<u64> {
        let Partition { school, a, b, .. } = partition;
        match self {
            Storage::Global(_) => vec![key.0],
            Storage::ByGradeAndYear(_) => vec![school, a, b, key.0, key.1],
            Storage::LearnerSubjects => vec![school, key.0, a, key.1],
            // The date and the term are no part of these keys.
            Storage::Dated { .. } | Storage::Assessments => vec![school, key.1],
            _ if count == 2 => vec![school, key.0],
            _ => vec![school, key.0, key.1],
        }
    }
}
