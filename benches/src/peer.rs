//! The trait of everything that answers the asks of the comparison.

use crate::ask::{Ask, Asked as _};
use anyhow::{Result, ensure};
use rollbook::Engine;

/// A way to store a school's data and to answer questions.
pub trait Peer<A = Ask> {
    /// Returns the name in the tables.
    fn name(&self) -> &'static str;

    /// Replaces the content of the buffer by the exact answer. The buffer is empty if there is
    /// nothing to answer.
    fn answer(&mut self, ask: &A, out: &mut Vec<u8>) -> Result<()>;

    /// Drops all caches, as if the data had just been opened.
    fn forget(&mut self) -> Result<()>;
}

/// Sends every ask to a peer and to the engine. Fails at the first ask for which the answers
/// differ. Returns the number of asks with a non-empty answer.
pub fn compare(peer: &mut dyn Peer, engine: &Engine, asks: &[Ask]) -> Result<usize> {
    let (mut expected, mut given) = (Vec::new(), Vec::new());
    let mut found = 0;
    for ask in asks {
        found += usize::from(ask.typed(engine, &mut expected)?);
        peer.answer(ask, &mut given)?;
        let same = expected
            .iter()
            .zip(&given)
            .take_while(|(a, b)| a == b)
            .count();
        let part = |bytes: &[u8]| {
            let from = same.saturating_sub(60);
            let part = bytes.get(from..bytes.len().min(same + 60));
            String::from_utf8_lossy(part.unwrap_or_default()).into_owned()
        };
        ensure!(
            expected == given,
            "{} on {} is answered otherwise by {}, from byte {same} on:\n{}\n{}",
            ask.target,
            ask.today,
            peer.name(),
            part(&expected),
            part(&given),
        );
    }
    Ok(found)
}
