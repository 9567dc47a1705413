//! The statistics of a sync pass: the calls, the bytes and the outcomes of the replies.

use indicatif::{HumanBytes, HumanCount};
use rollbook::{FailedRequest, Finding, FindingEffect, ReplyOutcome, SyncReport};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::time::Instant;

/// The maximum number of items that are shown of each list.
const SHOWN: usize = 10;

/// The statistics of a pass, counted while it runs.
pub(crate) struct PassStatistics {
    start: Instant,
    pub(crate) calls: u64,
    pub(crate) bytes: u64,
    /// Whether the last call had no answer.
    pub(crate) is_failing: bool,
    stored: u64,
    same: u64,
    again: u64,
}

impl Default for PassStatistics {
    fn default() -> PassStatistics {
        PassStatistics {
            start: Instant::now(),
            calls: 0,
            bytes: 0,
            is_failing: false,
            stored: 0,
            same: 0,
            again: 0,
        }
    }
}

impl PassStatistics {
    pub(crate) fn count(&mut self, outcome: ReplyOutcome) {
        match outcome {
            ReplyOutcome::Stored => self.stored += 1,
            ReplyOutcome::Unchanged => self.same += 1,
            ReplyOutcome::Retry { .. } => self.again += 1,
            _ => {}
        }
    }

    /// Returns whether the pass changed nothing and has nothing else to report. Findings do not
    /// count, because each pass reports them again until the service corrects them.
    pub(crate) fn is_quiet(&self, report: &SyncReport) -> bool {
        let lists = [
            report.failed.len(),
            report.quarantined.len(),
            report.unstable.len(),
        ];
        self.stored == 0 && lists == [0; 3]
    }

    /// Describes the pass in JSON. The names are those of the report's fields.
    pub(crate) fn json(&self, school: u64, report: &SyncReport) -> Value {
        let failed = report.failed.iter().map(|failed| {
            json!({"target": failed.target, "status": failed.status, "reason": failed.reason})
        });
        let quarantined = report.quarantined.iter().map(
            |answer| json!({"target": answer.target, "lost": answer.lost, "stored": answer.stored}),
        );
        let findings = report.findings.iter().map(|finding| {
            let is_left_out = matches!(finding.effect, FindingEffect::RecordLeftOut);
            json!({
                "kind": finding.kind,
                "field": finding.field,
                "effect": if is_left_out { "record_left_out" } else { "field_empty" },
                "count": finding.count,
                "keys": finding.keys,
                "target": finding.target,
            })
        });
        json!({
            "school": school,
            "added_or_changed": self.stored,
            "unchanged": self.same,
            "calls": self.calls,
            "repeated": self.again,
            "bytes": self.bytes,
            "seconds": self.start.elapsed().as_secs_f64(),
            "failed": failed.collect::<Value>(),
            "quarantined": quarantined.collect::<Value>(),
            "findings": findings.collect::<Value>(),
            "unstable": report.unstable,
            "unknown": report.unknown,
        })
    }

    /// Describes the pass in lines of text.
    pub(crate) fn text(&self, report: &SyncReport) -> String {
        let mut text = format!(
            "{} answers added or changed, {} unchanged.\n{} calls, {} repeated after a failure; {}; {:.1?}.\n",
            HumanCount(self.stored),
            HumanCount(self.same),
            HumanCount(self.calls),
            HumanCount(self.again),
            HumanBytes(self.bytes),
            self.start.elapsed()
        );
        list(
            &mut text,
            "Not fetched; the store retains its previous data",
            report.failed.iter().map(describe_failed),
        );
        list(
            &mut text,
            "Values of the service that could not be used",
            report.findings.iter().map(describe_finding),
        );
        list(
            &mut text,
            "Quarantined, because they would remove much; `rollbook sync --approve` publishes them",
            report.quarantined.iter().map(|one| {
                let (target, lost, stored) = (&one.target, one.lost, one.stored);
                format!("{target}: {lost} of {stored} values would be removed")
            }),
        );
        list(
            &mut text,
            "Changed during the pass; the next pass fetches them again",
            report.unstable.iter().cloned(),
        );
        list(
            &mut text,
            "Members that Rollbook does not know and ignores",
            report.unknown.iter().cloned(),
        );
        text
    }
}

/// Describes a failed request: its target, the status of the last reply, and the reason.
pub(crate) fn describe_failed(failed: &FailedRequest) -> String {
    let status = match failed.status {
        Some(status) => format!("status {status}"),
        None => "no reply".to_owned(),
    };
    format!("{}: {status}: {}", failed.target, failed.reason)
}

/// Describes a finding: `learner.date_of_birth: 3 values could not be used (keys 7, 9, 12); the field
/// is empty`.
fn describe_finding(finding: &Finding) -> String {
    let (kind, count) = (&finding.kind, finding.count);
    let values = if count == 1 { "value" } else { "values" };
    let mut text = kind.clone();
    if !finding.field.is_empty() {
        let _ = write!(text, ".{}", finding.field);
    }
    let _ = write!(text, ": {} {values} could not be used", HumanCount(count));
    if let [first, others @ ..] = finding.keys.as_slice() {
        let plural = if others.is_empty() { "" } else { "s" };
        let _ = write!(text, " (key{plural} {first}");
        for key in others {
            let _ = write!(text, ", {key}");
        }
        text += if count > finding.keys.len() as u64 {
            ", …)"
        } else {
            ")"
        };
    }
    // Many answers repeat the names of these records.
    let is_repeated = matches!(
        kind.as_str(),
        "subject" | "grade" | "year" | "learning_outcome"
    );
    text += match finding.effect {
        FindingEffect::FieldEmpty if is_repeated => "; the field retains its value, if it had one",
        FindingEffect::FieldEmpty => "; the field is empty",
        FindingEffect::RecordLeftOut if count == 1 => "; the record is left out",
        FindingEffect::RecordLeftOut => "; the records are left out",
        // The enum is not exhaustive: a later version may add an effect.
        _ => "",
    };
    text
}

/// Adds a list with a title to a text, unless the list is empty.
pub(crate) fn list(text: &mut String, title: &str, items: impl ExactSizeIterator<Item = String>) {
    let count = items.len();
    if count == 0 {
        return;
    }
    let _ = writeln!(text, "{title}:");
    for item in items.take(SHOWN) {
        let _ = writeln!(text, "  {item}");
    }
    if count > SHOWN {
        let _ = writeln!(text, "  and {} more", HumanCount((count - SHOWN) as u64));
    }
}
