//! Requests to every endpoint of a school.

use crate::sample::{PASSWORD, USERNAME};
use crate::world::ENDPOINTS;
use rollbook::{Answer, Credentials, Engine, Request, Result};

/// 2026-05-14T12:00:00Z, a school day.
pub const NOW: i64 = 1_778_760_000;

/// Returns the credentials of the integrator of sample schools.
pub fn headers() -> [(&'static str, &'static str); 2] {
    [("HTTP-X-USERNAME", USERNAME), ("HTTP-X-PASSWORD", PASSWORD)]
}

/// Returns targets of each endpoint and each of its parameters, for a school and one of its
/// learners.
pub fn targets_of(school: u64, learner: u64) -> Vec<String> {
    let examples = ENDPOINTS
        .iter()
        .flat_map(|endpoint| endpoint.v1_examples(school, learner));
    examples.collect()
}

/// Returns the same targets for a generated school.
pub fn targets(school: u64) -> Vec<String> {
    targets_of(school, 7)
}

/// Sends a GET request as the integrator.
pub fn get(engine: &Engine, target: &str) -> Answer {
    engine.request(&Request {
        target,
        headers: &headers(),
        now: Some(NOW),
        ..Request::default()
    })
}

/// Returns the answers to all targets of a school.
pub fn answers(engine: &Engine, school: u64) -> Vec<Answer> {
    let targets = targets(school);
    targets.iter().map(|target| get(engine, target)).collect()
}

/// Returns the complete export, including credentials.
pub fn export(engine: &Engine) -> Result<String> {
    let mut text = String::new();
    for line in engine.export(Credentials::Keep)? {
        text.push_str(&line?);
        text.push('\n');
    }
    Ok(text)
}

/// Returns the code of the error, or `ok`.
pub fn code<T>(result: Result<T>) -> &'static str {
    result.map_or_else(|error| error.code(), |_| "ok")
}
