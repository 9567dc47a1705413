//! What was seen of a school that sync keeps: of which answers of the service its
//! records are made, and when. A school from datasets has none of it.
//!
//! A *unit* is what one answer, or several together, tell whole: the current learners,
//! the marks of a grade and year, the absences of some days.

use crate::date::Date;
use crate::error::{Error, Result};
use crate::store::{Collection, CursorKey, Key, Partition};
use siphasher::sip128::{Hasher128, SipHasher24};
use std::hash::Hasher;

/// Declares the parts. The numbers are part of the format: a new one has the next.
macro_rules! parts {
    ($($(#[$doc:meta])* $part:ident = $number:literal, $name:literal;)*) => {
        /// What units are of. Each says how its unit is made.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub(crate) enum Part { $($(#[$doc])* $part = $number,)* }

        impl Part {
            #[cfg(test)]
            pub(crate) const ALL: [Part; [$($number),*].len()] = [$(Part::$part),*];

            /// The part of this number. One above the highest is of a newer version.
            pub(crate) fn numbered(number: u64) -> Result<Part> {
                match number {
                    $($number => Ok(Part::$part),)*
                    _ => {
                        let [found, highest] = [number, [$($number),*].len() as u64]
                            .map(|number| u32::try_from(number).unwrap_or(u32::MAX));
                        Err(Error::newer("part", found, highest))
                    }
                }
            }

            /// What it is called where it is missing.
            pub(crate) const fn name(self) -> &'static str {
                match self {
                    $(Part::$part => $name,)*
                }
            }
        }
    };
}

parts! {
    /// Get Schools. `Unit::of`, as all that say nothing else.
    School = 1, "the school's record";
    SchoolInfo = 2, "the school's information";
    /// Of one user: the key is a digest of the name. No question leans on it: of
    /// integrators a store answers what it knows.
    Clients = 3, "the client integrations";
    CurrentLearners = 4, "the current learners";
    WaitlistLearners = 5, "the learners on the waitlist";
    /// Days of transfer: `Unit::from`. Seen only where it is known of each learner who
    /// left in these days on which of them.
    LeftLearners = 6, "the learners who left";
    /// The parents of all learners that were seen.
    LearnersParents = 7, "the parents of learners";
    /// Subjects of all current learners: `Unit::of_year`.
    LearnerSubjects = 8, "the learners' subjects";
    /// Of one learner: `Unit::of_id`, as the next two.
    LearnersOwnSubjects = 9, "the subjects of the learner";
    SubjectsPerTerm = 10, "the subjects per term of the learner";
    SubjectMarks = 11, "the subject marks of the learner";
    /// All of a year: `Unit::of_year`.
    Marks = 12, "the assessment marks";
    /// All of a grade: `Unit::of_id`.
    MarksOfGrade = 13, "the assessment marks of the grade";
    /// All of a grade and term: `Unit::of_term`.
    MarksOfTerm = 14, "the assessment marks of the grade";
    /// All of a learner: `Unit::of_id`.
    MarksOfLearner = 15, "the assessment marks of the learner";
    /// The same four of the structure alone.
    Structure = 16, "the structure of the marks";
    StructureOfGrade = 17, "the structure of the marks of the grade";
    StructureOfTerm = 18, "the structure of the marks of the grade";
    StructureOfLearner = 19, "the structure of the marks of the learner";
    /// Days: `Unit::from`.
    Absences = 20, "the absences";
    /// Days: `Unit::from`.
    Discipline = 21, "the discipline";
    /// Those whose accounts are open,
    OpenAccounts = 22, "the learners whose accounts are open";
    /// and all.
    AllAccounts = 23, "the accounts of all learners";
    /// Persons whose accounts are open,
    OpenDebtors = 24, "the accountable persons whose accounts are open";
    /// and all.
    AllDebtors = 25, "all accountable persons";
    /// The persons accountable for the learners that were seen.
    LearnersDebtors = 26, "the persons accountable for learners";
    /// The parents of current learners, by themselves.
    Parents = 27, "the parents";
    Staff = 28, "the current staff";
    Grades = 29, "the grades";
    /// The whole record of one learner who left: `Unit::of_id`, of no year.
    LeftLearner = 30, "the learner";
    /// Lists that are the same for all schools.
    EthnicGroups = 31, "the ethnic groups";
    MaritalStatuses = 32, "the marital statuses";
    Genders = 33, "the genders";
    Languages = 34, "the languages";
    /// One who was erased, of whom nothing is told any more: `Unit::erased`. It stays when
    /// the school is no longer synced.
    Erased = 35, "an erased learner";
}

impl Part {
    /// Whether its units are of one learner by id.
    pub(crate) const fn is_of_learner(self) -> bool {
        matches!(
            self,
            Part::LearnersOwnSubjects
                | Part::SubjectsPerTerm
                | Part::SubjectMarks
                | Part::MarksOfLearner
                | Part::StructureOfLearner
                | Part::LeftLearner
        )
    }

    /// Whether its units are days.
    pub(crate) const fn is_of_days(self) -> bool {
        matches!(self, Part::LeftLearners | Part::Absences | Part::Discipline)
    }
}

/// What is seen whole or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Unit {
    pub(crate) part: Part,
    /// The administrative year, or 0.
    pub(crate) year: u64,
    /// The id of a learner or a grade, and the term; or the first day as a number.
    pub(crate) key: Key,
}

impl Unit {
    pub(crate) const fn of(part: Part) -> Unit {
        Unit::of_year(part, 0)
    }

    pub(crate) const fn of_year(part: Part, year: u64) -> Unit {
        Unit::of_id(part, year, 0)
    }

    /// Of one learner or grade in a year.
    pub(crate) const fn of_id(part: Part, year: u64, id: u64) -> Unit {
        Unit::of_term(part, year, id, 0)
    }

    /// Of a grade and term.
    pub(crate) const fn of_term(part: Part, year: u64, grade: u64, term: u64) -> Unit {
        let key = Key(grade, term);
        Unit { part, year, key }
    }

    /// Days that begin with this one.
    pub(crate) fn from(part: Part, day: Date) -> Unit {
        Unit {
            part,
            year: 0,
            key: Key::one(day.number()),
        }
    }

    /// A learner who was erased. The id itself is not kept: the key is a digest under the
    /// store's own key.
    pub(crate) fn erased(key: &CursorKey, school: u64, learner: u64) -> Unit {
        let mut hasher = SipHasher24::new_with_key(key);
        hasher.write(b"erased");
        hasher.write(&school.to_le_bytes());
        hasher.write(&learner.to_le_bytes());
        let digest = hasher.finish128();
        Unit {
            key: Key(digest.h1, digest.h2),
            ..Unit::of(Part::Erased)
        }
    }

    /// Where what was seen of it is kept, beside all of the same part and year.
    pub(crate) fn partition(self, school: u64) -> Partition {
        Partition {
            school,
            collection: Collection::Coverage,
            a: self.part as u64,
            b: self.year,
        }
    }
}

/// The tag: when it was seen, in seconds since 1970-01-01T00:00:00Z, as the bits of
/// an i64.
pub(crate) const AS_OF_TAG: usize = 0;
/// The tag: the last of the days, as a number.
pub(crate) const TO_TAG: usize = 1;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_the_parts_have_no_gap() {
        for (part, number) in Part::ALL.into_iter().zip(1..) {
            assert_eq!(part as u8, number, "{}", part.name());
        }
    }
}
