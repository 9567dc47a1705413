//! Sync: a school filled from the service. No clock, no network and no password is in
//! here: whoever drives it sends what it says, and hands in the replies.
//!
//! - `options`, `step`: what crosses. `pass`: a sync as its driver has it, `machine`: call by
//!   call, with `flight`, `pace` and `turn`; `take`: what is made of a reply. `plan`: what is
//!   asked, and when; `ask`: each question; `want`: what the app asks first. `staging`: what is kept
//!   of a pass in the store. `wish`: state updates on their way.
//! - `read`: answers → what they told, as bytes of `told`. `owns`: whose word holds of a field. `domain`: which records an answer is whole
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
mod joined;
mod machine;
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
mod wish;

#[cfg(fuzzing)]
pub(crate) use fuzzed::fuzz;
pub use options::SyncOptions;
pub use pass::Sync;
pub use step::{
    Call, GivenUp, NoReply, RefusedState, Reply, Step, SyncProgress, SyncReport, Taken, Why,
};
pub(crate) use turn::Turns;
