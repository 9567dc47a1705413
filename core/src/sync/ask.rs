//! What is asked of the service: where, what may stand in the answer, and what is seen
//! by it.

use crate::dataset::coverage::Seen;
use crate::date::Date;
use crate::query::{
    Absentees, AccountablePersons, AssessmentMarks, Discipline, Endpoint, FinanceLearners, Grades,
    LearnerSubjects, Learners, Lookup, LookupList, Parents, Query, SchoolInfo, Schools,
    StaffMembers, SubjectMarks, SubjectsPerTerm,
};
use crate::record::coverage::{Part, Unit};
use crate::record::{Kind, Value, absentee, discipline};
use crate::store::Key;

/// A list of learners by their status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Listing {
    Current,
    Waitlist,
}

impl Listing {
    pub(super) const ALL: [Listing; 2] = [Listing::Current, Listing::Waitlist];

    /// As the parameter and the record have it.
    pub(super) const fn status(self) -> &'static str {
        match self {
            Listing::Current => "current",
            Listing::Waitlist => "waitlist",
        }
    }
}

/// Questions whose answers say something of the same records: if one of them has changed, the
/// others are read again too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Group {
    /// Learners, their parents, their accounts and who is accountable for them.
    People,
    /// The marks of a grade and their structure.
    Marks(u64),
}

/// One question to the service about a school.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Ask {
    School,
    SchoolInfo,
    Grades,
    /// A list that is the same for all schools.
    Lookup(Kind),
    /// With their parents, whom the integrator may not be allowed to see.
    Learners {
        of: Listing,
        parents: bool,
    },
    /// Who takes which subjects, in the current year. It tells nothing that the next does
    /// not, but of whom that has changed.
    LearnerSubjects,
    /// Of one learner, in the current year.
    SubjectsPerTerm(u64),
    SubjectMarks(u64),
    /// Of one grade, in a year or in the current one; or their structure alone.
    Marks {
        grade: u64,
        year: Option<u64>,
        structure: bool,
    },
    /// Days.
    Absences(Date, Date),
    Discipline(Date, Date),
    Staff,
    Parents,
    /// The open ones, or all.
    Accounts {
        all: bool,
        parents: bool,
    },
    Debtors {
        all: bool,
    },
}

impl Ask {
    /// Where it is asked.
    pub(super) fn endpoint(self) -> &'static Endpoint {
        match self {
            Ask::School => Schools::default().endpoint(),
            Ask::SchoolInfo => SchoolInfo::default().endpoint(),
            Ask::Grades => Grades::default().endpoint(),
            Ask::Lookup(kind) => {
                let (list, id) = (list(kind), None);
                Lookup { list, id }.endpoint()
            }
            Ask::Learners { .. } => Learners::default().endpoint(),
            Ask::LearnerSubjects => LearnerSubjects::default().endpoint(),
            Ask::SubjectsPerTerm(_) => SubjectsPerTerm::default().endpoint(),
            Ask::SubjectMarks(_) => SubjectMarks::default().endpoint(),
            Ask::Marks { .. } => AssessmentMarks::default().endpoint(),
            Ask::Absences(..) => Absentees::default().endpoint(),
            Ask::Discipline(..) => Discipline::default().endpoint(),
            Ask::Staff => StaffMembers::default().endpoint(),
            Ask::Parents => Parents::default().endpoint(),
            Ask::Accounts { .. } => FinanceLearners::default().endpoint(),
            Ask::Debtors { .. } => AccountablePersons::default().endpoint(),
        }
    }

    /// The path and query of v1.
    pub(super) fn target(self, school: u64) -> String {
        let path = self.endpoint().v1.0;
        let query = match self {
            Ask::Lookup(_) => return format!("/api/v1/{path}"),
            Ask::School
            | Ask::SchoolInfo
            | Ask::Grades
            | Ask::LearnerSubjects
            | Ask::Staff
            | Ask::Parents
            | Ask::Debtors { all: false } => String::new(),
            Ask::Learners { of, parents } => {
                format!("?status={}{}", of.status(), with("parents", parents))
            }
            Ask::SubjectsPerTerm(id) | Ask::SubjectMarks(id) => format!("?learner_id={id}"),
            Ask::Marks {
                grade,
                year,
                structure,
            } => {
                let year = year.map_or_else(String::new, |year| format!("&year={year}"));
                let structure = if structure { "&structure=1" } else { "" };
                format!("?grade_id={grade}{year}{structure}")
            }
            Ask::Absences(from, to) | Ask::Discipline(from, to) => {
                format!("?from_date={from}&to_date={to}")
            }
            Ask::Accounts { all, parents } => {
                let all = if all { "&all_accounts=1" } else { "" };
                let parents = with("parents", parents);
                format!("?include_accountable_person=1{parents}{all}")
            }
            Ask::Debtors { all: true } => "?all_accounts=1".to_owned(),
        };
        format!("/api/v1/{path}/{school}{query}")
    }

    /// The same with less, for who may not see all of it.
    pub(super) fn with_less(self) -> Option<Ask> {
        match self {
            Ask::Learners { of, parents: true } => Some(Ask::Learners { of, parents: false }),
            Ask::Accounts { all, parents: true } => Some(Ask::Accounts {
                all,
                parents: false,
            }),
            _ => None,
        }
    }

    /// The same with all that may be had.
    pub(super) fn with_more(self) -> Ask {
        let parents = true;
        match self {
            Ask::Learners { of, .. } => Ask::Learners { of, parents },
            Ask::Accounts { all, .. } => Ask::Accounts { all, parents },
            other => other,
        }
    }

    /// The text of the 404 that says that there is nothing.
    pub(super) fn nothing(self) -> &'static str {
        self.endpoint().nothing
    }

    /// What was asked, of a unit that is of no year if that was the current one.
    pub(super) fn of(unit: Unit, to: Option<Date>, less: bool) -> Option<Ask> {
        let Key(id, _) = unit.key;
        let parents = !less;
        let marks = |structure| Ask::Marks {
            grade: id,
            year: Some(unit.year).filter(|year| *year > 0),
            structure,
        };
        let days = || Some((Date::from_number(id)?, to?));
        Some(match unit.part {
            Part::School => Ask::School,
            Part::SchoolInfo => Ask::SchoolInfo,
            Part::Grades => Ask::Grades,
            Part::EthnicGroups => Ask::Lookup(Kind::EthnicGroup),
            Part::MaritalStatuses => Ask::Lookup(Kind::MaritalStatus),
            Part::Genders => Ask::Lookup(Kind::Gender),
            Part::Languages => Ask::Lookup(Kind::Language),
            Part::CurrentLearners => Ask::Learners {
                of: Listing::Current,
                parents,
            },
            Part::WaitlistLearners => Ask::Learners {
                of: Listing::Waitlist,
                parents,
            },
            Part::LearnerSubjects => Ask::LearnerSubjects,
            Part::SubjectsPerTerm => Ask::SubjectsPerTerm(id),
            Part::SubjectMarks => Ask::SubjectMarks(id),
            Part::MarksOfGrade => marks(false),
            Part::StructureOfGrade => marks(true),
            Part::Absences => days().map(|(from, to)| Ask::Absences(from, to))?,
            Part::Discipline => days().map(|(from, to)| Ask::Discipline(from, to))?,
            Part::Staff => Ask::Staff,
            Part::Parents => Ask::Parents,
            Part::OpenAccounts => Ask::Accounts {
                all: false,
                parents,
            },
            Part::AllAccounts => Ask::Accounts { all: true, parents },
            Part::OpenDebtors => Ask::Debtors { all: false },
            Part::AllDebtors => Ask::Debtors { all: true },
            _ => return None,
        })
    }

    /// The last of the days that are asked for.
    pub(super) fn to(self) -> Option<Date> {
        match self {
            Ask::Absences(_, to) | Ask::Discipline(_, to) => Some(to),
            _ => None,
        }
    }

    pub(super) fn group(self) -> Option<Group> {
        match self {
            Ask::Learners { .. } | Ask::Parents | Ask::Accounts { .. } | Ask::Debtors { .. } => {
                Some(Group::People)
            }
            Ask::Marks { grade, .. } => Some(Group::Marks(grade)),
            _ => None,
        }
    }

    /// Whether learners stand in the answer with their parents.
    pub(super) fn has_parents(self) -> bool {
        matches!(
            self,
            Ask::Learners { parents: true, .. } | Ask::Accounts { parents: true, .. }
        )
    }

    /// Whether less is asked than there is.
    pub(super) fn is_less(self) -> bool {
        matches!(
            self,
            Ask::Learners { parents: false, .. } | Ask::Accounts { parents: false, .. }
        )
    }

    /// The year that is asked for.
    pub(super) fn year(self) -> Option<u64> {
        match self {
            Ask::Marks { year, .. } => year,
            _ => None,
        }
    }

    /// Whether the answer is of the school's current year, without saying which that is.
    pub(super) fn is_of_current_year(self) -> bool {
        matches!(
            self,
            Ask::LearnerSubjects
                | Ask::SubjectsPerTerm(_)
                | Ask::SubjectMarks(_)
                | Ask::Marks { year: None, .. }
        )
    }

    /// Whether a record may stand in the answer, as far as its readers have not seen to it.
    pub(super) fn belongs(self, kind: Kind, values: &[Value<'_>]) -> bool {
        let date = match kind {
            Kind::Absentee => absentee::ABSENT_DATE,
            Kind::Discipline => discipline::DISCIPLINE_DATE,
            _ => return true,
        };
        let (Ask::Absences(from, to) | Ask::Discipline(from, to)) = self else {
            return false;
        };
        let date = values.get(date).and_then(Value::date);
        date.is_some_and(|date| (from..=to).contains(&date))
    }

    /// The unit that the answer is, in the school's current year; of days that they begin
    /// with.
    pub(super) fn unit(self, year: u64) -> Unit {
        match self.seen(year) {
            Seen::Whole(unit) => unit,
            Seen::Days(part, from, _) => Unit::from(part, from),
        }
    }

    /// What is seen of the school by its answer, in the school's current year.
    pub(super) fn seen(self, year: u64) -> Seen {
        let of = |part, id| Seen::Whole(Unit::of_id(part, year, id));
        let days = |part, from, to| Seen::Days(part, from, to);
        Seen::Whole(Unit::of(match self {
            Ask::Lookup(Kind::EthnicGroup) => Part::EthnicGroups,
            Ask::Lookup(Kind::MaritalStatus) => Part::MaritalStatuses,
            Ask::Lookup(Kind::Gender) => Part::Genders,
            Ask::Lookup(_) => Part::Languages,
            Ask::LearnerSubjects => return of(Part::LearnerSubjects, 0),
            Ask::SubjectsPerTerm(id) => return of(Part::SubjectsPerTerm, id),
            Ask::SubjectMarks(id) => return of(Part::SubjectMarks, id),
            Ask::Marks {
                grade,
                year: asked,
                structure,
            } => {
                let part = if structure {
                    Part::StructureOfGrade
                } else {
                    Part::MarksOfGrade
                };
                return Seen::Whole(Unit::of_id(part, asked.unwrap_or(year), grade));
            }
            Ask::Absences(from, to) => return days(Part::Absences, from, to),
            Ask::Discipline(from, to) => return days(Part::Discipline, from, to),
            Ask::School => Part::School,
            Ask::SchoolInfo => Part::SchoolInfo,
            Ask::Grades => Part::Grades,
            Ask::Learners { of, .. } => match of {
                Listing::Current => Part::CurrentLearners,
                Listing::Waitlist => Part::WaitlistLearners,
            },
            Ask::Staff => Part::Staff,
            Ask::Parents => Part::Parents,
            Ask::Accounts { all: false, .. } => Part::OpenAccounts,
            Ask::Accounts { all: true, .. } => Part::AllAccounts,
            Ask::Debtors { all: false } => Part::OpenDebtors,
            Ask::Debtors { all: true } => Part::AllDebtors,
        }))
    }
}

/// The kinds of the lookups that are the same for all schools.
pub(super) const LOOKUPS: [Kind; 4] = [
    Kind::EthnicGroup,
    Kind::MaritalStatus,
    Kind::Gender,
    Kind::Language,
];

fn list(kind: Kind) -> LookupList {
    match kind {
        Kind::EthnicGroup => LookupList::EthnicGroup,
        Kind::MaritalStatus => LookupList::MaritalStatus,
        Kind::Gender => LookupList::Gender,
        _ => LookupList::Language,
    }
}

/// The parameter that asks for more of each record.
fn with(what: &str, is_asked: bool) -> String {
    if is_asked {
        format!("&include_{what}=1")
    } else {
        String::new()
    }
}
