//! Ownership tokens, which determine that only the newest sync of a school may continue. An older
//! sync may still exist, because languages with garbage collection release objects late.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The number of the newest sync of each school, for all syncs of an engine.
#[derive(Clone, Default)]
pub(crate) struct OwnershipTokens {
    newest: Arc<Mutex<HashMap<u64, u64>>>,
}

/// The ownership token of one sync.
pub(crate) struct OwnershipToken {
    tokens: OwnershipTokens,
    school: u64,
    number: u64,
}

impl OwnershipTokens {
    pub(crate) fn next(&self, school: u64) -> OwnershipToken {
        let mut newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        let number = newest.entry(school).or_default();
        *number += 1;
        OwnershipToken {
            tokens: self.clone(),
            school,
            number: *number,
        }
    }
}

impl OwnershipToken {
    pub(crate) fn is_newest(&self) -> bool {
        let newest = self.tokens.newest.lock();
        let newest = newest.unwrap_or_else(PoisonError::into_inner);
        newest.get(&self.school) == Some(&self.number)
    }
}
