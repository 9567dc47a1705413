//! What else an app could use.
//!
//! - `wire`: the records of the API.

pub mod wire;
