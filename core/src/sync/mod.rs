//! Sync: a school filled from the service. No clock, no network and no password is in
//! here: whoever drives it sends what it says, and hands in the replies.
//!
//! - `options`, `step`: what crosses. `pass`: the calls in their order. `ask`: what each
//!   asks, and what is seen by it.
//! - `read`: answers → what they told, as bytes of `told`. `gather`: merged by field.
//! - `publish`: → the store, with what was seen, in one transaction.

mod ask;
#[cfg(fuzzing)]
mod fuzzed;
mod gather;
mod options;
mod pass;
mod publish;
mod read;
mod step;
mod told;

#[cfg(fuzzing)]
pub(crate) use fuzzed::fuzz;
pub use options::SyncOptions;
pub use pass::Sync;
pub use step::{Call, GivenUp, NoReply, Reply, Step, SyncReport, Taken, Why};
