//! The engine, through each of its two doors.

use crate::ask::Ask;
use crate::peer::Peer;
use anyhow::{Result, ensure};
use rollbook::{Engine, Request};
use rollbook_tests::sample::{PASSWORD, USERNAME};

/// The engine, asked typed questions.
pub struct Typed<'a> {
    engine: &'a Engine,
    /// What fills its cache with other things.
    elsewhere: &'a [Ask],
}

impl<'a> Typed<'a> {
    /// The engine; `elsewhere` is asked for it to forget what its cache holds.
    pub fn new(engine: &'a Engine, elsewhere: &'a [Ask]) -> Typed<'a> {
        Typed { engine, elsewhere }
    }
}

impl Peer for Typed<'_> {
    fn name(&self) -> &'static str {
        "rollbook"
    }

    #[inline]
    fn answer(&mut self, ask: &Ask, out: &mut Vec<u8>) -> Result<()> {
        ask.typed(self.engine, out)?;
        Ok(())
    }

    fn forget(&mut self) -> Result<()> {
        walk(self.engine, self.elsewhere)
    }
}

/// Asks all of these, so that the cache holds nothing else.
fn walk(engine: &Engine, elsewhere: &[Ask]) -> Result<()> {
    let mut answer = Vec::new();
    for ask in elsewhere {
        ask.typed(engine, &mut answer)?;
    }
    Ok(())
}

/// The engine, asked requests of the API.
pub struct Requests<'a> {
    engine: &'a Engine,
    elsewhere: &'a [Ask],
}

impl<'a> Requests<'a> {
    /// As [`Typed::new`].
    pub fn new(engine: &'a Engine, elsewhere: &'a [Ask]) -> Requests<'a> {
        Requests { engine, elsewhere }
    }
}

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
        let status = self.engine.answer(&request, out);
        match status.code {
            200 => {}
            404 => out.clear(),
            code => ensure!(false, "{}: {code}", ask.target),
        }
        Ok(())
    }

    fn forget(&mut self) -> Result<()> {
        walk(self.engine, self.elsewhere)
    }
}
