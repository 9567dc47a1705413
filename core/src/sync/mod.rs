//! Sync: a school filled from the service. No clock, no network and no password is in
//! here: whoever drives it sends what it says, and hands in the replies.
//!
//! - `options`, `step`: what crosses. `pass`: one call after the other, as `plan` has
//!   them. `ask`: what each asks, and what is seen by it. `staging`: a pass that is under way,
//!   in the store.
//! - `read`: answers → what they told, as bytes of `told`. `owns`: whose word
//!   holds of a field. `domain`: which records an answer is whole over. `merge`: one record.
//! - `publish`: → the store in one transaction: `rows`, what is kept and what was told, record
//!   by record; `guard`, against losing much; `claims`, what was seen.

mod ask;
mod claims;
mod domain;
#[cfg(fuzzing)]
mod fuzzed;
mod guard;
mod merge;
mod options;
mod owns;
mod pass;
mod plan;
mod publish;
mod read;
mod rows;
#[cfg(test)]
mod splits;
mod staging;
mod step;
mod told;

#[cfg(fuzzing)]
pub(crate) use fuzzed::fuzz;
pub use options::SyncOptions;
pub use pass::Sync;
pub use step::{Call, GivenUp, NoReply, Reply, Step, SyncReport, Taken, Why};
