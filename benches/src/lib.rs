//! Compares the speed of Rollbook with that of alternatives for an app: `SQLite`, LMDB, and a cache
//! of the service's JSON.
//!
//! - `ask`: the questions. `schools`: the schools. `request`: requests of the API. `peer`: the
//!   trait of everything that is compared. `ours`: the engine through its two interfaces. `peers`:
//!   the alternatives.
//! - `comparison`: every question on all peers. `copy_baseline`: the lower bound. `timing`: medians.
//!   `cold`: empty caches.
//! - `interfaces`: the engine's two interfaces compared with a copy. `pages`: pages of v2.
//!   `administration`: questions of Administration+ that the peers do not answer.
//! - `growth`: time and space by the size of a school. `writes`: durable changes; `journal`: the
//!   part of the journal in them. `concurrent`: readers beside a writer. `reading`: answers that a
//!   sync reads. `following`: devices that follow a server. `observing`: the cost of observers for
//!   a change.
//! - `changes`: the changes. `child`, `process`: child processes and their memory. `spread`:
//!   repeated measurements.
//! - `report`: the tables.

pub mod administration;
pub mod ask;
pub mod changes;
pub mod child;
pub mod cold;
pub mod comparison;
pub mod concurrent;
pub mod copy_baseline;
pub mod following;
pub mod growth;
pub mod interfaces;
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
