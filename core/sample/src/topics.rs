//! The random numbers of a sample school, by topic.
//!
//! Every person, mark and day has a generator of its own, whose seed is derived from a topic and an
//! index. Any record can therefore be made without the records before it, and a new field in one
//! kind of record does not change other kinds.

use crate::random::Random;

/// The golden ratio as a fraction of 2^64.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// The purpose of a generator. Two topics never share a sequence.
#[derive(Clone, Copy)]
pub(crate) enum Topic {
    School = 1,
    Siblings,
    Family,
    Parent,
    Learner,
    Group,
    Programme,
    Assessment,
    Mark,
    Absence,
    Staff,
    Conduct,
}

/// The generator of an index of a topic.
pub(crate) struct TopicRandom(Random);

impl TopicRandom {
    /// Returns the generator of an index of a topic.
    pub(crate) fn for_topic(seed: u64, topic: Topic, index: u64) -> Self {
        let first = Random::new(seed).number() ^ topic as u64;
        let topic = Random::new(first).number();
        Self(Random::new(topic ^ index))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0.number()
    }

    /// Returns a number from 0 to `limit - 1`.
    pub(crate) fn below(&mut self, limit: u32) -> u32 {
        let scaled = (self.next() >> 32) * u64::from(limit);
        u32::try_from(scaled >> 32).unwrap()
    }

    /// Returns a number from `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: u32, high: u32) -> u32 {
        low + self.below(high - low + 1)
    }

    /// Returns true with this probability.
    pub(crate) fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }

    /// Returns one of the items, all with the same probability.
    pub(crate) fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(u32::try_from(items.len()).unwrap()) as usize]
    }

    /// Returns one of the items, with a probability proportional to its weight.
    pub(crate) fn pick_weighted<'a, T>(
        &mut self,
        items: &'a [T],
        weight: impl Fn(&T) -> u32,
    ) -> &'a T {
        let mut left = self.below(items.iter().map(&weight).sum());
        for item in items {
            match left.checked_sub(weight(item)) {
                Some(rest) => left = rest,
                None => return item,
            }
        }
        unreachable!("the draw is below the sum of the weights")
    }
}

/// Returns a number from 0 to `limit - 1`. The numbers of consecutive indexes are evenly
/// distributed.
pub(crate) fn spread(index: u64, limit: u32) -> u32 {
    // Multiples of the golden ratio do not form clusters.
    let scaled = (index.wrapping_mul(STEP) >> 32) * u64::from(limit);
    u32::try_from(scaled >> 32).unwrap()
}
