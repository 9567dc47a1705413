//! How fast Rollbook answers, beside what else an app could use: `SQLite`, LMDB,
//! and keeping the service's JSON.
//!
//! - `ask`: what is asked. `schools`: whose data it is asked of.
//! - `request`: asking over the API. `peer`: what answers. `ours`: the engine through its two doors.
//!   `peers`: the others.
//! - `comparison`: every question, asked of all. `floor`: what none can be below.
//!   `timing`: medians. `cold`: with caches that hold other schools.
//! - `doors`: the engine's two doors beside a copy. `pages`: pages of v2.
//!   `administration`: what of Administration+ no peer is asked.
//! - `growth`: what the engine takes as a school grows. `writes`: durable
//!   changes, and `journal` what of that goes to the journal. `concurrent`: readers beside a
//!   writer. `reading`: answers read back by a sync. `following`: devices that follow a server.
//!   `observing`: what observers cost a change.
//! - `changes`: what is changed. `child`, `process`: this program once more, and
//!   what it takes. `spread`: times of one thing.
//! - `report`: tables to read.

pub mod administration;
pub mod ask;
pub mod changes;
pub mod child;
pub mod cold;
pub mod comparison;
pub mod concurrent;
pub mod doors;
pub mod floor;
pub mod following;
pub mod growth;
pub mod journal;
pub mod observing;
pub mod ours;
pub mod pages;
pub mod peer;
#[cfg(feature = "peers")]
pub mod peers;
pub mod process;
pub mod reading;
pub mod report;
pub mod request;
pub mod schools;
pub mod spread;
pub mod timing;
pub mod writes;
