//! Sync: a school filled from the service. No clock, no network and no password is in
//! here: whoever drives it sends what it says, and hands in the replies.
//!
//! - `options`, `step`: what crosses. `pass`: the machine, call by call, with `flight`, `pace`
//!   and `turn`; `take`: what is made of a reply. `plan`: what is asked, and when; `ask`: each
//!   question, `want`: as others write it. `staging`: what is kept of a pass in the store.
//! - `read`: answers → what they told, as bytes of `told`; `hints`, of whom something has
//!   changed. `owns`: whose word holds of a field. `domain`: which records an answer is whole
//!   over. `merge`: one record.
//! - `publish`: → the store in one transaction: `rows`, what is kept and what was told,
//!   `joined` record by record; `guard`, against losing much; `claims`, what was seen.

mod ask;
mod claims;
mod domain;
mod flight;
#[cfg(fuzzing)]
mod fuzzed;
mod guard;
mod hints;
mod joined;
mod merge;
mod options;
mod owns;
mod pace;
mod pass;
mod plan;
mod publish;
mod read;
mod rows;
#[cfg(test)]
mod splits;
mod staging;
mod step;
mod take;
mod told;
mod turn;
mod want;

#[cfg(fuzzing)]
pub(crate) use fuzzed::fuzz;
pub use options::SyncOptions;
pub use pass::Sync;
pub use step::{Call, GivenUp, NoReply, Reply, Step, SyncProgress, SyncReport, Taken, Why};
pub(crate) use turn::Turns;
