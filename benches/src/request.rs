//! Requests of the API, and their answers.

use anyhow::{Result, bail};
use rollbook::{Engine, Request};
use rollbook_tests::sample::{PASSWORD, USERNAME};

/// The headers that identify the integrator.
pub const LOGIN: [(&str, &str); 2] = [("HTTP-X-USERNAME", USERNAME), ("HTTP-X-PASSWORD", PASSWORD)];

/// Fills the buffer with the answer to a request. It stays empty if nothing is found.
#[inline]
pub fn answer(
    engine: &Engine,
    target: &str,
    headers: &[(&str, &str)],
    now: i64,
    out: &mut Vec<u8>,
) -> Result<()> {
    let request = Request {
        target,
        headers,
        now: Some(now),
        ..Request::default()
    };
    match engine.answer(&request, out).code {
        200 => {}
        404 => out.clear(),
        code => bail!("{target}: {code}"),
    }
    Ok(())
}

/// Returns v1's answer to a path, which is empty if nothing is found.
pub fn fetch(engine: &Engine, path: &str, now: i64) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    answer(engine, &format!("/api/v1/{path}"), &LOGIN, now, &mut out)?;
    Ok(out)
}
