//! The guard against shrinking: an answer that would take away much of what it is whole
//! over is held until it is confirmed. A service that is half up answers short lists.

use super::ask::Ask;
use super::merge::Said;
use std::collections::HashMap;

/// So many records may always go.
const FEW: u64 = 20;
/// One in so many may go.
const SHARE: u64 = 5;

/// What answers would take away.
#[derive(Default)]
pub(super) struct Losses {
    units: HashMap<Ask, Loss>,
}

#[derive(Default)]
struct Loss {
    /// Records that are kept, of those that it is whole over.
    kept: u64,
    /// Of these, those that go.
    lost: u64,
}

impl Losses {
    /// Counts a record that was there, and that answers tell or are whole over: what each
    /// does not tell it loses, unless another `has` it all the same.
    pub(super) fn count(&mut self, said: &[Said<'_>], has: impl Fn(Ask) -> bool) {
        for said in said {
            let loss = self.units.entry(said.ask).or_default();
            loss.kept += 1;
            loss.lost += u64::from(said.told.is_none() && !has(said.ask));
        }
    }

    /// The answers that would take away too much.
    pub(super) fn too_much(&self, confirmed: &[Ask]) -> Vec<Ask> {
        let units = self.units.iter();
        let too_much = units.filter(|(_, Loss { kept, lost })| *lost > FEW && lost * SHARE > *kept);
        let asks = too_much.map(|(ask, _)| *ask);
        asks.filter(|ask| !confirmed.contains(ask)).collect()
    }
}
