//! Which sync of a school is the one that goes on: the newest. Languages that collect
//! garbage let go of an older one late.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The syncs that an engine has started.
#[derive(Clone, Default)]
pub(crate) struct Turns {
    newest: Arc<Mutex<HashMap<u64, u64>>>,
}

/// One of them.
pub(super) struct Turn {
    turns: Turns,
    school: u64,
    number: u64,
}

impl Turns {
    pub(super) fn next(&self, school: u64) -> Turn {
        let mut newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        let number = newest.entry(school).or_default();
        *number += 1;
        Turn {
            turns: self.clone(),
            school,
            number: *number,
        }
    }
}

impl Turn {
    pub(super) fn is_newest(&self) -> bool {
        let newest = self.turns.newest.lock();
        let newest = newest.unwrap_or_else(PoisonError::into_inner);
        newest.get(&self.school) == Some(&self.number)
    }
}
