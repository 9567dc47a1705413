//! Rollbook as WebAssembly: forwards calls to the engine, and contains the storage backend for
//! browsers and Node.
//!
//! JavaScript provides what a module lacks: the time, random bytes, and the file of the store,
//! which JavaScript owns and closes. An instance of the module has one engine. When the instance
//! traps, JavaScript discards it and opens the same file with another instance.

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
