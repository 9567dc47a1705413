//! Which answer owns which fields of a record. What the owner tells of them holds; if it was
//! read whole and does not tell the record, they are empty. Another answer may *lend* a field:
//! what it tells holds where no owner has told.

use super::ask::Ask;
use super::told::Fields;
use crate::record::field::position;
use crate::record::{Kind, accountable_person, assessment, grade, learner};
use crate::record::{learning_program, school, subject};

/// What an answer is to the records that it tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Source {
    School,
    SchoolInfo,
    Grades,
    Listing,
    OpenAccounts,
    AllAccounts,
    OpenDebtors,
    AllDebtors,
    SubjectsPerTerm,
    SubjectMarks,
    Marks,
    Structure,
    /// The only one that tells its records, or one of several that tell the same of them.
    Alone,
}

impl Source {
    pub(super) fn of(ask: Ask) -> Source {
        match ask {
            Ask::School => Source::School,
            Ask::SchoolInfo => Source::SchoolInfo,
            Ask::Grades => Source::Grades,
            Ask::Learners { .. } => Source::Listing,
            Ask::Accounts { all: false, .. } => Source::OpenAccounts,
            Ask::Accounts { all: true, .. } => Source::AllAccounts,
            Ask::Debtors { all: false } => Source::OpenDebtors,
            Ask::Debtors { all: true } => Source::AllDebtors,
            Ask::SubjectsPerTerm(_) => Source::SubjectsPerTerm,
            Ask::SubjectMarks(_) => Source::SubjectMarks,
            Ask::Marks { structure, .. } => {
                if structure {
                    Source::Structure
                } else {
                    Source::Marks
                }
            }
            Ask::Lookup(_)
            | Ask::LearnerSubjects
            | Ask::Absences(..)
            | Ask::Discipline(..)
            | Ask::Staff
            | Ask::Parents => Source::Alone,
        }
    }

    /// The fields of a kind that it owns.
    pub(super) const fn owns(self, kind: Kind) -> Fields {
        match (kind, self) {
            (Kind::School, Source::School) => fields(&SCHOOL),
            (Kind::School, Source::SchoolInfo) => fields(&OF_INFO),
            (Kind::Learner, Source::Listing) => fields(&LISTED) | fields(&STATUS),
            (Kind::Learner, Source::AllAccounts | Source::OpenAccounts) => fields(&ACCOUNT),
            (Kind::LearnerSubject, Source::SubjectsPerTerm) => fields(&TAKEN),
            (Kind::Subject, Source::SubjectsPerTerm) => fields(&SUBJECT),
            (Kind::Subject, _) => 1 << subject::NAME,
            (Kind::Grade, Source::Grades) => 1 << grade::NAME,
            (Kind::Grade, _) => 1 << grade::SHORT_NAME,
            (Kind::LearningProgram, Source::Marks) => 1 << RELEASED,
            (Kind::Assessment, Source::Marks) => fields(&ASSESSMENT) | 1 << MARK_OUT_OF,
            (Kind::Assessment, Source::Structure) => fields(&ASSESSMENT),
            (Kind::AccountablePerson, Source::AllDebtors | Source::OpenDebtors) => fields(&PERSON),
            (
                Kind::School
                | Kind::Learner
                | Kind::LearnerSubject
                | Kind::LearningProgram
                | Kind::Assessment
                | Kind::AccountablePerson,
                _,
            ) => 0,
            // All that is told.
            _ => Fields::MAX,
        }
    }

    /// The fields of a kind that it lends.
    pub(super) const fn lends(self, kind: Kind) -> Fields {
        match (kind, self) {
            (Kind::School, Source::SchoolInfo) => fields(&SHARED),
            (Kind::Learner, Source::AllAccounts | Source::OpenAccounts) => fields(&NAMED),
            (Kind::LearnerSubject, Source::SubjectMarks) => fields(&TAKEN),
            (Kind::AccountablePerson, Source::AllAccounts | Source::OpenAccounts) => {
                fields(&PERSON)
            }
            _ => 0,
        }
    }
}

const fn of<const N: usize>(kind: Kind, names: [&str; N]) -> [usize; N] {
    let mut positions = [0; N];
    let (mut rest, mut names): (&mut [usize], &[&str]) = (&mut positions, &names);
    while let ([position_of, others @ ..], [name, more @ ..]) = (rest, names) {
        *position_of = position(kind.fields(), name);
        (rest, names) = (others, more);
    }
    positions
}

/// So many positions from this one on.
const fn from<const N: usize>(first: usize) -> [usize; N] {
    let mut positions = [first; N];
    let (mut rest, mut at): (&mut [usize], usize) = (&mut positions, first);
    while let [position, others @ ..] = rest {
        *position = at;
        at += 1;
        rest = others;
    }
    positions
}

const fn fields(positions: &[usize]) -> Fields {
    let (mut fields, mut rest) = (0, positions);
    while let [position, others @ ..] = rest {
        fields |= 1 << *position;
        rest = others;
    }
    fields
}

/// Get Schools has them all but these,
const SCHOOL: [usize; 24] = from(school::NAME);
/// which are those of the school's information,
const OF_INFO: [usize; 4] = of(
    Kind::School,
    [
        "telephone_calling_code",
        "website",
        "medium",
        "tuition_languages",
    ],
);
/// and these are in both.
const SHARED: [usize; 8] = of(
    Kind::School,
    [
        "school_name",
        "admin_email_address",
        "telephone_number",
        "physical_address",
        "quantile",
        "emis_number",
        "country",
        "province",
    ],
);
/// What a learner is in a list of learners,
const LISTED: [usize; 28] = from(position(learner::FIELDS, "first_name"));
const STATUS: [usize; 1] = of(Kind::Learner, ["status"]);
/// and beside its account.
const NAMED: [usize; 6] = of(
    Kind::Learner,
    [
        "first_name",
        "last_name",
        "gender",
        "grade",
        "parent1_id",
        "parent2_id",
    ],
);
const ACCOUNT: [usize; 2] = of(Kind::Learner, ["debtor_code", "accountable_person_id"]);
const TAKEN: [usize; 2] = of(Kind::LearnerSubject, ["grade_id", "terms"]);
const SUBJECT: [usize; 3] = [subject::NAME, subject::SUPER_ID, subject::SUPER_NAME];
const ASSESSMENT: [usize; 8] = from(position(assessment::FIELDS, "grade_id"));
const MARK_OUT_OF: usize = position(assessment::FIELDS, "mark_out_of");
const RELEASED: usize = position(learning_program::FIELDS, "released");
const PERSON: [usize; 18] = from(position(accountable_person::FIELDS, "title"));
