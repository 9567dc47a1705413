//! The engine, through each of its two doors.

use crate::ask::Ask;
use crate::peer::Peer;
use anyhow::{Result, ensure};
use rollbook::{Engine, Request};
use rollbook_tests::sample::{PASSWORD, USERNAME};

/// The engine, asked typed questions.
pub struct Typed<'a>(pub &'a Engine);

impl Peer for Typed<'_> {
    fn name(&self) -> &'static str {
        "rollbook"
    }

    #[inline]
    fn answer(&mut self, ask: &Ask, out: &mut Vec<u8>) -> Result<()> {
        ask.typed(self.0, out)?;
        Ok(())
    }

    fn forget(&mut self) -> Result<()> {
        Ok(())
    }
}

/// The engine, asked requests of the API.
pub struct Requests<'a>(pub &'a Engine);

impl Peer for Requests<'_> {
    fn name(&self) -> &'static str {
        "rollbook request"
    }

    #[inline]
    fn answer(&mut self, ask: &Ask, out: &mut Vec<u8>) -> Result<()> {
        let request = Request {
            target: &ask.target,
            headers: &[("HTTP-X-USERNAME", USERNAME), ("HTTP-X-PASSWORD", PASSWORD)],
            now: Some(ask.now),
            ..Request::default()
        };
        let status = self.0.answer(&request, out);
        match status.code {
            200 => {}
            404 => out.clear(),
            code => ensure!(false, "{}: {code}", ask.target),
        }
        Ok(())
    }

    fn forget(&mut self) -> Result<()> {
        Ok(())
    }
}
