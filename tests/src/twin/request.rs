//! Answers a request, with the checks in the order of `decisions.md`, "Requests".

use super::Twin;
use super::access::{activated, authorised, integrator, wrong_credentials};
use super::answer::{
    MAX_BODY_BYTES, TwinAnswer, bad_request, data, not_activated, not_found, too_large,
};
use super::dates::{local_date, parse_offset};
use super::kinds::Kind;
use super::params::Params;
use super::question::View;
use super::records::Store;
use super::route::{Asked, route};
use super::target::split_target;
use super::v2;

/// Returns the data of a school that a query can read at an instant.
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
        let Asked {
            endpoint,
            school,
            is_update,
        } = route(method, &segments)?;
        let username = integrator(&self.store, headers)
            .ok_or_else(|| wrong_credentials(endpoint, is_update))?;
        if body.len() > MAX_BODY_BYTES {
            return Err(too_large());
        }
        authorised(&self.store, endpoint, &username, school)?;
        if let (true, Some(school)) = (is_update, school) {
            return self.update_state(&username, school, body);
        }
        let view = view(&self.store, &username, school.unwrap_or(0), now);
        let mut params = Params::parse(endpoint.family.map_or("", |_| query));
        for family in endpoint.families(&params) {
            let activated = activated(&self.store, &username, view.school, family);
            activated.map_err(|text| not_activated(&text))?;
        }
        let question = (endpoint.read)(&mut params);
        if let Some(fault) = params.faults.first() {
            return Err(bad_request(&fault.message));
        }
        let mut rows = question
            .rows(&view)
            .map_err(|fault| bad_request(&fault.message))?;
        if endpoint.family.is_none() {
            rows.retain(|(place, _)| school.is_none_or(|school| place[0] == school));
        }
        if rows.is_empty() {
            return Err(not_found(endpoint.none_found));
        }
        Ok(data(&(endpoint.whole)(&view, &rows)))
    }
}
