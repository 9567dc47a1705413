//! Disks that record, fail or lose data, and operations on stores on such disks.
//!
//! - `disk`: bytes in memory. `recorder`, `images`, `power_cut`: the effects of a power cut.
//!   `meter`, `read_recorder`: counts and positions of reads.
//! - `faulty`: planned faults. `watchdog`: a time limit. `hooked_backend`: the backend of an app.
//! - `damage`, `tables`, `seal`: changes to a file that bypass the engine. `numbers`: the numbers
//!   in its rows. `panics`: counts of caught panics.
//! - `scenario`, `requests`: changes and questions for an engine; `small`: the same for a small store.
//! - `child`: a test in a process of its own.

pub mod child;
pub mod damage;
pub mod disk;
pub mod faulty;
pub mod hooked_backend;
pub mod images;
pub mod meter;
pub mod numbers;
pub mod panics;
pub mod power_cut;
pub mod read_recorder;
pub mod recorder;
pub mod requests;
pub mod scenario;
pub mod seal;
pub mod small;
pub mod tables;
pub mod watchdog;
