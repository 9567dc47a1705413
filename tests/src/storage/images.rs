//! The states in which a power cut can leave a disk. Each change since the last sync may be present
//! or missing, and a write may be torn.

use super::recorder::{Entry, Event};
use crate::random::Random;

/// The changes between two syncs, and the durable bytes before them.
pub struct Window {
    /// The bytes that the previous sync made durable.
    pub durable: Vec<u8>,
    /// The changes since then.
    pub pending: Vec<Event>,
    /// The number of operations that had begun when the window ended.
    pub begun: usize,
    /// The number of operations that had returned, and are therefore durable.
    pub returned: usize,
}

/// Which changes of a window are on the disk after a power cut.
#[derive(Clone, Copy, Debug)]
pub enum Cut {
    /// None of them.
    Nothing,
    /// All of them.
    Everything,
    /// All except the change with this index.
    Missing(usize),
    /// Each change with a probability of one half, from this seed.
    Some(u64),
    /// Some sectors of each write.
    Torn {
        /// The size of a sector.
        sector: usize,
        /// The seed that selects the sectors.
        seed: u64,
    },
    /// Some sectors of one write, and all other changes.
    TornAlone {
        /// The index of the write among the changes.
        at: usize,
        /// The size of a sector.
        sector: usize,
        /// The seed that selects the sectors.
        seed: u64,
    },
}

/// Splits a log at its syncs. The changes after the last sync are also a window.
pub fn windows(durable: Vec<u8>, log: &[Entry]) -> Vec<Window> {
    let mut windows = Vec::new();
    let mut now = durable;
    let mut rest = log;
    while let Some(last) = rest.last() {
        let sync = rest
            .iter()
            .position(|entry| matches!(entry.event, Event::Sync));
        let (pending, after) = rest.split_at(sync.unwrap_or(rest.len()));
        let end = sync.map_or(last, |at| &rest[at]);
        let pending: Vec<_> = pending.iter().map(|entry| entry.event.clone()).collect();
        let durable = now.clone();
        for event in &pending {
            apply(&mut now, event, |_| true, usize::MAX);
        }
        windows.push(Window {
            durable,
            pending,
            begun: end.begun,
            returned: end.returned,
        });
        rest = after.get(1..).unwrap_or_default();
    }
    windows
}

impl Window {
    /// Returns the cuts of this window: for each kind of cut with a seed, this number of seeds, and
    /// for each kind that singles out a change, at most about `most` changes, evenly spread.
    pub fn cuts(&self, seeds: u64, most: usize) -> Vec<Cut> {
        let mut cuts = vec![Cut::Nothing];
        if self.pending.is_empty() {
            return cuts;
        }
        cuts.push(Cut::Everything);
        let step = self.pending.len().div_ceil(most);
        let single = || self.pending.iter().enumerate().step_by(step);
        if self.pending.len() > 1 {
            cuts.extend(single().map(|(at, _)| Cut::Missing(at)));
            cuts.extend((0..seeds).map(Cut::Some));
        }
        for sector in [512, 4096] {
            cuts.extend((0..seeds).map(|seed| Cut::Torn { sector, seed }));
            for (at, event) in single() {
                if matches!(event, Event::Write { data, .. } if data.len() > sector) {
                    let seed = at as u64;
                    cuts.push(Cut::TornAlone { at, sector, seed });
                }
            }
        }
        cuts
    }

    /// Returns the bytes that remain after a cut.
    pub fn image(&self, cut: Cut) -> Vec<u8> {
        let mut bytes = self.durable.clone();
        let seed = match cut {
            Cut::Some(seed) | Cut::Torn { seed, .. } | Cut::TornAlone { seed, .. } => seed,
            _ => 0,
        };
        let mut random = Random::new(seed);
        for (place, event) in self.pending.iter().enumerate() {
            let torn = match cut {
                Cut::Nothing => break,
                Cut::Missing(at) if at == place => continue,
                Cut::Some(_) if random.chance(50) => continue,
                Cut::Torn { sector, .. } => Some(sector),
                Cut::TornAlone { at, sector, .. } if at == place => Some(sector),
                _ => None,
            };
            match torn {
                Some(sector) => apply(&mut bytes, event, |_| random.chance(50), sector),
                None => apply(&mut bytes, event, |_| true, usize::MAX),
            }
        }
        bytes
    }
}

/// Applies an event to the bytes, for each sector for which `comes_through` returns true. Bytes
/// beyond the end are lost, because the file never had that length.
fn apply(
    bytes: &mut Vec<u8>,
    event: &Event,
    mut comes_through: impl FnMut(u64) -> bool,
    sector: usize,
) {
    match event {
        Event::Sync => {}
        Event::SetLen(len) => bytes.resize(usize::try_from(*len).unwrap(), 0),
        Event::Write { offset, data } => {
            let mut at = usize::try_from(*offset).unwrap();
            let mut rest = &data[..];
            while !rest.is_empty() {
                let left = sector - at % sector;
                let (part, after) = rest.split_at(left.min(rest.len()));
                let end = (at + part.len()).min(bytes.len());
                if comes_through(at as u64) && at < end {
                    bytes[at..end].copy_from_slice(&part[..end - at]);
                }
                at += part.len();
                rest = after;
            }
        }
    }
}
