//! Replaces ids by other numbers, in the same order.

use super::keyed::Keyed;
use crate::error::{Error, Result};
use std::collections::HashMap;

/// Ids of at most this many bits are spread over [`SPREAD_BITS`] bits. A pseudonym shows about how
/// large the id was, and nothing more. Larger ids move up by the difference of the two ranges.
const ID_BITS: u32 = 48;
/// The pseudonyms of such ids have at most this many bits, so that JavaScript represents them
/// exactly.
const SPREAD_BITS: u32 = 52;

/// The maximum number of cached ids. The learners of a school occur again with each assessment.
const MAX_CACHED: usize = 1 << 16;

/// A map of ids that preserves their order. It is the same for all kinds, so that an id still
/// refers to the same record, whether the record exists or not.
pub(crate) struct PseudonymIds {
    cached: HashMap<u64, u64>,
}

impl PseudonymIds {
    pub(crate) fn new() -> PseudonymIds {
        PseudonymIds {
            cached: HashMap::new(),
        }
    }

    pub(crate) fn pseudonym(&mut self, keyed: &Keyed, id: u64) -> Result<u64> {
        if id >> ID_BITS > 0 {
            let moved = id.checked_add((1 << SPREAD_BITS) - (1 << ID_BITS));
            return moved.ok_or_else(|| Error::unsupported(TOO_LARGE));
        }
        if let Some(known) = self.cached.get(&id) {
            return Ok(*known);
        }
        if self.cached.len() == MAX_CACHED {
            self.cached.clear();
        }
        let found = spread(keyed, id);
        self.cached.insert(id, found);
        Ok(found)
    }
}

const TOO_LARGE: &str = "a pseudonym for an id above 18442521949058891775; \
    give the record another id, or leave it out";

/// Computes the pseudonym of an id. The range of ids is halved until one id is left, and each half
/// gets a part of the range of pseudonyms. The key divides the pseudonyms that are not needed
/// between the halves, so that each half gets between a quarter and three quarters of them. The
/// last range contains one id, and the key chooses its pseudonym. The range of pseudonyms begins at
/// 1 instead of 0, so that each pseudonym is greater than its id.
fn spread(keyed: &Keyed, id: u64) -> u64 {
    let mut first = 1_u64;
    let mut spare = (1_u64 << SPREAD_BITS) - (1 << ID_BITS) - first;
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
    use crate::dataset::output::pseudonyms::ids::*;

    #[test]
    fn no_id_is_its_own_pseudonym() -> Result<()> {
        let largest = (1_u64 << SPREAD_BITS) - (1 << ID_BITS);
        let mut compared = 0;
        for key in 0..600_u16 {
            let keyed = Keyed::new(
                &[key.to_le_bytes(); 16]
                    .concat()
                    .try_into()
                    .unwrap_or([0; 32]),
            );
            let mut ids = PseudonymIds::new();
            let edges = [1 << 47, (1 << 48) - 1, 1 << 48, u64::MAX - largest];
            for id in (0..200).chain(edges) {
                assert_ne!(ids.pseudonym(&keyed, id)?, id, "key {key}");
                compared += 1;
            }
            assert!(ids.pseudonym(&keyed, edges[1])? < ids.pseudonym(&keyed, edges[2])?);
            assert!(ids.pseudonym(&keyed, edges[1])? < 1 << SPREAD_BITS);
        }
        assert_eq!(compared, 600 * 204);
        Ok(())
    }

    #[test]
    fn ids_remain_in_order_and_differ_by_key() -> Result<()> {
        let (one, other) = (Keyed::new(&[1; 32]), Keyed::new(&[2; 32]));
        let (mut ids, mut others) = (PseudonymIds::new(), PseudonymIds::new());
        let mut requested: Vec<u64> = (0..3000).collect();
        for bit in 11..63 {
            requested.extend([(1 << bit) - 1, 1 << bit, (1 << bit) + 1]);
        }
        requested.sort_unstable();
        requested.dedup();
        let mut last = None;
        let (mut same, mut steps) = (0, Vec::new());
        for id in requested {
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
