//! The floor: one copy of the finished answer into a reused buffer.

use crate::ask::Ask;
use crate::peer::Peer;
use anyhow::Result;
use rollbook::Engine;

/// Finished answers, which no store can give out faster.
#[derive(Default)]
pub struct Floor {
    answers: Vec<Vec<u8>>,
}

impl Floor {
    /// The answers of all these asks.
    pub fn of(asks: &[Ask], engine: &Engine) -> Result<Floor> {
        let mut answers = Vec::new();
        for ask in asks {
            let mut answer = Vec::new();
            ask.typed(engine, &mut answer)?;
            answers.push(answer);
        }
        Ok(Floor { answers })
    }

    /// The bytes of an answer, in the middle.
    pub fn bytes(&self) -> usize {
        let mut sizes: Vec<usize> = self.answers.iter().map(Vec::len).collect();
        sizes.sort_unstable();
        sizes.get(sizes.len() / 2).copied().unwrap_or(0)
    }
}

impl Peer for Floor {
    fn name(&self) -> &'static str {
        "copy"
    }

    #[inline]
    fn answer(&mut self, ask: &Ask, out: &mut Vec<u8>) -> Result<()> {
        out.clear();
        out.extend_from_slice(self.answers.get(ask.number).map_or(&[], Vec::as_slice));
        Ok(())
    }

    fn forget(&mut self) -> Result<()> {
        Ok(())
    }
}
