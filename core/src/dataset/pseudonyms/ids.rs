//! Ids under other numbers, in the same order.

use super::Keyed;
use crate::error::{Error, Result};
use std::collections::HashMap;

/// Ids below this many bits are spread over [`SPREAD_BITS`]: who sees one knows about how
/// large it was, and no more. Those above move up by as much as the others take.
const ID_BITS: u32 = 48;
/// Every number stays one that JavaScript holds exactly.
const SPREAD_BITS: u32 = 52;

/// How many ids are remembered: the learners of a school return with each assessment.
const REMEMBERED: usize = 1 << 16;

/// A map of ids that keeps their order. It is the same for all kinds, so that what names
/// a record goes on naming it, whether it is there or not.
pub(super) struct Ids {
    remembered: HashMap<u64, u64>,
}

impl Ids {
    pub(super) fn new() -> Ids {
        Ids {
            remembered: HashMap::new(),
        }
    }

    pub(super) fn pseudonym(&mut self, keyed: &Keyed, id: u64) -> Result<u64> {
        if id >> ID_BITS > 0 {
            let moved = id.checked_add((1 << SPREAD_BITS) - (1 << ID_BITS));
            return moved.ok_or_else(|| Error::unsupported(TOO_LARGE));
        }
        if let Some(known) = self.remembered.get(&id) {
            return Ok(*known);
        }
        if self.remembered.len() == REMEMBERED {
            self.remembered.clear();
        }
        let found = spread(keyed, id);
        self.remembered.insert(id, found);
        Ok(found)
    }
}

const TOO_LARGE: &str = "a pseudonym for an id above 18442521949058891775; \
    give the record another id, or leave it out";

/// Halves the ids and gives each half its part of the numbers, so many times that one id
/// is left, which is one of the numbers of its part. The numbers that are not needed go
/// to a half by its key, neither less than a quarter nor more than three.
fn spread(keyed: &Keyed, id: u64) -> u64 {
    let mut first = 0_u64;
    let mut spare = (1_u64 << SPREAD_BITS) - (1 << ID_BITS);
    for bit in (0..ID_BITS).rev() {
        let half = id >> bit;
        let share = keyed.number(b"ids", &[u64::from(bit), half >> 1]) % (1 << 12);
        let left = spare / 4 + ((spare / 2 * share) >> 12);
        if half & 1 == 0 {
            spare = left;
        } else {
            first += (1 << bit) + left;
            spare -= left;
        }
    }
    first + keyed.number(b"id", &[id]) % (spare + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_keep_their_order_and_differ_by_key() -> Result<()> {
        let (one, other) = (Keyed::new(&[1; 32]), Keyed::new(&[2; 32]));
        let (mut ids, mut others) = (Ids::new(), Ids::new());
        let mut asked: Vec<u64> = (0..3000).collect();
        for bit in 11..63 {
            asked.extend([(1 << bit) - 1, 1 << bit, (1 << bit) + 1]);
        }
        asked.sort_unstable();
        asked.dedup();
        let mut last = None;
        let (mut same, mut steps) = (0, Vec::new());
        for id in asked {
            let found = ids.pseudonym(&one, id)?;
            assert!(last < Some(found), "{id}");
            if id < 3000 {
                same += usize::from(found == others.pseudonym(&other, id)?);
                steps.push(found - last.unwrap_or(0));
            }
            last = Some(found);
            assert_eq!(ids.pseudonym(&one, id)?, found);
        }
        assert!(same < 30, "{same}");
        steps.sort_unstable();
        steps.dedup();
        assert!(steps.len() > 5, "{steps:?}");
        let last = (1 << SPREAD_BITS) - (1 << ID_BITS);
        assert_eq!(ids.pseudonym(&one, u64::MAX - last)?, u64::MAX);
        assert!(TOO_LARGE.contains(&(u64::MAX - last).to_string()));
        assert!(ids.pseudonym(&one, u64::MAX - last + 1).is_err());
        Ok(())
    }
}
