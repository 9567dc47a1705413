//! Disks that record, fail, lie or wear out, and what is done on top of them.
//!
//! - `disk`: bytes in memory. `recorder`, `images`, `power_cut`: what a power
//!   cut leaves. `meter`: what is read.
//! - `faulty`: what fails. `watchdog`: what hangs.
//! - `scenario`, `asked`: what an engine is made to do, and what it is asked.

pub mod asked;
pub mod child;
pub mod damage;
pub mod disk;
pub mod faulty;
pub mod images;
pub mod meter;
pub mod panics;
pub mod power_cut;
pub mod random;
pub mod recorder;
pub mod scenario;
pub mod tables;
pub mod watchdog;
pub mod wrapping;
