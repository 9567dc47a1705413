//! The parts of the engine that answering a request uses.

use super::access::LoginCache;
use super::page::Limits;
use crate::dataset::Freshness;
use crate::store::Store;

/// The parts of the engine that answering a request uses.
#[derive(Clone, Copy)]
pub(crate) struct RequestContext<'a> {
    pub(crate) store: &'a Store,
    pub(crate) logins: &'a LoginCache,
    pub(crate) freshness: &'a Freshness,
    pub(crate) limits: Limits,
    /// The current instant, in seconds since 1970-01-01T00:00:00Z.
    pub(crate) now: i64,
    /// The id under which the request makes its change, if the caller has given one.
    pub(crate) id: Option<&'a str>,
    /// Whether a trusted app sends the request, so that its access is not checked.
    pub(crate) is_trusted: bool,
}
