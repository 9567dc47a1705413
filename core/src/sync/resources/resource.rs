//! The resources of the service that a sync requests: one table with a row for each.

use crate::date::Date;
use crate::query::Endpoint;
use crate::query::endpoints::{
    absentees, accountable_persons, assessment_marks, discipline, finance_learners, grades,
    learner_subjects, learners, lookup_lists, school_info, school_parents, schools, staff_members,
    subject_marks, subjects_per_term,
};
use crate::record::kinds;
use crate::record::replication::coverage_key::CoverageKind;
use crate::record::{Kind, Value};
use crate::sync::resources::authority::AnswerSource;
use crate::sync::resources::member_table::{self, MemberTable};
use crate::sync::resources::phase::Phase;

/// What a sync knows about a resource.
pub(crate) struct ResourceSpec {
    /// What an answer covers.
    pub(crate) coverage: CoverageKind,
    pub(crate) endpoint: &'static Endpoint,
    pub(crate) format: Format,
    pub(crate) scope: Selection,
    pub(crate) years: Years,
    /// A query parameter that every request has, or an empty text.
    pub(crate) parameter: &'static str,
    /// Whether the answer can include the parents of learners.
    pub(crate) has_parents: bool,
    /// The phase that requests the resource. A later phase may request it again.
    pub(crate) phase: Phase,
    pub(crate) frequency: Frequency,
    pub(crate) group: Option<Group>,
    /// The role of an answer for the records that it contains.
    pub(crate) source: AnswerSource,
    /// The kinds of which an answer contains all records in its scope.
    pub(crate) complete: &'static [Kind],
}

/// How an answer is decoded.
#[derive(Clone, Copy)]
pub(crate) enum Format {
    /// An array of records.
    List(&'static MemberTable),
    /// An object that is one record.
    Object(&'static MemberTable),
    /// The subjects of all learners, of which only digests are used.
    Enrolments,
    /// The subjects of a learner, with their terms or with marks.
    Subjects,
    Marks,
    /// The same objects as in `Marks`, without marks.
    Structure,
}

/// Which records of the endpoint one request selects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Selection {
    /// All records; the list is the same for all schools.
    AllSchools,
    /// All records of the school.
    School,
    /// The learners with this status.
    Status(&'static str),
    /// The records of one learner.
    Learner,
    /// The records of one grade.
    Grade,
    /// The records whose date is one of the requested days. The date is the field at this position.
    Days(usize),
}

/// The administrative years to which an answer can belong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Years {
    /// The answer belongs to no year.
    None,
    /// The school's current year.
    Current,
    /// The requested year, or the current one if the request has no year.
    Any,
}

/// How often passes request a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Frequency {
    EveryPass,
    /// The answer seldom changes. It is requested if it is not published yet, is due, or is next in
    /// rotation. If the answers cover days, the last window is requested in every pass.
    Rotation,
    /// Like `Rotation`, but the answer is much larger, so that fewer of them are requested.
    LargeRotation,
    /// The resource is requested for some learners, because the answer shows that other answers may
    /// have changed. An app cannot request it.
    Indication,
}

/// Resources whose answers describe the same records of a learner, a grade or the school. If one of
/// the answers has changed, the others are read again too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Group {
    /// Learners, their parents, their accounts and the accountable persons.
    People,
    /// The marks of a grade and their structure.
    Marks,
    /// The subjects and the subject marks of a learner.
    Subjects,
}

impl ResourceSpec {
    /// Returns the specification of a list of the school that every pass requests.
    const fn new(
        coverage: CoverageKind,
        endpoint: &'static Endpoint,
        format: Format,
    ) -> ResourceSpec {
        ResourceSpec {
            coverage,
            endpoint,
            format,
            scope: Selection::School,
            years: Years::None,
            parameter: "",
            has_parents: false,
            phase: Phase::Lists,
            frequency: Frequency::EveryPass,
            group: None,
            source: AnswerSource::Alone,
            complete: &[],
        }
    }

    /// Returns the date of a record of which an answer contains all on the requested days.
    pub(crate) fn date(&self, kind: Kind, values: &[Value<'_>]) -> Option<Date> {
        match self.scope {
            Selection::Days(field) if self.complete.contains(&kind) => values.get(field)?.date(),
            _ => None,
        }
    }
}

/// Declares the resources: the endpoint and the format of each, and the other fields of its
/// specification that differ from those of `ResourceSpec::new`. A resource has the name of what it
/// covers.
macro_rules! resources {
    ($(
        $(#[$doc:meta])*
        $resource:ident = $endpoint:path, $format:expr, { $($field:ident: $value:expr,)* }
    )*) => {
        /// A resource of the service.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub(crate) enum Resource { $($(#[$doc])* $resource,)* }

        impl Resource {
            /// All resources, in the order in which a phase requests them.
            pub(crate) const ALL: [Resource; [$(Resource::$resource),*].len()] =
                [$(Resource::$resource),*];

            pub(crate) const fn spec(self) -> &'static ResourceSpec {
                match self {
                    $(Resource::$resource => const {
                        &ResourceSpec {
                            $($field: $value,)*
                            ..ResourceSpec::new(CoverageKind::$resource, &$endpoint, $format)
                        }
                    },)*
                }
            }

            /// Returns the resource whose answers have coverage of this kind.
            pub(crate) const fn from_coverage(coverage: CoverageKind) -> Option<Resource> {
                match coverage {
                    $(CoverageKind::$resource => Some(Resource::$resource),)*
                    _ => None,
                }
            }
        }
    };
}

resources! {
    School = schools::ENDPOINT, Format::List(&member_table::SCHOOL), {
        source: AnswerSource::School,
    }
    SchoolInfo = school_info::ENDPOINT, Format::Object(&member_table::INFO), {
        frequency: Frequency::Rotation,
        source: AnswerSource::SchoolInfo,
    }
    Grades = grades::ENDPOINT, Format::List(&member_table::GRADE), {
        frequency: Frequency::Rotation,
        source: AnswerSource::Grades,
        complete: &[Kind::Grade],
    }
    EthnicGroups = lookup_lists::ETHNIC_GROUPS, Format::List(&member_table::ETHNIC_GROUP), {
        scope: Selection::AllSchools,
        frequency: Frequency::Rotation,
        complete: &[Kind::EthnicGroup],
    }
    MaritalStatuses = lookup_lists::MARITAL_STATUSES, Format::List(&member_table::MARITAL_STATUS), {
        scope: Selection::AllSchools,
        frequency: Frequency::Rotation,
        complete: &[Kind::MaritalStatus],
    }
    Genders = lookup_lists::GENDERS, Format::List(&member_table::GENDER), {
        scope: Selection::AllSchools,
        frequency: Frequency::Rotation,
        complete: &[Kind::Gender],
    }
    Languages = lookup_lists::LANGUAGES, Format::List(&member_table::LANGUAGE), {
        scope: Selection::AllSchools,
        frequency: Frequency::Rotation,
        complete: &[Kind::Language],
    }
    CurrentLearners = learners::ENDPOINT, Format::List(&member_table::LEARNER), {
        scope: Selection::Status("current"),
        has_parents: true,
        group: Some(Group::People),
        source: AnswerSource::Listing,
        complete: &[Kind::Learner],
    }
    WaitlistLearners = learners::ENDPOINT, Format::List(&member_table::LEARNER), {
        scope: Selection::Status("waitlist"),
        has_parents: true,
        group: Some(Group::People),
        source: AnswerSource::Listing,
        complete: &[Kind::Learner],
    }
    /// Which learner takes which subjects. `SubjectsPerTerm` contains the same data; this answer
    /// shows for which learners it has changed.
    LearnerSubjects = learner_subjects::ENDPOINT, Format::Enrolments, {
        years: Years::Current,
    }
    /// The subjects and terms of one learner.
    SubjectsPerTerm = subjects_per_term::ENDPOINT, Format::Subjects, {
        scope: Selection::Learner,
        years: Years::Current,
        phase: Phase::Year,
        frequency: Frequency::Rotation,
        group: Some(Group::Subjects),
        source: AnswerSource::SubjectsPerTerm,
        complete: &[Kind::LearnerSubject],
    }
    SubjectMarks = subject_marks::ENDPOINT, Format::Subjects, {
        scope: Selection::Learner,
        years: Years::Current,
        phase: Phase::Year,
        frequency: Frequency::Rotation,
        group: Some(Group::Subjects),
        source: AnswerSource::SubjectMarks,
        complete: &[Kind::LearnerSubject],
    }
    MarksOfGrade = assessment_marks::ENDPOINT, Format::Marks, {
        scope: Selection::Grade,
        years: Years::Any,
        phase: Phase::Marks,
        group: Some(Group::Marks),
        source: AnswerSource::Marks,
        complete: &[Kind::LearningProgram, Kind::Assessment, Kind::Mark],
    }
    StructureOfGrade = assessment_marks::ENDPOINT, Format::Structure, {
        scope: Selection::Grade,
        years: Years::Any,
        parameter: "structure=1",
        phase: Phase::Year,
        frequency: Frequency::LargeRotation,
        group: Some(Group::Marks),
        source: AnswerSource::Structure,
        complete: &[Kind::LearningProgram, Kind::Assessment, Kind::Mark],
    }
    /// The structure of the marks of one learner. Its records are not stored: a change shows that
    /// the structure of the learner's grades must be requested again.
    StructureOfLearner = assessment_marks::ENDPOINT, Format::Structure, {
        scope: Selection::Learner,
        years: Years::Any,
        parameter: "structure=1",
        phase: Phase::Year,
        frequency: Frequency::Indication,
    }
    Absences = absentees::ENDPOINT, Format::List(&member_table::ABSENTEE), {
        scope: Selection::Days(kinds::absentee::ABSENT_DATE),
        phase: Phase::Rest,
        frequency: Frequency::Rotation,
        complete: &[Kind::Absentee],
    }
    Discipline = discipline::ENDPOINT, Format::List(&member_table::DISCIPLINE), {
        scope: Selection::Days(kinds::discipline::DISCIPLINE_DATE),
        phase: Phase::Rest,
        frequency: Frequency::Rotation,
        complete: &[Kind::Discipline],
    }
    Staff = staff_members::ENDPOINT, Format::List(&member_table::STAFF_MEMBER), {
        phase: Phase::Rest,
        complete: &[Kind::StaffMember],
    }
    /// The parents of current learners.
    Parents = school_parents::ENDPOINT, Format::List(&member_table::PARENT), {
        phase: Phase::Rest,
        frequency: Frequency::Rotation,
        group: Some(Group::People),
        complete: &[Kind::Parent],
    }
    /// The learners whose accounts are open.
    OpenAccounts = finance_learners::ENDPOINT, Format::List(&member_table::ACCOUNT), {
        phase: Phase::Rest,
        group: Some(Group::People),
        source: AnswerSource::OpenAccounts,
        complete: &[Kind::Learner],
    }
    /// The accounts of all learners. Every learner has one.
    AllAccounts = finance_learners::ENDPOINT, Format::List(&member_table::ACCOUNT), {
        parameter: "all_accounts=1",
        has_parents: true,
        phase: Phase::Rest,
        group: Some(Group::People),
        source: AnswerSource::AllAccounts,
        complete: &[Kind::Learner],
    }
    /// The accountable persons whose accounts are open.
    OpenDebtors = accountable_persons::ENDPOINT, Format::List(&member_table::ACCOUNTABLE_PERSON), {
        phase: Phase::Rest,
        group: Some(Group::People),
        source: AnswerSource::OpenDebtors,
        complete: &[Kind::AccountablePerson],
    }
    AllDebtors = accountable_persons::ENDPOINT, Format::List(&member_table::ACCOUNTABLE_PERSON), {
        parameter: "all_accounts=1",
        phase: Phase::Rest,
        group: Some(Group::People),
        source: AnswerSource::AllDebtors,
        complete: &[Kind::AccountablePerson],
    }
}

impl Resource {
    /// Returns the resources that a phase requests for everything in their scope.
    pub(crate) fn of_phase(phase: Phase) -> impl Iterator<Item = Resource> {
        Resource::ALL.into_iter().filter(move |resource| {
            let spec = resource.spec();
            spec.phase == phase && spec.frequency != Frequency::Indication
        })
    }
}

/// The lists of learners.
pub(crate) const LISTINGS: [Resource; 2] = [Resource::CurrentLearners, Resource::WaitlistLearners];
