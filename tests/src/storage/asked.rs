//! Every endpoint of a school, asked at once.

use crate::sample::{PASSWORD, USERNAME};
use crate::world::ENDPOINTS;
use rollbook::{Answer, Credentials, Engine, Request, Result};

/// 2026-05-14T12:00:00Z, a school day.
pub const NOW: i64 = 1_778_760_000;

/// The credentials of the sample schools' integrator.
pub fn headers() -> [(&'static str, &'static str); 2] {
    [("HTTP-X-USERNAME", USERNAME), ("HTTP-X-PASSWORD", PASSWORD)]
}

/// Targets of each endpoint, and of each way through it, for a school and one of its
/// learners.
pub fn targets_of(school: u64, learner: u64) -> Vec<String> {
    let examples = ENDPOINTS
        .iter()
        .flat_map(|endpoint| endpoint.v1_examples(school, learner));
    examples.collect()
}

/// The same for a generated school.
pub fn targets(school: u64) -> Vec<String> {
    targets_of(school, 7)
}

/// Asks a target as the integrator.
pub fn get(engine: &Engine, target: &str) -> Answer {
    engine.request(&Request {
        target,
        headers: &headers(),
        now: Some(NOW),
        ..Request::default()
    })
}

/// The answers to all targets of a school.
pub fn answers(engine: &Engine, school: u64) -> Vec<Answer> {
    let targets = targets(school);
    targets.iter().map(|target| get(engine, target)).collect()
}

/// The whole export, credentials included.
pub fn export(engine: &Engine) -> Result<String> {
    let mut text = String::new();
    for line in engine.export(Credentials::Keep)? {
        text.push_str(&line?);
        text.push('\n');
    }
    Ok(text)
}

/// The code of the error that something comes to, or `ok`.
pub fn code<T>(result: Result<T>) -> &'static str {
    result.map_or_else(|error| error.code(), |_| "ok")
}
