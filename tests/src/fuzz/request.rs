//! Bytes that claim to be a request.

use crate::login;
use rollbook::{Answer, Engine, Options, Request, Status};
use std::sync::OnceLock;

/// A request cut out of bytes: method, target, credentials, the school of v2 and
/// body, each ended by a line feed.
#[derive(Debug, Clone)]
pub struct Asked {
    parts: [String; 5],
    body: Vec<u8>,
}

impl Asked {
    /// Cuts the bytes; what is not UTF-8 is replaced.
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

/// Two schools with something of every kind.
const SCHOOLS: &str = include_str!("../../../core/examples/sample-school.ndjson");

/// An engine with those schools.
pub(super) fn engine() -> &'static Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| {
        let engine = Engine::memory(Options::default()).unwrap();
        engine.apply(login::quick(SCHOOLS).as_bytes()).unwrap();
        engine
    })
}

/// Sets all states to what they were, so that later requests find something.
fn undo_state_updates() {
    let states = SCHOOLS
        .lines()
        .filter(|line| line.contains("\"client_integration\""));
    let states: Vec<_> = states.collect();
    engine().apply(states.join("\n").as_bytes()).unwrap();
}

/// Asks what the bytes say.
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

/// Gets the target that the bytes say, as an integrator who may.
pub fn target(bytes: &[u8]) -> Status {
    let target = String::from_utf8_lossy(bytes);
    get(&target).status
}

/// The answer to a target, asked by an integrator who may.
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

/// An answer. It has a status of the specification and a body that is JSON.
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
