//! redb panics on some damaged pages and on some calls after a fault: here a
//! panic becomes an error.

use crate::error::{Error, Result};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Carries out what may panic; `what` says what it was, should it do so.
pub(super) fn caught<T>(what: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    outcome(work).unwrap_or_else(|| Err(Error::corrupt(&format!("{what} failed"))))
}

/// The outcome of what may panic, unless it did.
pub(super) fn outcome<T>(work: impl FnOnce() -> T) -> Option<T> {
    // Whoever calls this drops what was worked on, or opens it anew.
    catch_unwind(AssertUnwindSafe(work)).ok()
}
