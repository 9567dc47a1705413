//! A request from its target to its answer: the order of checks of `decisions.md`, "Access".

use jiff::civil::Date;

use super::Twin;
use super::access::{activated, authorised, guard, integrator, wrong_credentials};
use super::answer::{TwinAnswer, data, not_found};
use super::dates::local_date;
use super::kinds::Kind;
use super::offset::parse_offset;
use super::params::Params;
use super::records::Store;
use super::route::{Endpoint, route};
use super::target::split_target;
use super::{
    absentees, assessment_marks, clients, get_schools, learner_subjects, learners, subject_marks,
    subjects_per_term,
};

/// What a query of one school's data sees.
pub(crate) struct View<'a> {
    pub(crate) store: &'a Store,
    pub(crate) school: u64,
    pub(crate) today: Date,
    pub(crate) params: &'a Params,
}

impl View<'_> {
    /// The current administrative year, if the school has one.
    pub(crate) fn current_year(&self) -> Option<u64> {
        self.store
            .get(Kind::School, &[self.school])?
            .number("current_year")
    }

    /// A name looked up through a reference of this school.
    pub(crate) fn name(&self, kind: Kind, id: u64, field: &str) -> String {
        self.store.look_up(kind, &[self.school, id], field)
    }
}

impl Twin {
    /// Answers a request at an instant, in Unix seconds.
    pub fn request(
        &mut self,
        now: i64,
        method: &str,
        target: &str,
        headers: &[(String, Vec<u8>)],
        body: &[u8],
    ) -> TwinAnswer {
        self.answer(now, method, target, headers, body)
            .unwrap_or_else(|refusal| refusal)
    }

    fn answer(
        &mut self,
        now: i64,
        method: &str,
        target: &str,
        headers: &[(String, Vec<u8>)],
        body: &[u8],
    ) -> Result<TwinAnswer, TwinAnswer> {
        let (segments, query) = split_target(target).ok_or_else(|| not_found("Route not found"))?;
        let (endpoint, school) = route(method, &segments)?;
        let username =
            integrator(&self.store, headers).ok_or_else(|| wrong_credentials(endpoint))?;
        authorised(&self.store, endpoint, &username, school)?;
        let school = match (endpoint, school) {
            (Endpoint::Schools, school) => {
                return Ok(data(&get_schools::get_schools(
                    &self.store,
                    &username,
                    school,
                )));
            }
            (Endpoint::Clients, school) => {
                return Ok(data(&clients::clients(&self.store, &username, school)));
            }
            (Endpoint::StateUpdate, Some(school)) => {
                return self.update_state(&username, school, body);
            }
            (_, school) => school.expect("every other endpoint names a school"),
        };
        let params = Params::of(query);
        if let Some(family) = guard(endpoint) {
            activated(&self.store, &username, school, family)?;
        }
        if endpoint == Endpoint::Learners && params.include_parents() {
            activated(&self.store, &username, school, "parents")?;
        }
        let offset = self.store.look_up(Kind::School, &[school], "utc_offset");
        let today = local_date(now, parse_offset(&offset).unwrap_or(120));
        let view = View {
            store: &self.store,
            school,
            today,
            params: &params,
        };
        let json = match endpoint {
            Endpoint::Learners => learners::learners(&view)?,
            Endpoint::AssessmentMarks => assessment_marks::assessment_marks(&view)?,
            Endpoint::SubjectsPerTerm => subjects_per_term::subjects_per_term(&view)?,
            Endpoint::SubjectMarks => subject_marks::subject_marks(&view)?,
            Endpoint::LearnerSubjects => learner_subjects::learner_subjects(&view)?,
            _ => absentees::absentees(&view)?,
        };
        Ok(data(&json))
    }
}
