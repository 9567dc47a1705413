//! What is asked of the service, and what is seen by the answer.

use crate::dataset::coverage::Seen;
use crate::date::Date;
use crate::record::Kind;
use crate::record::coverage::{Part, Unit};

/// One question to the service about a school.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    School,
    SchoolInfo,
    Grades,
    /// A list that is the same for all schools.
    Lookup(Kind),
    /// By status.
    Learners(&'static str),
    /// Of one learner, in the current year.
    SubjectsPerTerm(u64),
    SubjectMarks(u64),
    /// Of one grade, in the current year.
    Marks(u64),
    Structure(u64),
    /// Days.
    Absences(Date, Date),
    Discipline(Date, Date),
    Staff,
    Parents,
    /// The open ones, or all.
    Accounts {
        all: bool,
    },
    Debtors {
        all: bool,
    },
}

impl Asked {
    /// The path and query of v1.
    pub(super) fn target(self, school: u64) -> String {
        let target = |path: &str, query: &str| format!("/api/v1/{path}/{school}{query}");
        let of = |path: &str, name: &str, id: u64| target(path, &format!("?{name}={id}"));
        let days = |path: &str, from: Date, to: Date| {
            target(path, &format!("?from_date={from}&to_date={to}"))
        };
        let marks = "currplus/learnerassessmentmarks";
        let all = |all| if all { "&all_accounts=1" } else { "" };
        match self {
            Asked::School => target("finplus/debtmanagement/schools", ""),
            Asked::SchoolInfo => target("adminplus/school", ""),
            Asked::Grades => target("adminplus/lookup/grade", ""),
            Asked::Lookup(kind) => format!("/api/v1/adminplus/lookup/{}", lookup(kind).0),
            Asked::Learners(status) => target(
                "adminplus/learners",
                &format!("?status={status}&include_parents=1"),
            ),
            Asked::SubjectsPerTerm(id) => of("currplus/learnersubjectsperterm", "learner_id", id),
            Asked::SubjectMarks(id) => of("currplus/learnersubjectmarks", "learner_id", id),
            Asked::Marks(id) => of(marks, "grade_id", id),
            Asked::Structure(id) => of(marks, "structure=1&grade_id", id),
            Asked::Absences(from, to) => days("adminplus/learnerabsentees", from, to),
            Asked::Discipline(from, to) => days("adminplus/learnerdiscipline", from, to),
            Asked::Staff => target("adminplus/staffmembers", ""),
            Asked::Parents => target("adminplus/parents", ""),
            Asked::Accounts { all: is_all } => target(
                "finplus/debtmanagement/learnerparentinfo",
                &format!(
                    "?include_accountable_person=1&include_parents=1{}",
                    all(is_all)
                ),
            ),
            Asked::Debtors { all: true } => {
                target("finplus/debtmanagement/schooldebtors", "?all_accounts=1")
            }
            Asked::Debtors { all: false } => target("finplus/debtmanagement/schooldebtors", ""),
        }
    }

    /// The text of the 404 that says that there is nothing.
    pub(super) fn nothing(self) -> &'static str {
        match self {
            Asked::School => "No school records found",
            Asked::SchoolInfo => "No school record found",
            Asked::Grades => "No grades found",
            Asked::Lookup(kind) => lookup(kind).1,
            Asked::Learners(_) | Asked::Accounts { .. } => "No learner records found",
            Asked::SubjectsPerTerm(_) => "No learner subject records found",
            Asked::SubjectMarks(_) | Asked::Marks(_) | Asked::Structure(_) => {
                "No subject mark records found"
            }
            Asked::Absences(..) => "No learner absentee records found",
            Asked::Discipline(..) => "No learner discipline records found",
            Asked::Staff => "No staff member records found",
            Asked::Parents => "No parent records found",
            Asked::Debtors { .. } => "No debtor records found",
        }
    }

    /// What is seen of the school by its answer, in the school's current year.
    pub(super) fn seen(self, year: u64) -> Option<Seen> {
        let of = |part, id| Some(Seen::Whole(Unit::of_id(part, year, id)));
        let days = |part, from, to| Some(Seen::Days(part, from, to));
        Some(Seen::Whole(Unit::of(match self {
            Asked::Lookup(Kind::EthnicGroup) => Part::EthnicGroups,
            Asked::Lookup(Kind::MaritalStatus) => Part::MaritalStatuses,
            Asked::Lookup(Kind::Gender) => Part::Genders,
            Asked::Lookup(_) => Part::Languages,
            Asked::SubjectsPerTerm(id) => return of(Part::SubjectsPerTerm, id),
            Asked::SubjectMarks(id) => return of(Part::SubjectMarks, id),
            Asked::Marks(id) => return of(Part::MarksOfGrade, id),
            Asked::Structure(id) => return of(Part::StructureOfGrade, id),
            Asked::Absences(from, to) => return days(Part::Absences, from, to),
            Asked::Discipline(from, to) => return days(Part::Discipline, from, to),
            Asked::School => Part::School,
            Asked::SchoolInfo => Part::SchoolInfo,
            Asked::Grades => Part::Grades,
            Asked::Learners("waitlist") => Part::WaitlistLearners,
            Asked::Learners(_) => Part::CurrentLearners,
            Asked::Staff => Part::Staff,
            Asked::Parents => Part::Parents,
            Asked::Accounts { all: false } => Part::OpenAccounts,
            Asked::Accounts { all: true } => Part::AllAccounts,
            Asked::Debtors { all: false } => Part::OpenDebtors,
            Asked::Debtors { all: true } => Part::AllDebtors,
        })))
    }
}

/// The kinds of the lookups that are the same for all schools.
pub(super) const LOOKUPS: [Kind; 4] = [
    Kind::EthnicGroup,
    Kind::MaritalStatus,
    Kind::Gender,
    Kind::Language,
];

/// The end of a lookup's path, and the text of its 404.
fn lookup(kind: Kind) -> (&'static str, &'static str) {
    match kind {
        Kind::EthnicGroup => ("ethnicgroup", "No ethnic groups found"),
        Kind::MaritalStatus => ("maritalstatus", "No marital status' found"),
        Kind::Gender => ("gender", "No genders found"),
        _ => ("language", "No languages found"),
    }
}
