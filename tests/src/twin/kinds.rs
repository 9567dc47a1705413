//! The kinds of records (`dataset.md`, "Kinds").

use super::fields::{self, Field, Form};
use super::people_fields;

/// A kind of record. The order is that of the export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    School,
    ApiType,
    Integrator,
    ClientIntegration,
    EthnicGroup,
    MaritalStatus,
    Gender,
    Language,
    Year,
    Term,
    Grade,
    Parent,
    Learner,
    Subject,
    LearnerSubject,
    LearningOutcome,
    LearningProgram,
    Assessment,
    Mark,
    Absentee,
    AccountablePerson,
    StaffMember,
    Discipline,
}

impl Kind {
    /// Every kind, in the order of the export.
    pub(crate) const ALL: [Self; 23] = [
        Self::School,
        Self::ApiType,
        Self::Integrator,
        Self::ClientIntegration,
        Self::EthnicGroup,
        Self::MaritalStatus,
        Self::Gender,
        Self::Language,
        Self::Year,
        Self::Term,
        Self::Grade,
        Self::Parent,
        Self::Learner,
        Self::Subject,
        Self::LearnerSubject,
        Self::LearningOutcome,
        Self::LearningProgram,
        Self::Assessment,
        Self::Mark,
        Self::Absentee,
        Self::AccountablePerson,
        Self::StaffMember,
        Self::Discipline,
    ];

    /// Returns the value of `type` in a dataset.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::School => "school",
            Self::ApiType => "api_type",
            Self::Integrator => "integrator",
            Self::ClientIntegration => "client_integration",
            Self::Year => "year",
            Self::Term => "term",
            Self::Grade => "grade",
            Self::Parent => "parent",
            Self::Learner => "learner",
            Self::Subject => "subject",
            Self::LearnerSubject => "learner_subject",
            Self::LearningOutcome => "learning_outcome",
            Self::LearningProgram => "learning_program",
            Self::Assessment => "assessment",
            Self::Mark => "mark",
            Self::Absentee => "absentee",
            Self::AccountablePerson => "accountable_person",
            Self::EthnicGroup => "ethnic_group",
            Self::MaritalStatus => "marital_status",
            Self::Gender => "gender",
            Self::Language => "language",
            Self::StaffMember => "staff_member",
            Self::Discipline => "discipline",
        }
    }

    /// Returns the kind with this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Returns the fields of a record of this kind, key fields first.
    pub(crate) fn fields(self) -> &'static [Field] {
        match self {
            Self::School => people_fields::SCHOOL,
            Self::ApiType => fields::API_TYPE,
            Self::Integrator => fields::INTEGRATOR,
            Self::ClientIntegration => fields::CLIENT_INTEGRATION,
            Self::Year => fields::YEAR,
            Self::Term => fields::TERM,
            Self::Grade => fields::GRADE,
            Self::Parent => people_fields::PARENT,
            Self::Learner => people_fields::LEARNER,
            Self::Subject => fields::SUBJECT,
            Self::LearnerSubject => fields::LEARNER_SUBJECT,
            Self::LearningOutcome => fields::LEARNING_OUTCOME,
            Self::LearningProgram => fields::LEARNING_PROGRAM,
            Self::Assessment => fields::ASSESSMENT,
            Self::Mark => fields::MARK,
            Self::Absentee => fields::ABSENTEE,
            Self::AccountablePerson => people_fields::ACCOUNTABLE_PERSON,
            Self::EthnicGroup | Self::MaritalStatus | Self::Gender | Self::Language => {
                fields::LOOKUP
            }
            Self::StaffMember => people_fields::STAFF_MEMBER,
            Self::Discipline => fields::DISCIPLINE,
        }
    }

    /// Returns whether the school of such a record must be in the store (`dataset.md`, "Values").
    pub(crate) fn needs_its_school(self) -> bool {
        matches!(self, Self::ClientIntegration | Self::Year | Self::Term)
    }
}

/// Returns the names of a kind's text fields, in order.
pub fn texts_of(kind: &str) -> Vec<&'static str> {
    let fields = Kind::named(kind).unwrap().fields().iter();
    let texts = fields.filter(|field| field.form == Form::Text && !field.key);
    texts.map(|field| field.name).collect()
}
