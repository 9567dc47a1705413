//! redb panics on some damaged pages, and on some calls after a fault. This module converts such a
//! panic to an error.

use crate::error::{Error, Result};
use redb::Database;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs code that may panic. If it does, the error says that `what` failed.
pub(crate) fn caught<T>(what: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_panic(work).unwrap_or_else(|| Err(Error::corrupt(&format!("{what} failed"))))
}

/// Returns the result of `work`, or `None` if it panics.
pub(crate) fn catch_panic<T>(work: impl FnOnce() -> T) -> Option<T> {
    // Callers drop or reopen the objects that `work` has used.
    catch_unwind(AssertUnwindSafe(work)).ok()
}

/// Drops a database without the commit that redb makes when it is closed. redb omits this commit
/// during a panic. On a damaged file, the commit panics, and again while the panic unwinds, which
/// ends the process.
#[cfg(panic = "unwind")]
pub(crate) fn abandon(database: Database) {
    let _: std::thread::Result<()> = catch_unwind(AssertUnwindSafe(|| {
        let _dropped = database;
        std::panic::resume_unwind(Box::new(()))
    }));
}

/// Drops the database normally. On a platform without unwinding, any panic ends the module.
#[cfg(not(panic = "unwind"))]
pub(crate) fn abandon(database: Database) {
    drop(database);
}
