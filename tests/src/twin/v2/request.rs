//! Answers a request of v2, with the checks in the order of `v2.md`, "Checks".

use super::super::Twin;
use super::super::access::{activated, authorisations, integrator};
use super::super::answer::{MAX_BODY_BYTES, TOO_LARGE, TwinAnswer};
use super::super::endpoints::Endpoint;
use super::super::params::{Fault, Params};
use super::super::question::View;
use super::super::records::Store;
use super::super::request::view;
use super::answer::{answer, invalid_params, no_access, no_such_id, refused};
use super::cursor::Walk;
use super::page::Page;
use super::route::{Asked, Ids, ids, route};
use super::types::typed;

impl Twin {
    /// Answers a request for a path of v2.
    pub(crate) fn answer_v2(
        &mut self,
        now: i64,
        method: &str,
        target: &str,
        headers: &[(String, Vec<u8>)],
        body: &[u8],
    ) -> Result<TwinAnswer, TwinAnswer> {
        let asked = route(method, target)?;
        let ids = ids(&asked, headers)?;
        let username = integrator(&self.store, headers).ok_or_else(no_access)?;
        if body.len() > MAX_BODY_BYTES {
            return Err(refused(413, TOO_LARGE));
        }
        if asked.is_update {
            return self.update_integration(&username, body);
        }
        let mut params = Params::parse(asked.query);
        access(&self.store, &username, asked.endpoint, &ids, &params)?;
        let school = ids.school.unwrap_or(0);
        match ids.record {
            Some(id) => {
                let view = view(&self.store, &username, school, now);
                one(&view, asked.endpoint, id, &mut params)
            }
            None if asked.endpoint.is_object => {
                let view = view(&self.store, &username, school, now);
                one(&view, asked.endpoint, school, &mut params)
            }
            None => self.collection(now, &username, &asked, ids.school, &mut params),
        }
    }

    /// Returns a page of a collection, at the instant and in the school's year of the walk's first
    /// page.
    fn collection(
        &self,
        now: i64,
        username: &str,
        asked: &Asked<'_>,
        school: Option<u64>,
        params: &mut Params,
    ) -> Result<TwinAnswer, TwinAnswer> {
        let question = (asked.endpoint.read)(params);
        let plainly = |now: i64| view(&self.store, username, school.unwrap_or(0), now);
        let seen = |walk: &Walk, now: i64| View {
            year: walk.year,
            ..plainly(now)
        };
        let year = plainly(now).year;
        let page = Page::read(
            asked.endpoint,
            &*question,
            school,
            params,
            Walk { now, year },
            seen,
        );
        refuse(&params.faults)?;
        let walk = page.walk();
        let rows = question.flat_rows(&seen(walk, walk.now.min(now)));
        let rows = rows.map_err(|fault| invalid_params(&[fault]))?;
        Ok(answer(200, &page.apply(rows, asked.endpoint)))
    }
}

/// Checks that the school has authorised the integrator (401), and that every required family is
/// active (403).
fn access(
    store: &Store,
    username: &str,
    endpoint: &Endpoint,
    ids: &Ids,
    params: &Params,
) -> Result<(), TwinAnswer> {
    let Some(school) = ids.school else {
        return Ok(());
    };
    let mut authorised = authorisations(store, username, Some(school));
    if authorised.next().is_none() {
        return Err(no_access());
    }
    for family in endpoint.families(params) {
        activated(store, username, school, family).map_err(|text| refused(403, &text))?;
    }
    Ok(())
}

/// Returns the record of an id: the one that the collection would contain with the same parameters.
/// An absentee has no parameters, and a learner that left is found at any date unless the
/// parameters contain one.
fn one(
    view: &View<'_>,
    endpoint: &Endpoint,
    id: u64,
    params: &mut Params,
) -> Result<TwinAnswer, TwinAnswer> {
    let found = if let Some(by_id) = endpoint.by_id {
        by_id(view, id)
    } else {
        let mut question = (endpoint.read)(params);
        question.by_id(id);
        let found = question
            .flat_rows(view)
            .map_err(|rule| params.note_rule(rule));
        refuse(&params.faults)?;
        let mut found = found.unwrap_or_default().into_iter();
        found.find(|(place, _)| *place == [id])
    };
    match found {
        Some((_, record)) => Ok(answer(200, &typed(endpoint.types, record))),
        None => Err(no_such_id()),
    }
}

fn refuse(faults: &[Fault]) -> Result<(), TwinAnswer> {
    if faults.is_empty() {
        Ok(())
    } else {
        Err(invalid_params(faults))
    }
}
