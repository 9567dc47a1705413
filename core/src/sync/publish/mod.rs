//! Publication: merges fetched records into the records of the school, in one transaction with the
//! coverage that results from them.

pub(crate) mod completeness;
mod contradictions;
pub(crate) mod merge_input;
pub(crate) mod publication;
pub(crate) mod publication_input;
pub(crate) mod published_coverage;
mod published_fetch_log;
pub(crate) mod reconcile;
pub(crate) mod record_merge;
pub(crate) mod shrink_guard;
