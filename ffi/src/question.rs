//! Questions of a trusted app, which need no credentials and no activation.

use crate::error::{Result, RollbookError};
use rollbook::{Date, LearnerStatus, LookupList};

/// The status of a learner (section 3).
#[uniffi::remote(Enum)]
#[non_exhaustive]
pub enum LearnerStatus {
    /// The learner is currently at the school.
    Current,
    /// The learner has left the school.
    Left,
    /// The learner is waiting for a place.
    Waitlist,
}

/// A lookup list that is the same for all schools.
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

/// A page of a collection in v2 (section 9, item 3).
#[derive(Debug, Clone, uniffi::Record)]
pub struct Page {
    /// The `next_cursor` of the previous page. It is omitted for the first page.
    #[uniffi(default)]
    pub cursor: Option<String>,
    /// The maximum number of records. The default is that of the engine, and the engine limits it.
    #[uniffi(default)]
    pub limit: Option<u64>,
    /// Whether the last record is first.
    #[uniffi(default)]
    pub reverse_order: bool,
}

impl Page {
    /// Converts the page to the type of the engine.
    pub(crate) fn to_core(&self) -> rollbook::Page<'_> {
        rollbook::Page {
            cursor: self.cursor.as_deref(),
            limit: self.limit,
            reverse_order: self.reverse_order,
        }
    }
}

/// Declares the questions with their fields: first the required ones, and after the semicolon the
/// optional ones. They are the fields of the engine's question with the same name.
macro_rules! questions {
    ($($(#[$about:meta])* $name:ident {
        $($(#[$need_doc:meta])* $need:ident: $needed:ty,)* ;
        $($(#[$doc:meta])* $field:ident: $type:ty,)*
    })*) => {
        /// A question of a trusted app. Schools are identified by their login id. Dates are texts
        /// of the form `YYYY-MM-DD`.
        #[derive(Debug, Clone, uniffi::Enum)]
        pub enum Question {$(
            $(#[$about])*
            $name {
                $($(#[$need_doc])* $need: $needed,)*
                $($(#[$doc])* #[uniffi(default)] $field: $type,)*
            },
        )*}

        impl Question {
            /// Converts the question to the type of the engine.
            pub(crate) fn to_core(&self) -> Result<Box<dyn rollbook::Question + '_>> {
                Ok(match self {$(
                    Question::$name { $($need,)* $($field,)* } => Box::new(rollbook::$name {
                        $($need: $need.to_core(stringify!($need))?,)*
                        $($field: $field.to_core(stringify!($field))?,)*
                    }),
                )*})
            }
        }
    };
}

questions! {
    /// Get Learner(s) (4.1): learner records (2.1), ordered by id. All filters must hold.
    Learners {
        /// The school's login id.
        school: u64,
        ;
        /// Selects learners of this status. The default is current.
        status: Option<LearnerStatus>,
        /// The first transfer date, for learners who left. The default is a month before `until`.
        since: Option<String>,
        /// The last transfer date, for learners who left. The default is today.
        until: Option<String>,
        /// Selects one learner.
        learner_id: Option<u64>,
        /// Selects learners of these grades, or of all grades if the list is empty.
        grade_ids: Vec<u64>,
        /// Adds an array of the parents (2.2) to each learner.
        include_parents: bool,
        /// Selects learners whose first name, last name, or both separated by a space, contain this
        /// text. The comparison ignores case and accents.
        name: Option<String>,
        /// Selects learners with this family code.
        family_code: Option<u64>,
    }
    /// Get Learner Assessment Marks (4.2): nested objects by grade, year, term, learner, subject,
    /// learning outcome and assessment (2.6). One of `learner_id` and `grade_id` is required. The
    /// answer contains only marks that are released.
    AssessmentMarks {
        /// The school's login id.
        school: u64,
        ;
        /// Selects one learner.
        learner_id: Option<u64>,
        /// Selects one grade.
        grade_id: Option<u64>,
        /// Selects one subject.
        subject_id: Option<u64>,
        /// The year. The default is the school's current year.
        year: Option<u64>,
        /// Selects one term.
        term: Option<u64>,
        /// Selects one learning outcome.
        learning_outcome_id: Option<u64>,
        /// Selects one assessment.
        assessment_id: Option<u64>,
        /// Returns only the structure without marks, whether they are released or not.
        structure: bool,
    }
    /// Get Learner Subjects Per Term (4.3): the learner's subjects of the current year (2.4),
    /// ordered by subject, each with its terms in order.
    SubjectsPerTerm {
        /// The school's login id.
        school: u64,
        /// The learner.
        learner_id: u64,
        ;
    }
    /// Get Learner Subject Marks (4.4): the learner's subjects of the current year that have a term
    /// mark (2.5), ordered by subject, each with its marks by term.
    SubjectMarks {
        /// The school's login id.
        school: u64,
        /// The learner.
        learner_id: u64,
        ;
    }
    /// Get Learner Subjects (4.5): one record for each learner and subject of the current year
    /// (2.3), ordered by learner, then subject. The answer contains the subjects of all current
    /// learners, or those of one learner, regardless of the learner's status.
    LearnerSubjects {
        /// The school's login id.
        school: u64,
        ;
        /// Selects one learner.
        learner_id: Option<u64>,
    }
    /// Get Schools (4.6): the schools that have authorised the integrator (2.8), ordered by id, or
    /// one of them.
    Schools {
        /// The integrator's user name.
        username: String,
        ;
        /// Selects one school.
        school: Option<u64>,
    }
    /// Get Clients (4.7): one record for each school and API type for which the integrator is
    /// authorised (2.9), ordered by school, then API type.
    Clients {
        /// The integrator's user name.
        username: String,
        ;
        /// Selects one school.
        school: Option<u64>,
        /// Selects one API type.
        api_type_id: Option<u64>,
    }
    /// Get Learner Absentees (4.9): absentee records (2.7) of learners of any status, ordered by
    /// date, then id.
    Absentees {
        /// The school's login id.
        school: u64,
        ;
        /// Selects one record, regardless of its date.
        id: Option<u64>,
        /// Selects one learner.
        learner_id: Option<u64>,
        /// The first day. The default is a month before `to_date`.
        from_date: Option<String>,
        /// The last day, at most 31 days after the first. The default is today.
        to_date: Option<String>,
    }
    /// Learners of the finance family (section 9), ordered by id, with their account, their parents
    /// and the accountable person. A record must match all filters.
    FinanceLearners {
        /// The school's login id.
        school: u64,
        ;
        /// Selects one learner.
        learner_id: Option<u64>,
        /// Selects learners with this debtor code; `007` matches `7`.
        debtor_code: Option<String>,
        /// Selects learners for whom this person is accountable.
        accountable_person_id: Option<u64>,
        /// Selects learners of this parent.
        parent_id: Option<u64>,
        /// Selects all learners, instead of only those with open accounts. Unless the data states
        /// otherwise, the accounts of current learners are open.
        all_accounts: bool,
        /// Adds an array of the parents (2.2) to each learner.
        include_parents: bool,
        /// Adds the accountable person to each learner.
        include_accountable_person: bool,
    }
    /// Accountable Persons of the finance family (section 9): the persons who pay for learners,
    /// ordered by id. A record must match all filters.
    AccountablePersons {
        /// The school's login id.
        school: u64,
        ;
        /// Selects persons with this debtor code; `007` matches `7`.
        debtor_code: Option<String>,
        /// Selects one person.
        accountable_person_id: Option<u64>,
        /// Selects all persons and all their learners, instead of only those with open accounts.
        /// Unless the data states otherwise, the accounts of current learners and of the persons
        /// accountable for them are open.
        all_accounts: bool,
        /// Adds an array of the learners for whom the person is accountable to each record.
        include_learners: bool,
    }
    /// Get Parents: the parents of current learners (2.2), each of them once, ordered by id, or one
    /// parent, regardless of the learners.
    Parents {
        /// The school's login id.
        school: u64,
        ;
        /// Selects one parent, whether of a current learner or not.
        parent_id: Option<u64>,
    }
    /// Get Staff Members: the current staff of a school, ordered by id, or one member, whether
    /// current or not.
    StaffMembers {
        /// The school's login id.
        school: u64,
        ;
        /// Selects one member of the staff, whether current or not.
        staff_member_id: Option<u64>,
    }
    /// Get School: the information that a school publishes about itself, as one object.
    SchoolInfo {
        /// The school's login id.
        school: u64,
        ;
    }
    /// Get Learner Discipline: the merits and demerits of learners of any status, ordered by date,
    /// then id.
    Discipline {
        /// The school's login id.
        school: u64,
        ;
        /// Selects one record, regardless of its date.
        id: Option<u64>,
        /// Selects one learner.
        learner_id: Option<u64>,
        /// The first day. The default is a month before `to_date`.
        from_date: Option<String>,
        /// The last day, at most 31 days after the first. The default is today.
        to_date: Option<String>,
    }
    /// The lookup list of grades: ids and names of a school's grades, ordered by id, or one of
    /// them.
    Grades {
        /// The school's login id.
        school: u64,
        ;
        /// Selects one grade.
        grade_id: Option<u64>,
    }
    /// A lookup list that is the same for all schools: the ids and names of its records, ordered by
    /// id, or one of them.
    Lookup {
        /// The list to read.
        list: LookupList,
        ;
        /// Selects one of its records.
        id: Option<u64>,
    }
}

/// Converts a field to the type of the engine.
trait Field<'a, T> {
    fn to_core(&'a self, name: &str) -> Result<T>;
}

impl<T: Copy> Field<'_, T> for T {
    fn to_core(&self, _: &str) -> Result<T> {
        Ok(*self)
    }
}

impl<'a> Field<'a, &'a str> for String {
    fn to_core(&'a self, _: &str) -> Result<&'a str> {
        Ok(self)
    }
}

impl<'a> Field<'a, Option<&'a str>> for Option<String> {
    fn to_core(&'a self, _: &str) -> Result<Option<&'a str>> {
        Ok(self.as_deref())
    }
}

impl<'a> Field<'a, &'a [u64]> for Vec<u64> {
    fn to_core(&'a self, _: &str) -> Result<&'a [u64]> {
        Ok(self)
    }
}

impl Field<'_, LearnerStatus> for Option<LearnerStatus> {
    fn to_core(&self, _: &str) -> Result<LearnerStatus> {
        Ok(self.unwrap_or_default())
    }
}

impl Field<'_, Option<Date>> for Option<String> {
    fn to_core(&self, name: &str) -> Result<Option<Date>> {
        let parsed = self.as_deref().map(str::parse::<Date>).transpose();
        parsed.map_err(|bad| RollbookError::BadArgument(format!("{name} is {bad}")))
    }
}
