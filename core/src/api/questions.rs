//! The parameters of each endpoint → its question (section 4, and section 9).

use super::asked::Asked;
use super::faults::Faults;
use super::params::Params;
use super::route::Endpoint;
use super::v2::Page;
use crate::json::Wire;
use crate::query::{
    Absentees, AccountablePersons, AssessmentMarks, Clients, FinanceLearners, LearnerSubjects,
    Learners, Schools, SubjectMarks, SubjectsPerTerm,
};
use crate::record::value::integer;
use std::borrow::Cow;

/// What a request asks, its parameters still to be read.
#[derive(Clone, Copy)]
pub(super) struct Reading<'a> {
    pub(super) wire: Wire,
    pub(super) endpoint: Endpoint,
    pub(super) username: &'a str,
    /// The school, if the request names one.
    pub(super) school: Option<u64>,
    /// The record that the path names; it stands for the parameter.
    pub(super) id: Option<u64>,
    pub(super) params: Params<'a>,
}

impl<'a> Reading<'a> {
    /// Reads the parameters and hands on the question, with what is wrong with
    /// them in the order of the endpoint's table.
    pub(super) fn read<T>(self, then: impl FnOnce(&dyn Asked, Faults) -> T) -> T {
        let mut faults = Faults::default();
        let school = self.school.unwrap_or(0);
        let params = self.params;
        match self.endpoint {
            Endpoint::Learners => {
                let status = params.status(&mut faults);
                let since = params.date("since", &mut faults);
                let until = params.date("until", &mut faults);
                let learner_id = params.id("learner_id", &mut faults);
                let grade_ids = params.grades(&mut faults);
                let name = params.get("name");
                let learners = Learners {
                    school,
                    status,
                    since,
                    until,
                    learner_id: self.id.or(learner_id),
                    grade_ids: &grade_ids,
                    include_parents: params.includes("include_parents"),
                    name: name.as_deref(),
                    family_code: params.number("family_code", &mut faults),
                };
                then(&learners, faults)
            }
            Endpoint::AssessmentMarks => {
                let marks = AssessmentMarks {
                    school,
                    learner_id: params.id("learner_id", &mut faults),
                    grade_id: params.id("grade_id", &mut faults),
                    subject_id: params.id("subject_id", &mut faults),
                    year: params.number("year", &mut faults),
                    term: params.number("term", &mut faults),
                    learning_outcome_id: params.id("learning_outcome_id", &mut faults),
                    assessment_id: params.id("assessment_id", &mut faults),
                    structure: params.boolean("structure", &mut faults),
                };
                then(&marks, faults)
            }
            Endpoint::SubjectsPerTerm => {
                let learner_id = self.learner(&mut faults);
                then(&SubjectsPerTerm { school, learner_id }, faults)
            }
            Endpoint::SubjectMarks => {
                let learner_id = self.learner(&mut faults);
                then(&SubjectMarks { school, learner_id }, faults)
            }
            Endpoint::LearnerSubjects => {
                let learner_id = params.id("learner_id", &mut faults);
                then(&LearnerSubjects { school, learner_id }, faults)
            }
            Endpoint::Absentees => then(&self.absentees(school, &mut faults), faults),
            Endpoint::FinanceLearners => {
                let learner_id = params.id("learner_id", &mut faults);
                let debtor_code = params.get("debtor_code");
                let learners = FinanceLearners {
                    school,
                    learner_id: self.id.or(learner_id),
                    debtor_code: debtor_code.as_deref(),
                    accountable_person_id: params.id("accountable_person_id", &mut faults),
                    parent_id: params.id("parent_id", &mut faults),
                    all_accounts: params.boolean("all_accounts", &mut faults),
                    include_parents: params.includes("include_parents"),
                    include_accountable_person: params.includes("include_accountable_person"),
                };
                then(&learners, faults)
            }
            Endpoint::AccountablePersons => {
                let debtor_code = params.get("debtor_code");
                let person = params.id("accountable_person_id", &mut faults);
                let persons = AccountablePersons {
                    school,
                    debtor_code: debtor_code.as_deref(),
                    accountable_person_id: self.id.or(person),
                    all_accounts: params.boolean("all_accounts", &mut faults),
                    include_learners: params.includes("include_learners"),
                };
                then(&persons, faults)
            }
            Endpoint::Schools => {
                let (username, school) = (self.username, self.school);
                then(&Schools { username, school }, faults)
            }
            Endpoint::Clients => then(&self.clients(&mut faults), faults),
        }
    }

    /// One record by its id takes no parameters.
    fn absentees(self, school: u64, faults: &mut Faults) -> Absentees {
        let params = self.params;
        match self.id {
            Some(id) => Absentees {
                school,
                id: Some(id),
                ..Absentees::default()
            },
            None => Absentees {
                school,
                id: None,
                learner_id: params.id("learner_id", faults),
                from_date: params.date("from_date", faults),
                to_date: params.date("to_date", faults),
            },
        }
    }

    /// In v2 the school is a parameter.
    fn clients(self, faults: &mut Faults) -> Clients<'a> {
        let username = self.username;
        match self.wire {
            Wire::V1 => Clients {
                username,
                school: self.school,
                api_type_id: None,
            },
            Wire::V2 => Clients {
                username,
                school: self.params.id("school_id", faults),
                api_type_id: self.params.id("api_type_id", faults),
            },
        }
    }

    fn learner(self, faults: &mut Faults) -> u64 {
        if self.params.get("learner_id").is_none() {
            faults.say("learner_id", "Please provide a learner_id");
        }
        let learner = self.params.id("learner_id", faults);
        learner.unwrap_or(0)
    }
}

/// The parameters that say which page is asked for.
pub(super) struct Paging<'a> {
    cursor: Option<Cow<'a, str>>,
    limit: Option<u64>,
    reverse_order: bool,
}

impl<'a> Paging<'a> {
    /// Reads them; a limit that is no number is 0. What is wrong with the order
    /// goes to the faults.
    pub(super) fn read(params: Params<'a>, faults: &mut Faults) -> Paging<'a> {
        let limit = params.get("limit");
        Paging {
            cursor: params.get("cursor"),
            limit: limit.map(|limit| integer(&limit).unwrap_or(0)),
            reverse_order: params.boolean("reverse_order", faults),
        }
    }

    pub(super) fn page(&self) -> Page<'_> {
        Page {
            cursor: self.cursor.as_deref(),
            limit: self.limit,
            reverse_order: self.reverse_order,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::v1::wrong_text;

    fn faults(endpoint: Endpoint, query: &str) -> Vec<(String, String)> {
        let reading = Reading {
            wire: Wire::V1,
            endpoint,
            username: "",
            school: Some(1),
            id: None,
            params: Params(query),
        };
        reading.read(|_, faults| {
            let pairs = faults.iter();
            pairs
                .map(|(field, wrong)| (field.to_owned(), wrong_text(field, wrong)))
                .collect()
        })
    }

    fn first(endpoint: Endpoint, query: &str) -> String {
        let first = faults(endpoint, query).into_iter().next();
        first.map(|(_, message)| message).unwrap_or_default()
    }

    #[test]
    fn faults_come_in_the_order_of_the_table() {
        let found = faults(
            Endpoint::Learners,
            "family_code=x&grade_id=8,,9&status=Left&until=2026-02-30",
        );
        let names: Vec<_> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["status", "until", "grade_id", "family_code"]);
        for (endpoint, query, expected) in [
            (
                Endpoint::Learners,
                "grade_id=8%099",
                "grade_id must be an unsigned integer or a comma-separated list of them",
            ),
            (Endpoint::Learners, "grade_id=%208%20,9", ""),
            (
                Endpoint::Learners,
                "family_code=-1",
                "family_code must be an unsigned integer",
            ),
            (
                Endpoint::Learners,
                "until=2026-02-30&since=x",
                "since must be a date (YYYY-MM-DD)",
            ),
            (
                Endpoint::AssessmentMarks,
                "structure=yes&year=1.5",
                "year must be an unsigned integer",
            ),
            (
                Endpoint::AssessmentMarks,
                "structure=yes",
                "structure must be 1, true, 0 or false",
            ),
            (
                Endpoint::AssessmentMarks,
                "structure=TRUE&learner_id=18446744073709551615",
                "",
            ),
            (
                Endpoint::AssessmentMarks,
                "learner_id=18446744073709551616",
                "learner_id must be an unsigned integer",
            ),
            (
                Endpoint::SubjectMarks,
                "learner_id=",
                "Please provide a learner_id",
            ),
            (
                Endpoint::FinanceLearners,
                "all_accounts=yes&parent_id=x",
                "parent_id must be an unsigned integer",
            ),
        ] {
            assert_eq!(first(endpoint, query), expected, "{query}");
        }
    }
}
