//! redb panics on some damaged pages and on some calls after a fault: here a
//! panic becomes an error.

use crate::error::{Error, Result};
use redb::Database;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Carries out what may panic; `what` says what it was, should it do so.
pub(super) fn caught<T>(what: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_panic(work).unwrap_or_else(|| Err(Error::corrupt(&format!("{what} failed"))))
}

/// What the work gives, unless it panics.
pub(crate) fn catch_panic<T>(work: impl FnOnce() -> T) -> Option<T> {
    // Whoever calls this drops what was worked on, or opens it anew.
    catch_unwind(AssertUnwindSafe(work)).ok()
}

/// Drops a database without the commit that redb makes at the end, which it leaves out
/// while a panic unwinds. On a damaged file that commit panics, and once more while that
/// unwinds, which ends the process.
#[cfg(panic = "unwind")]
pub(super) fn abandon(database: Database) {
    let _: std::thread::Result<()> = catch_unwind(AssertUnwindSafe(|| {
        let _dropped = database;
        std::panic::resume_unwind(Box::new(()))
    }));
}

/// Where nothing unwinds, a panic ends what the module answers in any case.
#[cfg(not(panic = "unwind"))]
pub(super) fn abandon(database: Database) {
    drop(database);
}
