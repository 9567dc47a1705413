//! A request from its target to its answer: the order of checks of `decisions.md`, "Access".

use super::Twin;
use super::access::{activated, authorised, families, integrator, wrong_credentials};
use super::answer::{
    MOST_BODY_BYTES, TwinAnswer, bad_request, data, none_found, not_activated, not_found, too_large,
};
use super::assessment_marks::nested;
use super::clients;
use super::dates::local_date;
use super::finance_learners::without_null;
use super::kinds::Kind;
use super::offset::parse_offset;
use super::params::Params;
use super::question::{Question, Row, View};
use super::records::Store;
use super::render::Json;
use super::route::{Endpoint, route};
use super::target::split_target;
use super::v2;

/// What a query sees of a school at an instant.
pub(crate) fn view<'a>(store: &'a Store, username: &'a str, school: u64, now: i64) -> View<'a> {
    let record = store.get(Kind::School, &[school]);
    let offset = record.and_then(|record| parse_offset(record.text("utc_offset")));
    View {
        store,
        username,
        school,
        today: local_date(now, offset.unwrap_or(120)),
        year: record.and_then(|record| record.number("current_year")),
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
        let answer = if v2::is_below(target) {
            self.answer_v2(now, method, target, headers, body)
        } else {
            self.answer(now, method, target, headers, body)
        };
        answer.unwrap_or_else(|refusal| refusal)
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
        if body.len() > MOST_BODY_BYTES {
            return Err(too_large());
        }
        authorised(&self.store, endpoint, &username, school)?;
        if let (Endpoint::StateUpdate, Some(school)) = (endpoint, school) {
            return self.update_state(&username, school, body);
        }
        let view = view(&self.store, &username, school.unwrap_or(0), now);
        let mut params = Params::of(query);
        for family in families(endpoint, &params) {
            let activated = activated(&self.store, &username, view.school, family);
            activated.map_err(|text| not_activated(&text))?;
        }
        let question = match endpoint {
            Endpoint::Clients => Question::Clients(clients::Question {
                school,
                api_type: None,
            }),
            _ => Question::read(endpoint, &mut params),
        };
        if let Some(fault) = params.faults.first() {
            return Err(bad_request(&fault.message));
        }
        let mut rows = question
            .rows(&view)
            .map_err(|fault| bad_request(&fault.message))?;
        if endpoint == Endpoint::Schools {
            rows.retain(|(place, _)| school.is_none_or(|school| *place == [school]));
        }
        if rows.is_empty() {
            return Err(not_found(none_found(endpoint)));
        }
        Ok(data(&all(&view, endpoint, rows)))
    }
}

/// The whole of an answer.
fn all(view: &View<'_>, endpoint: Endpoint, rows: Vec<Row>) -> Json {
    if endpoint == Endpoint::AssessmentMarks {
        return nested(view, &rows);
    }
    let records = rows.into_iter().map(|(_, record)| match endpoint {
        Endpoint::FinanceLearners => without_null(record),
        _ => record,
    });
    Json::List(records.collect())
}
