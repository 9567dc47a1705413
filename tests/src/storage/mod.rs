//! Disks that record, fail, lie or wear out, and what is done on top of them.
//!
//! - `disk`: bytes in memory. `recorder`, `images`, `power_cut`: what a power
//!   cut leaves. `meter`: what is read.
//! - `faulty`: what fails. `watchdog`: what hangs. `wrapping`: an app's backend.
//! - `damage`, `tables`: what happens to a file behind the engine's back. `numbers`:
//!   those in its rows. `panics`: those that the engine catches.
//! - `scenario`, `asked`: what an engine is made to do, and what it is asked; `small`:
//!   the same of a small store.
//! - `child`: a test in a process of its own.

pub mod asked;
pub mod child;
pub mod damage;
pub mod disk;
pub mod faulty;
pub mod images;
pub mod meter;
pub mod numbers;
pub mod panics;
pub mod power_cut;
pub mod recorder;
pub mod scenario;
pub mod seal;
pub mod small;
pub mod tables;
pub mod watchdog;
pub mod watched;
pub mod wrapping;
