//! Blocks: how records are stored together, indexed and cached.

pub(crate) mod block;
pub(crate) mod block_builder;
pub(crate) mod block_index;
pub(crate) mod block_splitter;
pub(crate) mod cached_block;
pub(crate) mod collection;
pub(crate) mod item;
pub(crate) mod partition;
pub(crate) mod records;
