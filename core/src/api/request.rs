//! A request, and its way down and back.

use super::access::{self, Credentials};
use super::params::{self, LearnersParams, Params};
use super::route::{Endpoint, Route, route};
use super::state;
use super::v1::{self, Errors, Errs};
use crate::Result;
use crate::dataset::Freshness;
use crate::query::{
    Absentees, AssessmentMarks, Clients, Family, LearnerSubjects, Learners, Schools, SubjectMarks,
    SubjectsPerTerm, User, View, user,
};
use crate::record::value::integer;
use crate::store::Store;
use std::sync::Arc;

/// A request as an HTTP client sends it (section 4).
///
/// ```
/// let request = rollbook::Request {
///     target: "/api/v1/adminplus/learners/1000?grade_id=9",
///     headers: &[("HTTP-X-USERNAME", "demo"), ("HTTP-X-PASSWORD", "demo")],
///     ..rollbook::Request::default()
/// };
/// assert_eq!(request.method, "GET");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The method, in upper case.
    pub method: &'a str,
    /// Path and query string: `/api/v1/…`.
    pub target: &'a str,
    /// Header names, in any case, and values.
    pub headers: &'a [(&'a str, &'a str)],
    /// The body; empty for all but PATCH.
    pub body: &'a [u8],
    /// The instant to answer for, in seconds since 1970-01-01T00:00:00Z; the
    /// engine's clock unless given.
    pub now: Option<i64>,
}

impl Default for Request<'_> {
    fn default() -> Self {
        Request {
            method: "GET",
            target: "/",
            headers: &[],
            body: &[],
            now: None,
        }
    }
}

impl Request<'_> {
    /// The value of a header; of the last, if it stands several times.
    fn header(&self, name: &str) -> Option<&str> {
        let mut named = self.headers.iter().rev();
        let found = named.find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| *value)
    }
}

/// The status of an answer, and what its headers depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status {
    /// The HTTP status code.
    pub code: u16,
    /// The methods that the path takes, if another was tried: the `Allow`
    /// header of a 405.
    pub allow: Option<&'static str>,
}

impl Status {
    /// What every answer's body is.
    pub const CONTENT_TYPE: &'static str = "application/json; charset=utf-8";

    pub(super) const fn of(code: u16) -> Status {
        Status { code, allow: None }
    }
}

/// An answer: its status, and the bytes that the service would send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The status.
    pub status: Status,
    /// The body: UTF-8, compact JSON.
    pub body: Vec<u8>,
}

impl Answer {
    /// The body as text.
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap_or_default()
    }

    /// The headers of the answer: content type and length, and `Allow` if the
    /// path does not take the method.
    pub fn headers(&self) -> impl Iterator<Item = (&'static str, String)> {
        [
            Some(("Content-Type", Status::CONTENT_TYPE.to_owned())),
            Some(("Content-Length", self.body.len().to_string())),
            self.status.allow.map(|allow| ("Allow", allow.to_owned())),
        ]
        .into_iter()
        .flatten()
    }
}

/// What requests are answered from.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) store: &'a Store,
    pub(crate) credentials: &'a Credentials,
    pub(crate) freshness: &'a Freshness,
    /// Seconds since 1970-01-01T00:00:00Z.
    pub(crate) now: i64,
}

/// Answers a request: route, method, school, credentials, authorisation,
/// activation, parameters, and then the question, in this order.
pub(crate) fn answer(
    context: &Context<'_>,
    request: &Request<'_>,
    out: &mut Vec<u8>,
) -> Result<Status> {
    let Context {
        store,
        credentials,
        freshness,
        now,
    } = *context;
    let (path, query) = request
        .target
        .split_once('?')
        .unwrap_or((request.target, ""));
    let Some(Route { endpoint, school }) = route(path) else {
        return Ok(v1::route_not_found(out));
    };
    let allow = endpoint.allow(school.is_some());
    if !allow.split(", ").any(|method| method == request.method) {
        return Ok(v1::method_not_allowed(allow, out));
    }
    let school = match school.as_deref().map(integer) {
        Some(None) => {
            let what = "school_login_id must be an unsigned integer";
            return Ok(v1::bad_request(what, out));
        }
        Some(school) => school,
        None => None,
    };
    let patched = school.filter(|_| request.method == "PATCH");
    let username = request.header("HTTP-X-USERNAME").unwrap_or_default();
    let password = request.header("HTTP-X-PASSWORD").unwrap_or_default();
    let pair = credentials.pair(username, password);
    let asked = Asked {
        endpoint,
        username,
        school,
        params: Params(query),
    };
    freshness.ensure(store, school)?;
    loop {
        let step = store.read(|snapshot| {
            let user = user(snapshot, username)?;
            match credentials.recall(&pair, &user) {
                None => Ok(Step::Hash(user)),
                Some(false) => {
                    let errors = errors_of(endpoint, patched.is_some());
                    Ok(Step::Done(v1::unauthorised(errors.refused, out)))
                }
                Some(true) if patched.is_some() => Ok(Step::Patch),
                Some(true) => asked
                    .answer(View { snapshot, now }, &user, out)
                    .map(Step::Done),
            }
        })?;
        match (step, patched) {
            (Step::Done(status), _) => return Ok(status),
            // Hashing takes its time, so it holds no snapshot.
            (Step::Hash(user), _) => credentials.check(pair, password, &user),
            (Step::Patch, school) => {
                let school = school.unwrap_or_default();
                return Ok(state::patch(store, username, school, request.body, out));
            }
        }
    }
}

/// Where a request has come to.
enum Step {
    Done(Status),
    /// The password has not been compared with the user's hash yet.
    Hash(Arc<User>),
    Patch,
}

/// A request that has named an endpoint, with what it says.
struct Asked<'a> {
    endpoint: Endpoint,
    username: &'a str,
    school: Option<u64>,
    params: Params<'a>,
}

/// The texts of an endpoint's errors.
fn errors_of(endpoint: Endpoint, patch: bool) -> Errors {
    match endpoint {
        Endpoint::Learners => Learners::ERRORS,
        Endpoint::AssessmentMarks => AssessmentMarks::ERRORS,
        Endpoint::SubjectsPerTerm => SubjectsPerTerm::ERRORS,
        Endpoint::SubjectMarks => SubjectMarks::ERRORS,
        Endpoint::LearnerSubjects => LearnerSubjects::ERRORS,
        Endpoint::Absentees => Absentees::ERRORS,
        Endpoint::Schools => Schools::ERRORS,
        Endpoint::Clients if patch => v1::SET_STATE,
        Endpoint::Clients => Clients::ERRORS,
    }
}

impl Asked<'_> {
    /// Refuses who may not ask (sections 5.2 and 5.3), then asks the question.
    fn answer(&self, view: View<'_>, user: &User, out: &mut Vec<u8>) -> Result<Status> {
        let school = self.school.unwrap_or(0);
        if let Some(guard) = self.endpoint.guard() {
            let parents = self.endpoint == Endpoint::Learners && self.params.includes_parents();
            let families = [Some(guard), parents.then_some(Family::Parents)];
            let families = families.into_iter().flatten();
            if let Some(refusal) = access::refuse(view, user, school, families, out)? {
                return Ok(refusal);
            }
        }
        let (username, params) = (self.username, self.params);
        match self.endpoint {
            Endpoint::Learners => match LearnersParams::read(params) {
                Ok(read) => v1::answer_question(&read.question(school), view, out),
                Err(what) => Ok(v1::bad_request(&what, out)),
            },
            Endpoint::AssessmentMarks => ask(params::assessment_marks(school, params), view, out),
            Endpoint::SubjectsPerTerm => ask(params::subjects_per_term(school, params), view, out),
            Endpoint::SubjectMarks => ask(params::subject_marks(school, params), view, out),
            Endpoint::LearnerSubjects => ask(params::learner_subjects(school, params), view, out),
            Endpoint::Absentees => ask(params::absentees(school, params), view, out),
            Endpoint::Schools => {
                let schools = Schools {
                    username,
                    school: self.school,
                };
                v1::answer_question(&schools, view, out)
            }
            Endpoint::Clients => {
                let clients = Clients {
                    username,
                    school: self.school,
                };
                v1::answer_question(&clients, view, out)
            }
        }
    }
}

fn ask<Q: Errs>(
    read: std::result::Result<Q, String>,
    view: View<'_>,
    out: &mut Vec<u8>,
) -> Result<Status> {
    match read {
        Ok(question) => v1::answer_question(&question, view, out),
        Err(what) => Ok(v1::bad_request(&what, out)),
    }
}
