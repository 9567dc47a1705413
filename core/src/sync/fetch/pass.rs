//! The state of a sync pass in memory: one refresh of a school. It is loaded from the store, so that
//! an interrupted pass resumes, and changes are written to the store first.

use super::fetched_answer::{FetchedAnswer, StoredContent};
use super::in_flight::InFlight;
use super::staging::{Staging, StoreOutcome, StoredSchool};
use crate::clock::Offset;
use crate::dataset::replication::stored_fetch_log::FetchLog;
use crate::dataset::replication::stored_notes::NotesByAnswer;
use crate::date::Date;
use crate::error::Result;
use crate::record::replication::coverage_key::CoverageKey;
use crate::record::replication::fetch_log_entry::{Due, FetchLogEntry, FetchState, PassHead};
use crate::sync::resources::resource::Group;
use crate::sync::resources::resource_request::{ResourceRequest, logged_requests};
use crate::sync::sync_options::SyncOptions;
use std::collections::{BTreeSet, HashSet};

/// The state of a pass. `head`, `fetch_log`, `notes`, `unknown` and `stored` are the same as in the
/// store, and the other fields are derived from them or from the options.
pub(crate) struct Pass {
    pub(crate) staging: Staging,
    pub(crate) school: u64,
    pub(crate) options: SyncOptions,
    /// The school's offset from UTC according to the options.
    offset: Option<Offset>,
    /// The head of the pass, once it has begun.
    pub(crate) head: Option<PassHead>,
    /// The outcome of each request of this pass or of an earlier one.
    pub(crate) fetch_log: FetchLog,
    /// The notes about the answers.
    pub(crate) notes: NotesByAnswer,
    /// Unknown members of answers, as `record: member`.
    pub(crate) unknown: BTreeSet<String>,
    /// The values of the school's stored record, once the school is published.
    pub(crate) stored: Option<StoredSchool>,
    /// The groups that have answers that are not published yet.
    pub(crate) groups: HashSet<(Group, u64)>,
    /// The school's current year, as answers of this pass show it.
    pub(crate) year: Option<u64>,
    /// The answers that seldom change but are requested again in this pass.
    pub(crate) rotated: BTreeSet<CoverageKey>,
    /// How many answers this pass has received.
    received: u64,
    /// The paths that the service does not permit in this pass.
    pub(crate) forbidden: HashSet<&'static str>,
}

impl Pass {
    pub(crate) fn new(staging: Staging, school: u64, options: SyncOptions) -> Result<Pass> {
        Ok(Pass {
            staging,
            school,
            offset: options.offset()?,
            options,
            head: None,
            fetch_log: FetchLog::new(),
            notes: NotesByAnswer::new(),
            unknown: BTreeSet::new(),
            stored: None,
            groups: HashSet::new(),
            year: None,
            rotated: BTreeSet::new(),
            received: 0,
            forbidden: HashSet::new(),
        })
    }

    /// Replaces the state by a pass that was read from the store, except `year` and `rotated`, which
    /// [`Machine::reset_to`](super::machine::Machine::reset_to) derives from it. If this fails, the
    /// pass counts as not begun.
    pub(crate) fn reset_to(&mut self, head: PassHead, rows: FetchLog) -> Result<()> {
        self.head = None;
        self.set_rows(rows)?;
        self.head = Some(head);
        let received = self.fetch_log.values().filter(|row| row.pass == head.pass);
        let positions = received.map(|row| row.position + 1);
        self.received = positions.max().unwrap_or(0);
        self.forbidden.clear();
        Ok(())
    }

    /// Replaces the rows by those that were read from the store.
    pub(crate) fn set_rows(&mut self, rows: FetchLog) -> Result<()> {
        self.fetch_log = rows;
        self.notes = self.staging.notes()?;
        let fetched =
            logged_requests(&self.fetch_log).filter(|(_, row)| row.state == FetchState::Fetched);
        self.groups = fetched.filter_map(|(request, _)| request.group()).collect();
        self.stored = self.staging.school()?;
        Ok(())
    }

    /// Returns the school's offset from UTC.
    pub(crate) fn offset(&self) -> Offset {
        let stored = self.stored.map(|stored| stored.offset);
        self.offset.or(stored).unwrap_or(Offset::DEFAULT)
    }

    /// Returns the offset from UTC in the options, if it differs from the stored one.
    pub(crate) fn new_offset(&self) -> Option<String> {
        let stored = self.stored.map(|stored| stored.offset);
        let is_stored = self.offset.is_none() || self.offset == stored;
        self.options.utc_offset.clone().filter(|_| !is_stored)
    }

    /// Returns the number of the pass.
    pub(crate) fn number(&self) -> u64 {
        self.head.map_or(0, |head| head.pass)
    }

    /// Returns how many times this pass has received the answer.
    pub(crate) fn times(&self, request: ResourceRequest) -> u64 {
        let row = self.fetch_log.get(&request.coverage_key(0));
        let row = row.filter(|row| row.pass == self.number());
        row.map_or(0, |row| row.times)
    }

    /// Returns the row of an answer of this pass, unless the request failed.
    pub(crate) fn answer(&self, request: ResourceRequest) -> Option<&FetchLogEntry> {
        let row = self.fetch_log.get(&request.coverage_key(0));
        row.filter(|row| row.pass == self.number() && row.state != FetchState::Failed)
    }

    /// Returns the date at the school when the pass began.
    pub(crate) fn today(&self) -> Date {
        let began = self.head.map_or(0, |head| head.began);
        self.offset().today(began)
    }

    /// Marks the pass as finished. Returns false if the stored pass has changed.
    pub(crate) fn end(&mut self) -> Result<bool> {
        let Some(head) = self.head.filter(|head| !head.is_over) else {
            return Ok(true);
        };
        let is_stored = self.staging.end(&head)? == StoreOutcome::Stored;
        if is_stored {
            let is_over = true;
            self.head = Some(PassHead { is_over, ..head });
        }
        Ok(is_stored)
    }

    /// Stores the outcome of a request. Returns false if nothing was stored because the stored pass
    /// has changed.
    pub(crate) fn store(
        &mut self,
        in_flight: InFlight<ResourceRequest>,
        now: i64,
        mut answer: FetchedAnswer<'_>,
    ) -> Result<bool> {
        let (request, Some(head)) = (in_flight.item, self.head) else {
            return Ok(false);
        };
        if !answer.notes.findings.is_empty() {
            let erased = self.staging.erased()?;
            answer.notes.leave_out(|learner| erased.has(learner));
        }
        // A quarantined answer remains so, and an approved one approved, if the service repeats it and
        // its records are stored again.
        let repeated = self.quarantined_row(request, answer.digest);
        let repeated = repeated.filter(|_| answer.state == FetchState::Fetched);
        // What the answer has removed in this pass counts, even if it is received again.
        let earlier = self.fetch_log.get(&request.coverage_key(0));
        let earlier = earlier.filter(|row| row.pass == head.pass && !row.state.is_quarantined());
        let counted = repeated.or(earlier.copied());
        let row = FetchLogEntry {
            state: repeated.map_or(answer.state, |row| row.state),
            pass: head.pass,
            times: self.times(request) + 1,
            position: self.received,
            asked_at: now,
            year: answer.year,
            to: request.to(),
            without_parents: request.without_parents,
            is_changed: answer.is_changed,
            due: Due::No,
            status: u64::from(answer.status),
            attempts: in_flight.attempts,
            records: answer.records,
            lost: counted.map_or(0, |row| row.lost),
            stored: counted.map_or(0, |row| row.stored),
            digest: answer.digest,
        };
        let outcome = self.staging.store(&head, request, &row, &answer)?;
        if outcome != StoreOutcome::Stored {
            return Ok(false);
        }
        self.received += 1;
        self.unknown.extend(answer.unknown.iter().cloned());
        for coverage_key in &answer.due {
            let row = self.fetch_log.entry(*coverage_key);
            row.or_insert(FetchLogEntry::UNFETCHED).due = Due::Changed;
        }
        self.fetch_log.insert(request.coverage_key(0), row);
        if !matches!(answer.content, StoredContent::Same) {
            self.notes.insert(request.coverage_key(0), answer.notes);
        }
        if row.state == FetchState::Fetched {
            self.groups.extend(request.group());
        }
        Ok(true)
    }

    /// Returns the row of the same answer to the same request, if it is quarantined.
    fn quarantined_row(&self, request: ResourceRequest, digest: [u64; 2]) -> Option<FetchLogEntry> {
        let row = self.fetch_log.get(&request.coverage_key(0));
        let row = row.filter(|row| row.state.is_quarantined() && row.digest == digest);
        let is_same = |row: &&FetchLogEntry| {
            (row.to, row.without_parents) == (request.to(), request.without_parents)
        };
        row.filter(is_same).copied()
    }

    pub(crate) fn has_group_changes(&self, request: ResourceRequest) -> bool {
        request
            .group()
            .is_some_and(|group| self.groups.contains(&group))
    }
}
