//! The steps of answering a request.

use super::access::{self, LogIn, Recalled};
use super::context::RequestContext;
use super::envelope::{finish, refuse};
use super::ids::RequestIds;
use super::message::{PASSWORD, Request, Status, USERNAME};
use super::page::{self, Paging};
use super::refusal::Refusal;
use super::route::route;
use super::state;
use crate::dataset::IdempotencyKey;
use crate::error::Result;
use crate::json::{ApiVersion, OutputBuffer};
use crate::query::{Endpoint, Family, Outcome, Params, View, authorisations, ensure_available};

/// Answers a request. Checks, in this order: route, method, school, credentials, length of the
/// body, authorisation, activation and parameters; then it answers the question. There is always an
/// answer: if the store fails, it is a 500.
pub(crate) fn answer(
    context: &RequestContext<'_>,
    request: &Request<'_>,
    out: &mut Vec<u8>,
) -> Status {
    let (path, query) = request
        .target
        .split_once('?')
        .unwrap_or((request.target, ""));
    let (version, route) = route(path);
    let Some(route) = route else {
        return refuse(version, &Refusal::Route, out);
    };
    let endpoint = route.endpoint;
    let allow = if context.is_trusted {
        "GET"
    } else {
        endpoint.allow(version, route.last.is_some())
    };
    if !allow.split(", ").any(|method| method == request.method) {
        return refuse(version, &Refusal::Method(allow), out);
    }
    let RequestIds { school, id } = match RequestIds::read(version, &route, request) {
        Ok(ids) => ids,
        Err(faults) => return refuse(version, &Refusal::Invalid(faults), out),
    };
    let admitted = RoutedRequest {
        context,
        request,
        version,
        endpoint,
        username: request.header(USERNAME).unwrap_or_default(),
        school,
        id,
        query,
    };
    let answered = admitted.answer(out);
    let answered = answered.unwrap_or_else(|error| Err(Refusal::from(&*error)));
    answered.unwrap_or_else(|refusal| refuse(version, &refusal, out))
}

/// A request with a valid endpoint, method and ids.
struct RoutedRequest<'a> {
    context: &'a RequestContext<'a>,
    request: &'a Request<'a>,
    version: ApiVersion,
    endpoint: &'static Endpoint,
    username: &'a str,
    school: Option<u64>,
    id: Option<u64>,
    query: &'a str,
}

/// The next step of answering a request.
enum Next {
    Done(Result<Status, Refusal>),
    /// The password must be hashed.
    Hash,
    /// The credentials are correct, and the request is a change.
    Write,
}

impl RoutedRequest<'_> {
    fn answer(&self, out: &mut Vec<u8>) -> Result<Result<Status, Refusal>> {
        let RequestContext {
            store,
            logins,
            freshness,
            now,
            ..
        } = *self.context;
        let username = self.username;
        let is_write = self.is_write();
        let password = self.request.header(PASSWORD).unwrap_or_default();
        let pair = logins.pair(username, password);
        freshness.ensure(store, self.school)?;
        if self.context.is_trusted {
            return store.read(|snapshot| self.ask(View::new(snapshot, now), out));
        }
        loop {
            let too_large = self.request.body.len() > Request::MAX_BODY_BYTES;
            let next =
                store.read(|snapshot| match logins.recall(&pair, username, snapshot)? {
                    Recalled::Nothing => Ok(Next::Hash),
                    Recalled::Failed => Ok(Next::Done(Err(self.wrong()))),
                    Recalled::Passed if too_large => Ok(Next::Done(Err(Refusal::TooLarge))),
                    Recalled::Passed if is_write => Ok(Next::Write),
                    Recalled::Passed => {
                        let view = View::new(snapshot, now);
                        self.ask(view, out).map(Next::Done)
                    }
                })?;
            match next {
                Next::Done(done) => return Ok(done),
                Next::Write => return Ok(self.write(out)),
                Next::Hash => match logins.log_in(pair, username, password, store)? {
                    LogIn::Right => {}
                    LogIn::Wrong => return Ok(Err(self.wrong())),
                    LogIn::Later => return Ok(Err(Refusal::TooManyLogins)),
                },
            }
        }
    }

    /// Returns the refusal for wrong credentials.
    fn wrong(&self) -> Refusal {
        Refusal::Credentials(if self.is_write() {
            state::NOT_AUTHORISED
        } else {
            self.endpoint.refused()
        })
    }

    fn is_write(&self) -> bool {
        self.request.method != "GET"
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<Status, Refusal> {
        let (context, body) = (self.context, self.request.body);
        let key = self.key();
        let key = key.as_ref();
        let school = self.school.unwrap_or(0);
        match self.version {
            ApiVersion::V1 => state::patch(context, key, self.username, school, body, out),
            ApiVersion::V2 => state::post(context, key, self.username, body, out),
        }
    }

    /// Returns the key of the change, if the request has an id.
    fn key(&self) -> Option<IdempotencyKey> {
        let Request {
            method,
            target,
            body,
            ..
        } = *self.request;
        let parts = [self.username, method, target].map(str::as_bytes);
        let mut key = IdempotencyKey::new(self.context.id?, "request", &parts);
        key.push(body);
        Some(key)
    }

    /// Checks the authorisation (sections 5.2 and 5.3), then answers the question.
    fn ask(&self, view: View<'_>, out: &mut Vec<u8>) -> Result<Result<Status, Refusal>> {
        let mut params = Params::new(self.version, self.query);
        params.username = self.username;
        params.school = self.school;
        params.id = self.id;
        let family = self.endpoint.family.filter(|_| !self.context.is_trusted);
        if let Some(family) = family {
            let parents = self.endpoint.has_parents && params.is_on("include_parents");
            let families = [Some(family), parents.then_some(Family::Parents)];
            let families = families.into_iter().flatten();
            let school = self.school.unwrap_or(0);
            let authorised = authorisations(view.snapshot, self.username, school)?;
            if let Some(refusal) = access::refused(view, &authorised, families)? {
                return Ok(Err(refusal));
            }
        }
        let outcome =
            (self.endpoint.read)(&mut params, &mut |read| match (self.version, self.id) {
                (ApiVersion::V1, _) if !read.faults.is_empty() => Ok(Outcome::Refused(read.faults)),
                (ApiVersion::V1, _) => {
                    ensure_available(read.question, view, false)?;
                    read.question.answer(view, &mut OutputBuffer::over(out))
                }
                (ApiVersion::V2, None) if !self.endpoint.is_object => {
                    let mut paging = Paging::read(self.query);
                    let limits = self.context.limits;
                    page::page(read.question, paging.page(), read.faults, limits, view, out)
                }
                (ApiVersion::V2, _) => {
                    page::one(read.question, read.faults, read.is_for_another, view, out)
                }
            })?;
        Ok(Ok(finish(self.version, self.endpoint, outcome, out)))
    }
}
