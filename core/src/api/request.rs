//! A request, and its way down and back.

use super::access::{self, Credentials, LogIn, Recalled};
use super::asked;
use super::faults::Faults;
use super::ids::Ids;
use super::params::Params;
use super::questions::{Paging, Reading};
use super::refusal::{Refusal, refuse};
use super::route::{Route, route};
use super::v2::{Limits, PageFaults};
use super::{state, v1, v2};
use crate::dataset::{Change, Freshness};
use crate::error::Result;
use crate::json::Wire;
use crate::query::{Family, User, View};
use crate::record::value::integer;
use crate::store::Store;
use std::fmt;

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
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The method, in upper case.
    pub method: &'a str,
    /// Path and query string: `/api/v1/…` or `/api/v2/…`.
    pub target: &'a str,
    /// Header names, in any case, and values.
    pub headers: &'a [(&'a str, &'a str)],
    /// The body; empty for all but PATCH and POST. One of more than
    /// [`MOST_BODY_BYTES`](Self::MOST_BODY_BYTES) is refused with 413.
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

impl fmt::Debug for Request<'_> {
    /// The value of `HTTP-X-PASSWORD` is left out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Request {
            method,
            target,
            headers,
            body,
            now,
        } = self;
        let headers: Vec<_> = headers
            .iter()
            .map(|(name, value)| {
                let is_secret = name.eq_ignore_ascii_case(PASSWORD);
                (name, if is_secret { &"..." } else { value })
            })
            .collect();
        f.debug_struct("Request")
            .field("method", method)
            .field("target", target)
            .field("headers", &headers)
            .field("body", body)
            .field("now", now)
            .finish()
    }
}

const PASSWORD: &str = "HTTP-X-PASSWORD";

impl Request<'_> {
    /// How many bytes a body has at most.
    pub const MOST_BODY_BYTES: usize = 64 << 10;

    /// The value of a header; of the last, if it stands several times.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let mut named = self.headers.iter().rev();
        let found = named.find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| *value)
    }
}

/// The status of an answer, and what its headers depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
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
    pub(crate) limits: Limits,
    /// Seconds since 1970-01-01T00:00:00Z.
    pub(crate) now: i64,
    /// The id under which a change is made.
    pub(crate) id: Option<&'a str>,
}

/// Answers a request: route, method, school, credentials, the body's length,
/// authorisation, activation, parameters, and then the question, in this order. It always
/// answers: a store that fails is a 500.
pub(crate) fn answer(context: &Context<'_>, request: &Request<'_>, out: &mut Vec<u8>) -> Status {
    let (path, query) = request
        .target
        .split_once('?')
        .unwrap_or((request.target, ""));
    let (wire, route) = route(path);
    let Some(Route { endpoint, last }) = route else {
        return refuse(wire, &Refusal::Route, out);
    };
    let allow = endpoint.allow(wire, last.is_some());
    if !allow.split(", ").any(|method| method == request.method) {
        return refuse(wire, &Refusal::Method(allow), out);
    }
    let Ids { school, id } = match Ids::read(wire, endpoint, last.as_deref(), request) {
        Ok(ids) => ids,
        Err(faults) => return refuse(wire, &Refusal::Invalid(&faults), out),
    };
    let admitted = Admitted {
        context,
        request,
        asked: Reading {
            wire,
            endpoint,
            username: request.header("HTTP-X-USERNAME").unwrap_or_default(),
            school,
            id,
            params: Params(query),
        },
    };
    let answered = admitted.answer(out);
    answered.unwrap_or_else(|error| refuse(wire, &Refusal::Failed(&error.to_string()), out))
}

/// A request that has named an endpoint, a method of it and its ids.
struct Admitted<'a> {
    context: &'a Context<'a>,
    request: &'a Request<'a>,
    asked: Reading<'a>,
}

/// Where a request has come to.
enum Step {
    Done(Status),
    /// The password has not been hashed yet.
    Hash,
    /// The credentials are right, and the request is to change something.
    Write,
}

impl Admitted<'_> {
    fn answer(&self, out: &mut Vec<u8>) -> Result<Status> {
        let Context {
            store,
            credentials,
            freshness,
            now,
            ..
        } = *self.context;
        let Reading { wire, username, .. } = self.asked;
        let is_write = self.is_write();
        let password = self.request.header(PASSWORD).unwrap_or_default();
        let pair = credentials.pair(username, password);
        freshness.ensure(store, self.asked.school)?;
        loop {
            let too_large = self.request.body.len() > Request::MOST_BODY_BYTES;
            let step =
                store.read(
                    |snapshot| match credentials.recall(&pair, username, snapshot)? {
                        Recalled::Nothing => Ok(Step::Hash),
                        Recalled::Failed => Ok(Step::Done(self.wrong(out))),
                        Recalled::Passed(_) if too_large => {
                            Ok(Step::Done(refuse(wire, &Refusal::TooLarge, out)))
                        }
                        Recalled::Passed(_) if is_write => Ok(Step::Write),
                        Recalled::Passed(user) => self
                            .ask(View::new(snapshot, now), &user, out)
                            .map(Step::Done),
                    },
                )?;
            match step {
                Step::Done(status) => return Ok(status),
                Step::Write => return Ok(self.write(out)),
                Step::Hash => match credentials.log_in(pair, username, password, store)? {
                    LogIn::Right => {}
                    LogIn::Wrong => return Ok(self.wrong(out)),
                    LogIn::Later => return Ok(refuse(wire, &Refusal::Crowded, out)),
                },
            }
        }
    }

    /// Refuses wrong credentials.
    fn wrong(&self, out: &mut Vec<u8>) -> Status {
        let Reading { wire, endpoint, .. } = self.asked;
        let errors = match wire {
            Wire::V1 if self.is_write() => asked::SET_STATE,
            _ => endpoint.errors(),
        };
        refuse(wire, &Refusal::Credentials(errors), out)
    }

    fn is_write(&self) -> bool {
        self.request.method != "GET"
    }

    fn write(&self, out: &mut Vec<u8>) -> Status {
        let Reading {
            wire,
            username,
            school,
            ..
        } = self.asked;
        let (context, body) = (self.context, self.request.body);
        let change = self.change();
        let change = change.as_ref();
        match wire {
            Wire::V1 => state::patch(context, change, username, school.unwrap_or(0), body, out),
            Wire::V2 => state::post(context, change, username, body, out),
        }
    }

    /// The change, if it is made under an id.
    fn change(&self) -> Option<Change> {
        let Request {
            method,
            target,
            body,
            ..
        } = *self.request;
        let parts = [self.asked.username, method, target].map(str::as_bytes);
        let mut change = Change::new(self.context.id?, "request", &parts);
        change.push(body);
        Some(change)
    }

    /// Refuses who may not ask (sections 5.2 and 5.3), then asks the question.
    fn ask(&self, view: View<'_>, user: &User, out: &mut Vec<u8>) -> Result<Status> {
        let Reading {
            wire,
            endpoint,
            school,
            params,
            ..
        } = self.asked;
        if let Some(guard) = endpoint.guard() {
            let parents = endpoint.has_parents() && params.includes("include_parents");
            let families = [Some(guard), parents.then_some(Family::Parents)];
            let families = families.into_iter().flatten();
            let school = school.unwrap_or(0);
            if let Some(status) = access::refused(view, user, school, families, wire, out)? {
                return Ok(status);
            }
        }
        self.asked
            .read(|question, faults| match (wire, self.asked.id) {
                (Wire::V2, None) => {
                    let mut order = Faults::default();
                    let paging = Paging::read(params, &mut order);
                    let faults = PageFaults {
                        question: faults,
                        order,
                    };
                    let limits = self.context.limits;
                    v2::answer_page(question, &paging.page(), faults, limits, view, out)
                }
                (Wire::V2, Some(id)) => {
                    let named = endpoint.id().and_then(|name| integer(&params.get(name)?));
                    let for_another = endpoint.takes_id() && named.is_some_and(|named| named != id);
                    v2::answer_one(question, faults, for_another, view, out)
                }
                (Wire::V1, _) if !faults.is_empty() => {
                    Ok(refuse(wire, &Refusal::Invalid(&faults), out))
                }
                (Wire::V1, _) => v1::answer_question(question, view, out),
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_written_out_without_its_password() {
        let request = Request {
            target: "/api/v1/settings/clients",
            headers: &[
                ("HTTP-X-USERNAME", "demo"),
                ("Http-X-Password", "hunter2"),
                ("HTTP-X-PASSWORD", "hunter2"),
            ],
            ..Request::default()
        };
        let written = format!("{request:?} {request:#?}");
        assert!(written.contains("settings/clients") && written.contains("demo"));
        assert!(!written.contains("hunter2"), "{written}");
    }
}
