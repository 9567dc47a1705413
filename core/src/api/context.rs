//! What requests are answered from.

use super::access::LoginCache;
use super::page::Limits;
use crate::dataset::Freshness;
use crate::store::Store;

/// What requests are answered from.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) store: &'a Store,
    pub(crate) logins: &'a LoginCache,
    pub(crate) freshness: &'a Freshness,
    pub(crate) limits: Limits,
    /// Seconds since 1970-01-01T00:00:00Z.
    pub(crate) now: i64,
    /// The id under which a change is made.
    pub(crate) id: Option<&'a str>,
}
