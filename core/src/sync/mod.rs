//! Sync: a school filled from the service. No clock, no network and no password is in
//! here: whoever drives it sends what it says, and hands in the replies.
//!
//! - `pass`: the calls in their order. `asked`: what each asks, and what is seen by it.
//! - `read`: answers → fields of records. `gather`: merged by field.
//! - `publish`: → the store, with what was seen, in one transaction.

mod asked;
mod gather;
mod pass;
mod publish;
mod read;

pub use pass::{Call, Step, Sync, SyncOptions, SyncReport, Taken};
