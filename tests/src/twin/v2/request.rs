//! A request of v2 from its target to its answer: the order of checks (`v2.md`, "Checks").

use super::super::Twin;
use super::super::absentees;
use super::super::access::{activated, authorisations, families, integrator};
use super::super::answer::{MOST_BODY_BYTES, TOO_LARGE, TwinAnswer};
use super::super::assessment_marks::flat;
use super::super::params::{Fault, Params};
use super::super::question::{Question, Row, Rows, View};
use super::super::records::Store;
use super::super::request::view;
use super::super::route::Endpoint;
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
        if body.len() > MOST_BODY_BYTES {
            return Err(refused(413, TOO_LARGE));
        }
        if asked.endpoint == Endpoint::StateUpdate {
            return self.update_integration(&username, body);
        }
        let mut params = Params::of(asked.query);
        access(&self.store, &username, asked.endpoint, &ids, &params)?;
        let school = ids.school.unwrap_or(0);
        match ids.record {
            Some(id) => {
                let view = view(&self.store, &username, school, now);
                one(&view, asked.endpoint, id, &mut params)
            }
            None => self.collection(now, &username, &asked, ids.school, &mut params),
        }
    }

    /// A page of a collection, at the instant and in the school's year of the walk's first page.
    fn collection(
        &self,
        now: i64,
        username: &str,
        asked: &Asked<'_>,
        school: Option<u64>,
        params: &mut Params,
    ) -> Result<TwinAnswer, TwinAnswer> {
        let question = Question::read(asked.endpoint, params);
        let plainly = |now: i64| view(&self.store, username, school.unwrap_or(0), now);
        let seen = |walk: &Walk, now: i64| View {
            year: walk.year,
            ..plainly(now)
        };
        let year = plainly(now).year;
        let page = Page::read(&question, school, params, Walk { now, year }, seen);
        refuse(&params.faults)?;
        let walk = page.walk();
        let rows = rows(&seen(walk, walk.now.min(now)), &question);
        let rows = rows.map_err(|fault| invalid_params(&[fault]))?;
        Ok(answer(200, &page.of(rows, asked.endpoint)))
    }
}

/// The school has authorised the integrator (401), and every family that is needed is active (403).
fn access(
    store: &Store,
    username: &str,
    endpoint: Endpoint,
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
    for family in families(endpoint, params) {
        activated(store, username, school, family).map_err(|text| refused(403, &text))?;
    }
    Ok(())
}

/// The record of an id: the one that the collection would list with the same parameters. An absentee takes no
/// parameters, and a learner that left is found at any date unless they name some.
fn one(
    view: &View<'_>,
    endpoint: Endpoint,
    id: u64,
    params: &mut Params,
) -> Result<TwinAnswer, TwinAnswer> {
    let found = if endpoint == Endpoint::Absentees {
        absentees::by_id(view, id)
    } else {
        let question = Question::read(endpoint, params).at_any_date();
        let found = rows(view, &question).map_err(|rule| params.note_rule(rule));
        refuse(&params.faults)?;
        let mut found = found.unwrap_or_default().into_iter();
        found.find(|(place, _)| *place == [id])
    };
    match found {
        Some((_, record)) => Ok(answer(200, &typed(endpoint, record))),
        None => Err(no_such_id()),
    }
}

/// The rows of v1, an assessment mark without nesting.
fn rows(view: &View<'_>, question: &Question) -> Rows {
    let rows = question.rows(view)?.into_iter();
    let row = |row: Row| match question {
        Question::AssessmentMarks(_) => flat(view, row),
        _ => row,
    };
    Ok(rows.map(row).collect())
}

fn refuse(faults: &[Fault]) -> Result<(), TwinAnswer> {
    if faults.is_empty() {
        Ok(())
    } else {
        Err(invalid_params(faults))
    }
}
