//! Answers bytes as a request.

use crate::login;
use rollbook::{Answer, Engine, Options, Request, Status};
use std::sync::OnceLock;

/// A request cut from bytes: the method, the target, the user name, the password, the school of v2
/// and the body. A line feed ends each part except the body.
#[derive(Debug, Clone)]
pub struct Asked {
    parts: [String; 5],
    body: Vec<u8>,
}

impl Asked {
    /// Cuts the bytes. Invalid UTF-8 is replaced.
    pub fn cut(bytes: &[u8]) -> Asked {
        let mut parts = bytes.splitn(6, |byte| *byte == b'\n');
        let parts: [&[u8]; 6] = std::array::from_fn(|_| parts.next().unwrap_or_default());
        let [method, target, username, password, school, body] = parts;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Asked {
            parts: [method, target, username, password, school].map(text),
            body: body.to_vec(),
        }
    }
}

/// Two schools with records of every kind.
const SCHOOLS: &str = include_str!("../../../core/examples/sample-school.ndjson");

/// Returns an engine with these schools.
pub(super) fn engine() -> &'static Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| {
        let engine = Engine::memory(Options::default()).unwrap();
        engine.apply(login::quick(SCHOOLS).as_bytes()).unwrap();
        engine
    })
}

/// Sets all states to their initial values, so that later requests find records.
fn undo_state_updates() {
    let states = SCHOOLS
        .lines()
        .filter(|line| line.contains("\"client_integration\""));
    let states: Vec<_> = states.collect();
    engine().apply(states.join("\n").as_bytes()).unwrap();
}

/// Sends the request that the bytes contain.
pub fn request(bytes: &[u8]) -> Status {
    let Asked {
        parts: [method, target, username, password, school],
        body,
    } = Asked::cut(bytes);
    let status = answer(&Request {
        method: &method,
        target: &target,
        headers: &[
            ("HTTP-X-USERNAME", &username),
            ("http-x-password", &password),
            ("HTTP-X-SCHOOLID", &school),
        ],
        body: &body,
        now: Some(NOW),
    })
    .status;
    if method != "GET" && status.code == 200 {
        undo_state_updates();
    }
    status
}

/// Sends a GET request whose target is the bytes, with valid credentials.
pub fn target(bytes: &[u8]) -> Status {
    let target = String::from_utf8_lossy(bytes);
    get(&target).status
}

/// Returns the answer to a target, requested with valid credentials.
pub(super) fn get(target: &str) -> Answer {
    answer(&Request {
        method: "GET",
        target,
        headers: &[
            ("HTTP-X-USERNAME", "demo"),
            ("HTTP-X-PASSWORD", "demo"),
            ("HTTP-X-SCHOOLID", "1000"),
        ],
        body: b"",
        now: Some(NOW),
    })
}

const NOW: i64 = 1_778_745_600;

/// Returns an answer, after checking that its status is in the specification and that its body is
/// JSON.
fn answer(request: &Request<'_>) -> Answer {
    let answer = engine().request(request);
    let status = answer.status;
    assert!(
        [200, 204, 400, 401, 403, 404, 405, 413].contains(&status.code),
        "{status:?} {}",
        answer.text()
    );
    assert_eq!(status.allow.is_some(), status.code == 405);
    serde_json::from_slice::<serde::de::IgnoredAny>(&answer.body).unwrap();
    answer
}
