//! The random choices of a world. The modules `days`, `texts`, `spelling` and `encoding` add those
//! of their values.

use std::ops::{Deref, DerefMut};

use crate::random::Random;

/// A generator of random choices, with the choices of [`Random`] and those that worlds need.
#[derive(Clone, Debug)]
pub(super) struct Dice(Random);

impl Dice {
    /// Returns the choices of a seed.
    pub(super) fn new(seed: u64) -> Self {
        Self(Random::new(seed))
    }
}

impl Deref for Dice {
    type Target = Random;

    fn deref(&self) -> &Random {
        &self.0
    }
}

impl DerefMut for Dice {
    fn deref_mut(&mut self) -> &mut Random {
        &mut self.0
    }
}
