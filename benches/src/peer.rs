//! What answers the asks of the comparison.

use crate::ask::{Ask, Asked as _};
use anyhow::{Result, ensure};
use rollbook::Engine;

/// A way to keep a school's data and to answer from it.
pub trait Peer<A = Ask> {
    /// What the tables call it.
    fn name(&self) -> &'static str;

    /// Fills the buffer with the exact answer, and with nothing else; leaves it
    /// empty if there is nothing to answer.
    fn answer(&mut self, ask: &A, out: &mut Vec<u8>) -> Result<()>;

    /// Leaves nothing in its own caches, as if it had just opened its data.
    fn forget(&mut self) -> Result<()>;
}

/// Asks a peer everything, and the engine too; an error tells the first ask
/// that they answer differently. How many asks were answered with something.
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
