//! Stores that follow another one: what changed at the source since a position goes out
//! as a feed, and a follower takes it in.
//!
//! - `outgoing`: what is left to hand out. `plan`: what that is, from the journal.
//! - `follow`: pieces of a feed on their way in. `take`: carried out in one transaction.
//! - `lines`: the lines of a feed that are no records.

mod follow;
mod lines;
mod outgoing;
mod plan;
mod take;

pub use follow::Follow;
pub use outgoing::Feed;
