//! Replication from one store to another. A source sends the changes since a position as a feed,
//! and a follower applies them.
//!
//! - `outgoing`: a feed that is being sent. `plan`: divides a feed into segments, by means of the
//!   journal. `writer`, `sources`: turn segments into lines, in steps.
//! - `follow`: receives a feed in pieces. `take`: commits a part of a feed in one transaction.
//! - `lines`: the lines of a feed that are not records. `sums`, `compare`: check that both stores
//!   have the same records.

mod compare;
mod follow;
mod lines;
mod outgoing;
mod plan;
mod sources;
mod sums;
mod take;
mod writer;

pub use follow::Follow;
pub use outgoing::Feed;
