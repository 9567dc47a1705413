//! The engine, through each of its two interfaces.

use crate::ask::Asked;
use crate::peer::Peer;
use anyhow::Result;
use rollbook::Engine;

/// The engine, asked with typed questions.
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

/// The engine, asked with requests of the API.
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

/// Opens the store again, with empty caches.
fn forget(engine: &Engine) -> Result<()> {
    engine.suspend()?;
    Ok(engine.resume()?)
}
