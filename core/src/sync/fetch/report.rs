//! What a sync reports: its results so far, and why it stopped.

use super::pass::Pass;
use crate::dataset::replication::stored_fetch_log::FetchLog;
use crate::error::Result;
use crate::record::replication::fetch_log_entry::FetchState;
use crate::sync::plan::resource_request::logged_requests;
use crate::sync::step::{FailedRequest, QuarantinedAnswer, StopReason, SyncReport};

/// The results of a sync. A failed request is reported once.
#[derive(Default)]
pub(crate) struct Report {
    pub(crate) stopped: Option<StopReason>,
    /// The results, without those that the store contains.
    pub(crate) results: SyncReport,
}

impl Report {
    /// Adds a request that failed permanently, unless the report contains it already.
    pub(crate) fn add_failed(&mut self, target: String, reason: &str) {
        let failed = &mut self.results.failed;
        if failed.iter().all(|other| other.target != target) {
            let reason = reason.to_owned();
            failed.push(FailedRequest { target, reason });
        }
    }

    /// Returns the results of the sync so far.
    pub(crate) fn complete(&self, pass: &Pass) -> Result<SyncReport> {
        Ok(SyncReport {
            quarantined: quarantined(&pass.fetch_log, pass.school),
            unknown: pass.unknown.iter().cloned().collect(),
            unsent: pass.unsent()?,
            ..self.results.clone()
        })
    }
}

/// Returns the quarantined answers among these rows.
pub(crate) fn quarantined(rows: &FetchLog, school: u64) -> Vec<QuarantinedAnswer> {
    let rows = logged_requests(rows).filter(|(_, row)| row.state == FetchState::Quarantined);
    rows.map(|(request, row)| QuarantinedAnswer {
        target: request.target(school),
        lost: row.lost,
        stored: row.stored,
    })
    .collect()
}
