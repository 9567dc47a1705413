//! The question about a resource, read from a request's parameters.

use super::params::Params;
use super::{Shape, Way};
use rollbook::{
    Absentees, AccountablePersons, Answer, AssessmentMarks, Clients, FinanceLearners,
    LearnerStatus, LearnerSubjects, Learners, Schools, SubjectMarks, SubjectsPerTerm,
};

/// What requests are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Resource {
    Learners,
    Absentees,
    AssessmentMarks,
    LearnerSubjects,
    SubjectsPerTerm,
    SubjectMarks,
    Schools,
    Clients,
    FinanceLearners,
    AccountablePersons,
}

/// What a request says beside the resource.
pub(crate) struct Asked<'a> {
    pub(crate) username: &'a str,
    pub(crate) school: Option<u64>,
    /// The one record that the path names.
    pub(crate) id: Option<u64>,
    pub(crate) params: &'a Params<'a>,
}

impl Asked<'_> {
    /// The record by the path's id or by the parameter; nothing if the two are
    /// not the same.
    #[expect(clippy::option_option, reason = "absent, or of no use")]
    fn one(&self, name: &str) -> Option<Option<u64>> {
        let given = self.params.parsed(name)?;
        let differ = self.id.is_some() && given.is_some() && given != self.id;
        (!differ).then(|| self.id.or(given))
    }

    /// Asks it, unless a parameter is malformed.
    pub(crate) fn ask(&self, resource: Resource, way: &Way<'_>) -> Option<Answer> {
        let (username, params) = (self.username, self.params);
        match resource {
            Resource::Schools => {
                let school = self.id.or(self.school);
                return Some(way.ask(&Schools { username, school }));
            }
            Resource::Clients => {
                let api_type_id = match way.shape {
                    // v1 has no such parameter.
                    Shape::All => None,
                    _ => params.parsed("api_type_id")?,
                };
                return Some(way.ask(&Clients {
                    username,
                    school: self.school,
                    api_type_id,
                }));
            }
            _ => {}
        }
        let school = self.school?;
        Some(match resource {
            Resource::Schools | Resource::Clients => return None,
            Resource::Learners => way.ask(&Learners {
                school,
                status: match params.text("status") {
                    None | Some("current") => LearnerStatus::Current,
                    Some("left") => LearnerStatus::Left,
                    Some("waitlist") => LearnerStatus::Waitlist,
                    Some(_) => return None,
                },
                since: params.parsed("since")?,
                until: params.parsed("until")?,
                learner_id: self.one("learner_id")?,
                grade_ids: &params.grades()?,
                include_parents: params.includes("include_parents"),
                name: params.text("name"),
                family_code: params.parsed("family_code")?,
            }),
            Resource::Absentees if self.id.is_some() => way.ask(&Absentees {
                school,
                id: self.id,
                ..Absentees::default()
            }),
            Resource::Absentees => way.ask(&Absentees {
                id: None,
                school,
                learner_id: params.parsed("learner_id")?,
                from_date: params.parsed("from_date")?,
                to_date: params.parsed("to_date")?,
            }),
            Resource::AssessmentMarks => way.ask(&AssessmentMarks {
                school,
                learner_id: params.parsed("learner_id")?,
                grade_id: params.parsed("grade_id")?,
                subject_id: params.parsed("subject_id")?,
                year: params.parsed("year")?,
                term: params.parsed("term")?,
                learning_outcome_id: params.parsed("learning_outcome_id")?,
                assessment_id: params.parsed("assessment_id")?,
                structure: params.flag("structure")?,
            }),
            Resource::LearnerSubjects => way.ask(&LearnerSubjects {
                school,
                learner_id: params.parsed("learner_id")?,
            }),
            Resource::SubjectsPerTerm => way.ask(&SubjectsPerTerm {
                school,
                learner_id: params.parsed("learner_id")??,
            }),
            Resource::SubjectMarks => way.ask(&SubjectMarks {
                school,
                learner_id: params.parsed("learner_id")??,
            }),
            Resource::FinanceLearners => way.ask(&FinanceLearners {
                school,
                learner_id: self.one("learner_id")?,
                debtor_code: params.text("debtor_code"),
                accountable_person_id: params.parsed("accountable_person_id")?,
                parent_id: params.parsed("parent_id")?,
                all_accounts: params.flag("all_accounts")?,
                include_parents: params.includes("include_parents"),
                include_accountable_person: params.includes("include_accountable_person"),
            }),
            Resource::AccountablePersons => way.ask(&AccountablePersons {
                school,
                debtor_code: params.text("debtor_code"),
                accountable_person_id: self.one("accountable_person_id")?,
                all_accounts: params.flag("all_accounts")?,
                include_learners: params.includes("include_learners"),
            }),
        })
    }
}
