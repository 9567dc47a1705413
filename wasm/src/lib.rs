//! Rollbook as WebAssembly: forwarding to the engine, and the storage backend
//! of browsers and Node.
//!
//! JavaScript gives what a module has not of itself: the time, random bytes, and
//! the file that the store lies in, which it owns and closes. An
//! instance of the module holds one engine; when it traps, JavaScript drops it
//! and opens the same file with another one.

#![cfg_attr(module, feature(optimize_attribute))]

mod answer;
mod engine;
mod error;
mod export;
mod file;
mod follow;
mod host;
mod load;
mod question;
mod report;
mod sync;
