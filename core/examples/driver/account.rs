//! The statistics of a sync pass: the calls, the bytes and the outcomes of the replies.

use indicatif::{HumanBytes, HumanCount};
use rollbook::{ReplyOutcome, SyncReport};
use std::fmt::Write as _;
use std::time::Instant;

/// The maximum number of items that are shown of each list.
const SHOWN: usize = 10;

pub(crate) struct Account {
    start: Instant,
    pub(crate) calls: u64,
    pub(crate) bytes: u64,
    stored: u64,
    same: u64,
    again: u64,
}

impl Default for Account {
    fn default() -> Account {
        Account {
            start: Instant::now(),
            calls: 0,
            bytes: 0,
            stored: 0,
            same: 0,
            again: 0,
        }
    }
}

impl Account {
    pub(crate) fn count(&mut self, outcome: ReplyOutcome) {
        match outcome {
            ReplyOutcome::Stored => self.stored += 1,
            ReplyOutcome::Unchanged => self.same += 1,
            ReplyOutcome::Retry { .. } => self.again += 1,
            _ => {}
        }
    }

    /// Returns whether the pass changed nothing and has nothing else to report.
    // The example `sync` reports every pass.
    #[allow(dead_code)]
    pub(crate) fn is_quiet(&self, report: &SyncReport) -> bool {
        let lists = [
            report.failed.len(),
            report.quarantined.len(),
            report.unstable.len(),
        ];
        self.stored == 0 && lists == [0; 3]
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
        let failed = report.failed.iter();
        let failed = failed.map(|one| format!("{}: {}", one.target, one.reason));
        list(
            &mut text,
            "Not fetched; the store retains its previous data",
            failed,
        );
        list(
            &mut text,
            "Quarantined, because they would remove much; an app approves or rejects them",
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

fn list(text: &mut String, title: &str, items: impl ExactSizeIterator<Item = String>) {
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
