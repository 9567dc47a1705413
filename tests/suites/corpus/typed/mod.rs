//! Converts a request of the corpus to the corresponding typed question, if there is one, with a
//! simple parser that shares no code with the engine.

mod params;
pub(crate) mod question;
mod v2;
pub(crate) mod values;

use params::{Params, number};
use question::{Asked, RESOURCES};
use rollbook::{Answer, Engine, Page, Question, SetState};
use rollbook_tests::corpus::Request;
use std::cell::RefCell;

/// A version of the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    V1,
    V2,
}

/// Asks the typed question of a target, unless credentials, access or parameters are refused
/// before.
pub(crate) fn ask(
    engine: &Engine,
    request: &Request,
    target: &str,
    now: i64,
) -> Option<(Version, Answer)> {
    let refused = matches!(request.status, 401 | 403 | 405);
    if refused || target.contains(['%', '+', '#']) {
        return None;
    }
    let username = header(request, "HTTP-X-USERNAME")?;
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let path = path.strip_suffix('/').unwrap_or(path);
    let params = Params::parse(query);
    let asked = |school, id| Asked {
        username,
        school,
        id,
        params: &params,
    };
    if let Some(path) = path.strip_prefix("/api/v2/") {
        let answer = v2::ask(engine, request, path, asked, now)?;
        return Some((Version::V2, answer));
    }
    let path = path.strip_prefix("/api/v1/")?;
    let (path, school) = with_id(path)?;
    let answer = match request.method.as_str() {
        "GET" => {
            let asked = asked(school, None);
            Way::answer(engine, now, Shape::All, |way| of_v1(path, &asked, way))?
        }
        // The request itself changes the state; the typed question is asked only if it changes
        // nothing.
        "PATCH" => {
            let set = state(username, school?, &request.body)?;
            let unknown = request.status == 404;
            unknown.then(|| engine.set_state(&set).unwrap())?
        }
        _ => return None,
    };
    Some((Version::V1, answer))
}

/// Which records of a question are requested.
pub(crate) enum Shape<'a> {
    /// All records, as v1 answers.
    All,
    /// A page, as v2 answers.
    Page(Page<'a>),
    /// The only record, as v2 answers.
    One,
}

/// How a question is asked.
pub(crate) struct Way<'a> {
    pub(crate) shape: Shape<'a>,
    pub(crate) take: &'a dyn Fn(&dyn Question, &Shape<'_>),
}

/// Shows that a question was asked.
pub(crate) struct Handed;

impl<'a> Way<'a> {
    fn ask(&self, question: &impl Question) -> Handed {
        (self.take)(question, &self.shape);
        Handed
    }

    /// Returns the answer to the question that `hand` asks.
    fn answer(
        engine: &Engine,
        now: i64,
        shape: Shape<'a>,
        hand: impl FnOnce(&Way<'_>) -> Option<Handed>,
    ) -> Option<Answer> {
        let answer = RefCell::new(None);
        let take = |question: &dyn Question, shape: &Shape<'_>| {
            // The answer must not contain the previous content of the buffer.
            let mut body = b"before".to_vec();
            let now = Some(now);
            let status = match shape {
                Shape::All => engine.ask_into(question, now, &mut body),
                Shape::Page(page) => engine.page_into(question, page, now, &mut body),
                Shape::One => engine.find_into(question, now, &mut body),
            };
            let status = status.unwrap();
            *answer.borrow_mut() = Some(Answer { status, body });
        };
        hand(&Way { shape, take: &take })?;
        answer.into_inner()
    }
}

/// Asks the question of a target of v1.
pub(crate) fn hand(username: &str, target: &str, way: &Way<'_>) -> Option<Handed> {
    if target.contains(['%', '+', '#']) {
        return None;
    }
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let (path, school) = with_id(path.strip_prefix("/api/v1/")?)?;
    let asked = Asked {
        username,
        school,
        id: None,
        params: &Params::parse(query),
    };
    of_v1(path, &asked, way)
}

fn of_v1(path: &str, asked: &Asked<'_>, way: &Way<'_>) -> Option<Handed> {
    let found = RESOURCES.iter().find(|resource| resource.v1 == path);
    let resource = found.filter(|resource| asked.school.is_some() || !resource.of_school)?;
    (resource.ask)(asked, way)
}

/// Returns the value of a header of the request.
fn header<'a>(request: &'a Request, name: &str) -> Option<&'a str> {
    let mut headers = request.headers.iter().rev();
    let found = headers.find(|(other, _)| other.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value.as_str())
}

/// Splits a path and the id at its end, if there is one. Returns `None` if the id is too large.
fn with_id(path: &str) -> Option<(&str, Option<u64>)> {
    match path.rsplit_once('/') {
        Some((before, last)) if last.bytes().all(|byte| byte.is_ascii_digit()) => {
            Some((before, Some(number(last)?)))
        }
        _ => Some((path, None)),
    }
}

fn state<'a>(username: &'a str, school: u64, body: &str) -> Option<SetState<'a>> {
    let body: serde_json::Value = serde_json::from_str(body).ok()?;
    Some(SetState {
        username,
        school,
        api_type_id: body.get("api_type_id")?.as_u64()?,
        state: match body.get("state")?.as_u64()? {
            0 => false,
            1 => true,
            _ => return None,
        },
    })
}
