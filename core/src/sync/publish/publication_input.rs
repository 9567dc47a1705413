//! The input of a publication.

use crate::dataset::replication::stored_fetch_log::FetchLog;
use crate::date::Date;
use crate::record::replication::fetch_log_entry::PassHead;
use crate::sync::resources::resource::Resource;
use crate::sync::resources::resource_request::ResourceRequest;

/// The part of a pass that is published.
pub(crate) struct Publication<'a> {
    pub(crate) school: u64,
    pub(crate) head: PassHead,
    /// The outcome of each request.
    pub(crate) rows: &'a FetchLog,
    /// The requests whose answers are published, in the order in which they were sent.
    pub(crate) fetched: Vec<ResourceRequest>,
    /// Whether everything of the pass is published, and not only priority requests.
    pub(crate) is_whole: bool,
    /// The instant as of which the published data is valid, in seconds since 1970-01-01T00:00:00Z.
    pub(crate) as_of: i64,
    /// The school's current year.
    pub(crate) year: u64,
    /// Whether an answer of the pass shows the current year.
    pub(crate) is_year_shown: bool,
    /// The ranges of days for which the records of each resource with days are retained: those that
    /// the pass requests, and those that the app requested in the meantime.
    pub(crate) days: Vec<(Resource, Vec<(Date, Date)>)>,
    /// The school's new offset from UTC, if it changes.
    pub(crate) utc_offset: Option<String>,
}
