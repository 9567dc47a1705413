//! How fast Rollbook answers, beside what else an app could use: SQLite, LMDB,
//! and keeping the service's JSON.
//!
//! - `ask`: what is asked. `schools`: whose data it is asked of.
//! - `peer`: what answers. `ours`: the engine through its two doors.
//!   `peers`: the others.

pub mod ask;
pub mod ours;
pub mod peer;
#[cfg(feature = "peers")]
pub mod peers;
pub mod schools;
