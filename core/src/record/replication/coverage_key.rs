//! The coverage of a synced school: which answers of the service its records were made from,
//! and when. A school that was made from datasets has no coverage.
//!
//! A *coverage key* identifies what one answer, or several together, cover completely,
//! such as the current learners, the marks of a grade and year, or the absences of some days.

use crate::date::Date;
use crate::error::{Error, Result};
use crate::store::{Collection, Key, Partition};

/// Declares the kinds of coverage. Their numbers are part of the format. A new kind has the number
/// after the highest.
macro_rules! coverage_kinds {
    ($($(#[$doc:meta])* $kind:ident = $number:literal, $name:literal;)*) => {
        /// The kind of data that a coverage key identifies. The key of a kind is
        /// [`CoverageKey::new`], unless its documentation names another function.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub(crate) enum CoverageKind { $($(#[$doc])* $kind = $number,)* }

        impl CoverageKind {
            #[cfg(test)]
            pub(crate) const ALL: [CoverageKind; [$($number),*].len()] = [$(CoverageKind::$kind),*];

            /// Returns the kind with this number. A number above the highest belongs to a newer
            /// version.
            pub(crate) fn numbered(number: u64) -> Result<CoverageKind> {
                match number {
                    $($number => Ok(CoverageKind::$kind),)*
                    _ => {
                        let highest = [$($number),*].into_iter().max().unwrap_or(0);
                        let [found, highest] = [number, highest]
                            .map(|number| u32::try_from(number).unwrap_or(u32::MAX));
                        Err(Error::newer("coverage kind", found, highest))
                    }
                }
            }

            /// Returns the name of the kind in error messages.
            pub(crate) const fn name(self) -> &'static str {
                match self {
                    $(CoverageKind::$kind => $name,)*
                }
            }
        }
    };
}

coverage_kinds! {
    /// The answer to Get Schools.
    School = 1, "the school's record";
    SchoolInfo = 2, "the school's information";
    CurrentLearners = 4, "the current learners";
    WaitlistLearners = 5, "the learners on the waitlist";
    /// The parents of all learners that were fetched.
    LearnersParents = 7, "the parents of learners";
    /// The subjects of all current learners; the key is `CoverageKey::of_year`.
    LearnerSubjects = 8, "the learners' subjects";
    /// The subjects of one learner; the key is `CoverageKey::of_id`.
    LearnersOwnSubjects = 9, "the subjects of the learner";
    /// The subjects per term of one learner; the key is `CoverageKey::of_id`.
    SubjectsPerTerm = 10, "the subjects per term of the learner";
    /// The subject marks of one learner; the key is `CoverageKey::of_id`.
    SubjectMarks = 11, "the subject marks of the learner";
    /// The marks of a grade; the key is `CoverageKey::of_id`.
    MarksOfGrade = 13, "the assessment marks of the grade";
    /// The structure of the marks of a grade, without the marks; the key is `CoverageKey::of_id`.
    StructureOfGrade = 17, "the structure of the marks of the grade";
    /// The structure of the marks of a learner's grades; the key is `CoverageKey::of_id`.
    StructureOfLearner = 19, "the structure of the marks of the learner";
    /// The absences of ranges of days; the key is `CoverageKey::from`.
    Absences = 20, "the absences";
    /// The discipline records of ranges of days; the key is `CoverageKey::from`.
    Discipline = 21, "the discipline";
    /// The learners whose accounts are open.
    OpenAccounts = 22, "the learners whose accounts are open";
    /// The accounts of all learners.
    AllAccounts = 23, "the accounts of all learners";
    /// The accountable persons whose accounts are open.
    OpenDebtors = 24, "the accountable persons whose accounts are open";
    /// All accountable persons.
    AllDebtors = 25, "all accountable persons";
    /// The parents of current learners, as a list of their own.
    Parents = 27, "the parents";
    Staff = 28, "the current staff";
    Grades = 29, "the grades";
    /// One of the lists that are the same for all schools.
    EthnicGroups = 31, "the ethnic groups";
    MaritalStatuses = 32, "the marital statuses";
    Genders = 33, "the genders";
    Languages = 34, "the languages";
}

impl CoverageKind {
    /// Returns true if the keys of the kind identify one learner by id.
    pub(crate) const fn is_of_learner(self) -> bool {
        matches!(
            self,
            CoverageKind::LearnersOwnSubjects
                | CoverageKind::SubjectsPerTerm
                | CoverageKind::SubjectMarks
                | CoverageKind::StructureOfLearner
        )
    }

    /// Returns true if the keys of the kind identify ranges of days.
    pub(crate) const fn is_of_days(self) -> bool {
        matches!(self, CoverageKind::Absences | CoverageKind::Discipline)
    }
}

/// A coverage key: a unit of data that is either covered completely or not at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct CoverageKey {
    pub(crate) kind: CoverageKind,
    /// The administrative year, or 0.
    pub(crate) year: u64,
    /// The id of a learner or a grade, or the first day as a number.
    pub(crate) key: Key,
}

impl CoverageKey {
    pub(crate) const fn new(kind: CoverageKind) -> CoverageKey {
        CoverageKey::of_year(kind, 0)
    }

    pub(crate) const fn of_year(kind: CoverageKind, year: u64) -> CoverageKey {
        CoverageKey::of_id(kind, year, 0)
    }

    /// Creates the key of one learner or grade in a year.
    pub(crate) const fn of_id(kind: CoverageKind, year: u64, id: u64) -> CoverageKey {
        let key = Key::one(id);
        CoverageKey { kind, year, key }
    }

    /// Creates the key of a range of days that begins with this day.
    pub(crate) fn from(kind: CoverageKind, day: Date) -> CoverageKey {
        CoverageKey {
            kind,
            year: 0,
            key: Key::one(day.number()),
        }
    }

    /// Returns the partition that contains the coverage of all keys with the same kind and
    /// year.
    pub(crate) fn partition(self, school: u64) -> Partition {
        Partition {
            school,
            collection: Collection::Coverage,
            first: self.kind as u64,
            second: self.year,
        }
    }
}

/// The filter column that contains the time of the answer in seconds since
/// 1970-01-01T00:00:00Z, as the bits of an i64.
pub(crate) const AS_OF_COLUMN: usize = 0;
/// The filter column that contains the last day as a number.
pub(crate) const TO_COLUMN: usize = 1;

#[cfg(test)]
mod tests {
    use crate::record::replication::coverage_key::*;

    #[test]
    fn the_numbers_of_the_kinds_ascend() {
        assert!(CoverageKind::ALL.is_sorted_by_key(|kind| *kind as u8));
    }

    #[test]
    fn an_unknown_number_is_refused_with_the_highest_known_one() {
        let highest = CoverageKind::ALL.map(|kind| kind as u8).into_iter().max();
        let refused = CoverageKind::numbered(u64::MAX).map_err(|error| error.to_string());
        let expected = highest.map(|number| format!("reads up to {number}:"));
        let message = refused.err().unwrap_or_default();
        assert!(
            expected.is_some_and(|expected| message.contains(&expected)),
            "{message}"
        );
    }
}
