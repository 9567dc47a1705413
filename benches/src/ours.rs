//! The engine, through each of its two doors.

use crate::peer::{Asked, Peer};
use anyhow::{Result, bail};
use rollbook::{Engine, Request};
use rollbook_tests::sample::{PASSWORD, USERNAME};

/// The engine, asked typed questions.
pub struct Typed<'a>(pub &'a Engine);

impl<A: Asked> Peer<A> for Typed<'_> {
    fn name(&self) -> &'static str {
        "rollbook"
    }

    #[inline]
    fn answer(&mut self, ask: &A, out: &mut Vec<u8>) -> Result<()> {
        ask.typed(self.0, out).map(drop)
    }

    fn forget(&mut self) -> Result<()> {
        forget(self.0)
    }
}

/// The engine, asked requests of the API.
pub struct Requests<'a>(pub &'a Engine);

impl<A: Asked> Peer<A> for Requests<'_> {
    fn name(&self) -> &'static str {
        "rollbook request"
    }

    #[inline]
    fn answer(&mut self, ask: &A, out: &mut Vec<u8>) -> Result<()> {
        ask.request(self.0, out)
    }

    fn forget(&mut self) -> Result<()> {
        forget(self.0)
    }
}

/// Opens the store anew.
fn forget(engine: &Engine) -> Result<()> {
    engine.suspend()?;
    Ok(engine.resume()?)
}

/// What a request has to say who asks.
pub const LOGIN: [(&str, &str); 2] = [("HTTP-X-USERNAME", USERNAME), ("HTTP-X-PASSWORD", PASSWORD)];

/// Fills the buffer with the answer of a request; leaves it empty if nothing is
/// found.
#[inline]
pub fn request(
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

/// The answer of v1 to a path; empty if nothing is found.
pub fn fetch(engine: &Engine, path: &str, now: i64) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    request(engine, &format!("/api/v1/{path}"), &LOGIN, now, &mut out)?;
    Ok(out)
}
