//! The outcome of a request, and what is stored with it.

use crate::record::replication::answer_notes::AnswerNotes;
use crate::record::replication::coverage_key::CoverageKey;
use crate::record::replication::enrolment_digest::EnrolmentDigests;
use crate::record::replication::fetch_log_entry::FetchState;
use crate::sync::fetched_records::FetchedRecords;

/// The outcome of a request, as the fetch log records it.
pub(crate) struct FetchedAnswer<'a> {
    pub(crate) state: FetchState,
    pub(crate) status: u16,
    pub(crate) year: Option<u64>,
    pub(crate) records: u64,
    pub(crate) is_changed: bool,
    pub(crate) digest: [u64; 2],
    pub(crate) content: StoredContent<'a>,
    /// The answers to request again.
    pub(crate) due: Vec<CoverageKey>,
    /// The unknown members that this answer is the first to show.
    pub(crate) unknown: Vec<String>,
    /// The notes about the answer. Those of an unchanged answer remain.
    pub(crate) notes: AnswerNotes,
}

/// What is stored for an answer in addition to its row in the fetch log.
pub(crate) enum StoredContent<'a> {
    /// Nothing is stored, and earlier content is removed.
    Nothing,
    /// The stored content is unchanged.
    Same,
    Records(&'a FetchedRecords),
    EnrolmentDigests(&'a EnrolmentDigests),
}

impl Default for FetchedAnswer<'_> {
    fn default() -> Self {
        FetchedAnswer {
            state: FetchState::Fetched,
            status: 200,
            year: None,
            records: 0,
            is_changed: false,
            digest: [0; 2],
            content: StoredContent::Nothing,
            due: Vec::new(),
            unknown: Vec::new(),
            notes: AnswerNotes::default(),
        }
    }
}
