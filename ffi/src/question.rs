//! Questions of an app that is trusted: no credentials, no activation.

use crate::error::{Result, RollbookError};
use rollbook::{Date, LearnerStatus, LookupList};

/// The state of a learner (section 3).
#[uniffi::remote(Enum)]
#[non_exhaustive]
pub enum LearnerStatus {
    /// At the school now.
    Current,
    /// Transferred away.
    Left,
    /// Waiting for a place.
    Waitlist,
}

/// A list of things that records name, the same for all schools.
#[uniffi::remote(Enum)]
#[non_exhaustive]
pub enum LookupList {
    /// Ethnic groups.
    EthnicGroup,
    /// Marital statuses.
    MaritalStatus,
    /// Genders.
    Gender,
    /// Languages.
    Language,
}

/// Which page of a collection, as v2 has them (section 9, item 3).
#[derive(Debug, Clone, uniffi::Record)]
pub struct Page {
    /// The `next_cursor` of the page before; none for the first page.
    #[uniffi(default)]
    pub cursor: Option<String>,
    /// The most records; the engine's default unless given, and at most the
    /// engine's maximum.
    #[uniffi(default)]
    pub limit: Option<u64>,
    /// The last record first.
    #[uniffi(default)]
    pub reverse_order: bool,
}

impl Page {
    /// The page as the engine takes it.
    pub(crate) fn as_asked(&self) -> rollbook::Page<'_> {
        rollbook::Page {
            cursor: self.cursor.as_deref(),
            limit: self.limit,
            reverse_order: self.reverse_order,
        }
    }
}

/// Declares the questions: of each its fields as callers give them, those that
/// may be left out after the semicolon. They are the fields of the engine's
/// question of the same name.
macro_rules! questions {
    ($($(#[$about:meta])* $name:ident {
        $($(#[$need_doc:meta])* $need:ident: $needed:ty,)* ;
        $($(#[$doc:meta])* $field:ident: $type:ty,)*
    })*) => {
        /// What an app that is trusted may ask. Schools are named by their login
        /// id, dates are texts of the form `YYYY-MM-DD`.
        #[derive(Debug, Clone, uniffi::Enum)]
        pub enum Question {$(
            $(#[$about])*
            $name {
                $($(#[$need_doc])* $need: $needed,)*
                $($(#[$doc])* #[uniffi(default)] $field: $type,)*
            },
        )*}

        impl Question {
            /// The question as the engine takes it.
            pub(crate) fn as_asked(&self) -> Result<Box<dyn rollbook::Question + '_>> {
                Ok(match self {$(
                    Question::$name { $($need,)* $($field,)* } => Box::new(rollbook::$name {
                        $($need: $need.as_asked(stringify!($need))?,)*
                        $($field: $field.as_asked(stringify!($field))?,)*
                    }),
                )*})
            }
        }
    };
}

questions! {
    /// Get Learner(s) (4.1): learner records (2.1) in the order of their ids.
    /// All filters must hold.
    Learners {
        /// The school.
        school: u64,
        ;
        /// Which learners; the current ones unless given.
        status: Option<LearnerStatus>,
        /// Left learners: the first transfer date; a month before `until` unless
        /// given.
        since: Option<String>,
        /// Left learners: the last transfer date; today unless given.
        until: Option<String>,
        /// One learner.
        learner_id: Option<u64>,
        /// Learners of these grades; all if there are none.
        grade_ids: Vec<u64>,
        /// Gives each learner an array of its parents (2.2).
        include_parents: bool,
        /// A part of the first name, the last name, or both with a blank
        /// between; case and accents do not matter.
        name: Option<String>,
        /// Learners with this family code.
        family_code: Option<u64>,
    }
    /// Get Learner Assessment Marks (4.2): nested objects by grade, year, term,
    /// learner, subject, learning outcome and assessment (2.6). One of
    /// `learner_id` and `grade_id` is needed. Marks are answered once they are
    /// released.
    AssessmentMarks {
        /// The school.
        school: u64,
        ;
        /// One learner.
        learner_id: Option<u64>,
        /// One grade.
        grade_id: Option<u64>,
        /// One subject.
        subject_id: Option<u64>,
        /// The year; the school's current one unless given.
        year: Option<u64>,
        /// One term.
        term: Option<u64>,
        /// One learning outcome.
        learning_outcome_id: Option<u64>,
        /// One assessment.
        assessment_id: Option<u64>,
        /// The structure alone, without marks: released or not.
        structure: bool,
    }
    /// Get Learner Subjects Per Term (4.3): the learner's subjects of the
    /// current year (2.4), by subject, each with its terms in order.
    SubjectsPerTerm {
        /// The school.
        school: u64,
        /// The learner.
        learner_id: u64,
        ;
    }
    /// Get Learner Subject Marks (4.4): the learner's subjects of the current
    /// year that have a term mark (2.5), by subject, each with its marks by term.
    SubjectMarks {
        /// The school.
        school: u64,
        /// The learner.
        learner_id: u64,
        ;
    }
    /// Get Learner Subjects (4.5): one record per learner and subject of the
    /// current year (2.3), by learner, then subject; of the current learners, or
    /// of one learner, whatever its status.
    LearnerSubjects {
        /// The school.
        school: u64,
        ;
        /// One learner.
        learner_id: Option<u64>,
    }
    /// Get Schools (4.6): the schools that have authorised the integrator (2.8),
    /// in the order of their ids, or one of them.
    Schools {
        /// The integrator's user name.
        username: String,
        ;
        /// One school.
        school: Option<u64>,
    }
    /// Get Clients (4.7): one record per school and API type that the integrator
    /// is authorised for (2.9), by school, then API type; or those of one school.
    Clients {
        /// The integrator's user name.
        username: String,
        ;
        /// One school.
        school: Option<u64>,
        /// One API type.
        api_type_id: Option<u64>,
    }
    /// Get Learner Absentees (4.9): absentee records (2.7) by date, then id,
    /// whatever the learners' status.
    Absentees {
        /// The school.
        school: u64,
        ;
        /// One record, whatever its date.
        id: Option<u64>,
        /// One learner.
        learner_id: Option<u64>,
        /// The first day; a month before `to_date` unless given.
        from_date: Option<String>,
        /// The last day, at most 31 days later; today unless given.
        to_date: Option<String>,
    }
    /// Get Learners of finance (section 9): learners with their debtor codes, in
    /// the order of their ids.
    FinanceLearners {
        /// The school.
        school: u64,
        ;
        /// One learner.
        learner_id: Option<u64>,
        /// Learners with this debtor code; `007` is `7`.
        debtor_code: Option<String>,
        /// Learners for whom this person is accountable.
        accountable_person_id: Option<u64>,
        /// Learners of this parent.
        parent_id: Option<u64>,
        /// Learners of every status, and not the current ones alone.
        all_accounts: bool,
        /// Gives each learner an array of its parents (2.2).
        include_parents: bool,
        /// Gives each learner the person accountable for it.
        include_accountable_person: bool,
    }
    /// Get Accountable Persons of finance (section 9), in the order of their
    /// ids.
    AccountablePersons {
        /// The school.
        school: u64,
        ;
        /// Persons with this debtor code; `007` is `7`.
        debtor_code: Option<String>,
        /// One person.
        accountable_person_id: Option<u64>,
        /// All persons and all their learners, and not those alone who are
        /// accountable for a current learner, and the current learners.
        all_accounts: bool,
        /// Gives each person an array of the learners it is accountable for.
        include_learners: bool,
    }
    /// Get Parents: the parents of current learners (2.2), each once, in the order
    /// of their ids, or one parent, whoever the learners are.
    Parents {
        /// The school.
        school: u64,
        ;
        /// One parent, be it of a current learner or not.
        parent_id: Option<u64>,
    }
    /// Get Staff Members: the current staff, in the order of their ids, or one of
    /// the staff, be it current or not.
    StaffMembers {
        /// The school.
        school: u64,
        ;
        /// One member of the staff, current or not.
        staff_member_id: Option<u64>,
    }
    /// Get School: what a school says of itself, as one object.
    SchoolInfo {
        /// The school.
        school: u64,
        ;
    }
    /// Get Learner Discipline: what learners were praised or reprimanded for, by
    /// date, then id, whatever the learners' status.
    Discipline {
        /// The school.
        school: u64,
        ;
        /// One record, whatever its date.
        id: Option<u64>,
        /// One learner.
        learner_id: Option<u64>,
        /// The first day; a month before `to_date` unless given.
        from_date: Option<String>,
        /// The last day, at most 31 days later; today unless given.
        to_date: Option<String>,
    }
    /// The lookup of grades: ids and names of a school's grades, in the order of
    /// the ids, or one of them.
    Grades {
        /// The school.
        school: u64,
        ;
        /// One grade.
        grade_id: Option<u64>,
    }
    /// A lookup that is the same for all schools: ids and names, in the order of the
    /// ids, or one of them.
    Lookup {
        /// Which list.
        list: LookupList,
        ;
        /// One of its records.
        id: Option<u64>,
    }
}

/// A field as the engine takes it.
trait Field<'a, T> {
    fn as_asked(&'a self, name: &str) -> Result<T>;
}

impl<T: Copy> Field<'_, T> for T {
    fn as_asked(&self, _: &str) -> Result<T> {
        Ok(*self)
    }
}

impl<'a> Field<'a, &'a str> for String {
    fn as_asked(&'a self, _: &str) -> Result<&'a str> {
        Ok(self)
    }
}

impl<'a> Field<'a, Option<&'a str>> for Option<String> {
    fn as_asked(&'a self, _: &str) -> Result<Option<&'a str>> {
        Ok(self.as_deref())
    }
}

impl<'a> Field<'a, &'a [u64]> for Vec<u64> {
    fn as_asked(&'a self, _: &str) -> Result<&'a [u64]> {
        Ok(self)
    }
}

impl Field<'_, LearnerStatus> for Option<LearnerStatus> {
    fn as_asked(&self, _: &str) -> Result<LearnerStatus> {
        Ok(self.unwrap_or_default())
    }
}

impl Field<'_, Option<Date>> for Option<String> {
    fn as_asked(&self, name: &str) -> Result<Option<Date>> {
        let parsed = self.as_deref().map(str::parse::<Date>).transpose();
        parsed.map_err(|bad| RollbookError::BadArgument(format!("{name} is {bad}")))
    }
}
