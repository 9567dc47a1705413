//! The subcommands that load, check and write datasets, and that maintain a store.

pub(crate) mod check;
pub(crate) mod export;
pub(crate) mod load;
pub(crate) mod sample;
