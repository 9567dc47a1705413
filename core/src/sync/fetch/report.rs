//! What a sync reports: its results so far, and why it stopped.

use super::pass::Pass;
use crate::dataset::replication::stored_fetch_log::{self, FetchLog};
use crate::error::Result;
use crate::record::replication::answer_notes::{Occurrences, UnusableField};
use crate::record::replication::erased_learners::ErasedLearners;
use crate::record::replication::fetch_log_entry::FetchState;
use crate::sync::resources::resource_request::{ResourceRequest, logged_requests};
use crate::sync::step::{
    FailedRequest, Finding, FindingEffect, QuarantinedAnswer, StopReason, SyncReport,
};
use std::collections::BTreeMap;

/// The results of a sync. A failed request is reported once.
#[derive(Default)]
pub(crate) struct Report {
    pub(crate) stopped: Option<StopReason>,
    /// The results, without those that the store contains and without the failed requests.
    pub(crate) results: SyncReport,
    /// The requests that failed permanently.
    pub(crate) failed: Vec<(ResourceRequest, FailedRequest)>,
}

impl Report {
    /// Adds a request that failed permanently, unless the report contains it already.
    pub(crate) fn add_failed(
        &mut self,
        request: ResourceRequest,
        school: u64,
        status: u64,
        reason: String,
    ) {
        if self.failed.iter().all(|(other, _)| *other != request) {
            let failed = FailedRequest {
                target: request.target(school),
                status: u16::try_from(status).ok().filter(|status| *status > 0),
                reason,
            };
            self.failed.push((request, failed));
        }
    }

    /// Returns the results of the sync so far.
    pub(crate) fn complete(&self, pass: &Pass) -> Result<SyncReport> {
        let erased = pass.staging.erased()?;
        // A learner may have been erased since the request failed.
        let is_erased = |request: &ResourceRequest| {
            request.learner().is_some_and(|learner| erased.has(learner))
        };
        let failed = self.failed.iter();
        let failed = failed.filter(|(request, _)| !is_erased(request));
        Ok(SyncReport {
            failed: failed.map(|(_, failed)| failed.clone()).collect(),
            quarantined: pass.quarantined()?,
            findings: findings(pass, &erased),
            unknown: pass.unknown.iter().cloned().collect(),
            refused: pass.refused()?,
            unsent: pass.unsent()?,
            ..self.results.clone()
        })
    }
}

impl Pass {
    /// Returns the quarantined answers, as they are stored.
    pub(crate) fn quarantined(&self) -> Result<Vec<QuarantinedAnswer>> {
        let rows = self
            .staging
            .read(|snapshot| stored_fetch_log::rows(snapshot, self.school))?;
        Ok(quarantined(&rows, self.school))
    }
}

/// Returns the values of all answers that could not be used, by kind and field.
fn findings(pass: &Pass, erased: &ErasedLearners) -> Vec<Finding> {
    let mut all: BTreeMap<UnusableField, (Occurrences, String)> = BTreeMap::new();
    for (request, _) in logged_requests(&pass.fetch_log) {
        let Some(notes) = pass.notes.get(&request.coverage_key(0)) else {
            continue;
        };
        // A learner may have been erased since the notes were read.
        let mut notes = notes.clone();
        notes.leave_out(|learner| erased.has(learner));
        for (field, found) in &notes.findings {
            let of_field = all.entry(field.clone());
            let first = || (Occurrences::default(), request.target(pass.school));
            of_field.or_insert_with(first).0.extend(found);
        }
    }
    let findings = all.into_iter().map(|(of, (found, target))| Finding {
        kind: of.kind.name().to_owned(),
        field: of.field.into_owned(),
        effect: if of.is_left_out {
            FindingEffect::RecordLeftOut
        } else {
            FindingEffect::FieldEmpty
        },
        count: found.count,
        keys: found.keys.iter().map(|key| key_text(key, pass)).collect(),
        target,
    });
    findings.collect()
}

/// Returns the numbers of a key as text. The record of the school itself has the key of the school.
fn key_text(key: &[u64], pass: &Pass) -> String {
    let numbers: Vec<String> = key.iter().map(u64::to_string).collect();
    if numbers.is_empty() {
        pass.school.to_string()
    } else {
        numbers.join("/")
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
