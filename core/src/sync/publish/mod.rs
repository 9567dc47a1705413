//! Publication: merges fetched records into the records of the school, in one transaction with the
//! coverage that results from them.

pub(crate) mod authority;
pub(crate) mod completeness;
pub(crate) mod coverage_update;
pub(crate) mod input;
pub(crate) mod merge;
pub(crate) mod publication;
pub(crate) mod reconcile;
pub(crate) mod rows;
pub(crate) mod shrink_guard;
