//! Disks that record, fail, lie or wear out, and what is done on top of them.
//!
//! - `disk`: bytes in memory. `recorder`, `images`: what a power cut leaves.
//! - `scenario`, `asked`: what an engine is made to do, and what it is asked.

pub mod asked;
pub mod disk;
pub mod images;
pub mod random;
pub mod recorder;
pub mod scenario;
