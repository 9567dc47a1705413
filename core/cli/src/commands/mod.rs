//! The subcommands that end by themselves: they fill, ask and maintain stores, and work with
//! datasets.

pub(crate) mod ask;
pub(crate) mod backup;
pub(crate) mod check;
pub(crate) mod compact;
pub(crate) mod export;
pub(crate) mod follow;
pub(crate) mod load;
pub(crate) mod sample;
pub(crate) mod stats;
pub(crate) mod sync;
pub(crate) mod verify;
