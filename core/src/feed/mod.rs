//! Replication from one store to another. A source sends the changes since a position as a feed,
//! and a follower applies them.
//!
//! - `outgoing_feed`: a feed that is being sent. `plan`: divides a feed into segments, by means of
//!   the journal. `writer`, `line_sources`: turn segments into lines, in steps.
//! - `receiver`: receives a feed in pieces. `feed_part`: commits a part of a feed in one
//!   transaction.
//! - `feed_lines`: the lines of a feed that are not records. `record_checksums`,
//!   `compare`: check that both stores have the same records.

mod compare;
mod feed_lines;
mod feed_part;
mod line_sources;
mod outgoing_feed;
mod plan;
mod receiver;
mod record_checksums;
mod writer;

pub use outgoing_feed::Feed;
pub use receiver::Follow;
