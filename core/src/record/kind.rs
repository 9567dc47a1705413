//! The kinds of records and where each is kept.

use super::field::Field;
use super::{
    absentee, accountable_person, api_type, assessment, client_integration, grade, integrator,
    learner, learner_subject, learning_outcome, learning_program, mark, parent, school, subject,
    term, year,
};
use crate::store::{Collection, Key, Partition};

/// A kind of record, in the order in which a dataset's records are kept: what
/// others lean on comes first. The numbers are part of the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub(crate) enum Kind {
    School = 0,
    ApiType = 1,
    Integrator = 2,
    ClientIntegration = 3,
    Year = 4,
    Term = 5,
    Grade = 6,
    Parent = 7,
    Learner = 8,
    Subject = 9,
    LearningOutcome = 10,
    LearningProgram = 11,
    AccountablePerson = 12,
    Absentee = 13,
    LearnerSubject = 14,
    Assessment = 15,
    Mark = 16,
}

impl Kind {
    pub(crate) const ALL: [Kind; 17] = [
        Kind::School,
        Kind::ApiType,
        Kind::Integrator,
        Kind::ClientIntegration,
        Kind::Year,
        Kind::Term,
        Kind::Grade,
        Kind::Parent,
        Kind::Learner,
        Kind::Subject,
        Kind::LearningOutcome,
        Kind::LearningProgram,
        Kind::AccountablePerson,
        Kind::Absentee,
        Kind::LearnerSubject,
        Kind::Assessment,
        Kind::Mark,
    ];

    /// The kind of this number.
    pub(crate) fn numbered(number: u8) -> Option<Kind> {
        Kind::ALL.get(usize::from(number)).copied()
    }

    /// The kind that a line's `type` names.
    pub(crate) fn named(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Kind::School => "school",
            Kind::ApiType => "api_type",
            Kind::Integrator => "integrator",
            Kind::ClientIntegration => "client_integration",
            Kind::Year => "year",
            Kind::Term => "term",
            Kind::Grade => "grade",
            Kind::Parent => "parent",
            Kind::Learner => "learner",
            Kind::Subject => "subject",
            Kind::LearningOutcome => "learning_outcome",
            Kind::LearningProgram => "learning_program",
            Kind::AccountablePerson => "accountable_person",
            Kind::Absentee => "absentee",
            Kind::LearnerSubject => "learner_subject",
            Kind::Assessment => "assessment",
            Kind::Mark => "mark",
        }
    }

    /// Its fields, key fields first, in the order in which they are answered.
    pub(crate) const fn fields(self) -> &'static [Field] {
        match self {
            Kind::School => &school::FIELDS,
            Kind::ApiType => &api_type::FIELDS,
            Kind::Integrator => &integrator::FIELDS,
            Kind::ClientIntegration => &client_integration::FIELDS,
            Kind::Year => &year::FIELDS,
            Kind::Term => &term::FIELDS,
            Kind::Grade => &grade::FIELDS,
            Kind::Parent => &parent::FIELDS,
            Kind::Learner => &learner::FIELDS,
            Kind::Subject => &subject::FIELDS,
            Kind::LearningOutcome => &learning_outcome::FIELDS,
            Kind::LearningProgram => &learning_program::FIELDS,
            Kind::AccountablePerson => &accountable_person::FIELDS,
            Kind::Absentee => &absentee::FIELDS,
            Kind::LearnerSubject => &learner_subject::FIELDS,
            Kind::Assessment => &assessment::FIELDS,
            Kind::Mark => &mark::FIELDS,
        }
    }

    /// Where a record lies whose key these numbers are, in the order of its key
    /// fields, if its key alone decides that.
    pub(crate) fn place(self, key: &[u64]) -> Option<(Partition, Key)> {
        let by_school = |collection, school: &u64, id: &u64| {
            (Partition::of(*school, collection), Key::one(*id))
        };
        Some(match (self, key) {
            (Kind::School, [id]) => (Partition::global(Collection::Schools), Key::one(*id)),
            (Kind::ApiType, [id]) => (Partition::global(Collection::ApiTypes), Key::one(*id)),
            (Kind::Year, [school, year]) => by_school(Collection::Years, school, year),
            (Kind::Term, [school, year, term]) => {
                (Partition::of(*school, Collection::Terms), Key(*year, *term))
            }
            (Kind::Grade, [school, id]) => by_school(Collection::Grades, school, id),
            (Kind::Parent, [school, id]) => by_school(Collection::Parents, school, id),
            (Kind::Learner, [school, id]) => by_school(Collection::Learners, school, id),
            (Kind::Subject, [school, id]) => by_school(Collection::Subjects, school, id),
            (Kind::LearningOutcome, [school, id]) => {
                by_school(Collection::LearningOutcomes, school, id)
            }
            (Kind::AccountablePerson, [school, id]) => {
                by_school(Collection::AccountablePersons, school, id)
            }
            (Kind::LearningProgram, [school, grade, year, term, subject]) => (
                Partition::of_grade_year(*school, Collection::LearningPrograms, *grade, *year),
                Key(*term, *subject),
            ),
            (Kind::LearnerSubject, [school, learner, year, subject]) => (
                Partition::of_year(*school, Collection::LearnerSubjects, *year),
                Key(*learner, *subject),
            ),
            _ => return None,
        })
    }

    /// The key of a record that lies here, in the order of its key fields.
    pub(crate) fn key_of(self, partition: Partition, key: Key) -> Vec<u64> {
        let school = partition.school;
        match self {
            Kind::School | Kind::ApiType => vec![key.0],
            Kind::Term => vec![school, key.0, key.1],
            Kind::LearningProgram => vec![school, partition.a, partition.b, key.0, key.1],
            Kind::LearnerSubject => vec![school, key.0, partition.a, key.1],
            // The date and the term are no part of these keys.
            Kind::Absentee | Kind::Assessment => vec![school, key.1],
            _ => vec![school, key.0],
        }
    }
}
