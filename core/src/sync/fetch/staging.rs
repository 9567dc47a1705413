//! Access to the fetch log of a sync in the store. The outcome of each request is stored as soon as
//! its reply was read, so that a restarted sync requests only the rest.

use super::fetched_answer::{FetchedAnswer, StoredContent};
use crate::clock::Offset;
use crate::dataset::replication::outbox;
use crate::dataset::replication::stored_fetch_log::{self, FetchLog};
use crate::dataset::replication::stored_notes::{self, NotesByAnswer};
use crate::error::{Error, Result};
use crate::query::SchoolFacts;
use crate::record::replication::enrolment_digest::EnrolmentDigests;
use crate::record::replication::erased_learners::ErasedLearners;
use crate::record::replication::fetch_log_entry::{FetchLogEntry, PassHead};
use crate::store::{SchoolOwner, Snapshot, Store, Write};
use crate::sync::fetched_records::{CODEC_VERSION, FetchedRecords};
use crate::sync::resources::resource::Resource;
use crate::sync::resources::resource_request::ResourceRequest;
use crate::sync::sync_options::SyncOptions;
use std::collections::BTreeSet;
use std::sync::Arc;
use twox_hash::XxHash3_64;

pub(crate) struct Staging {
    store: Arc<Store>,
    school: u64,
    options: u64,
    outbox: u64,
}

/// Values of the record of a synced school that no answer of the service states.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StoredSchool {
    /// The current administrative year.
    pub(crate) year: u64,
    pub(crate) offset: Offset,
}

/// Whether an outcome was stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StoreOutcome {
    Stored,
    /// The stored pass is no longer the one in memory, for example because a learner was erased.
    /// Its state must be loaded again.
    PassChanged,
    /// The school was removed, or is no longer synced.
    SchoolRemoved,
}

impl Staging {
    pub(crate) fn new(store: Arc<Store>, school: u64, options: &SyncOptions) -> Staging {
        let digested = (options.days_from, &options.utc_offset);
        let outbox = options
            .outbox
            .as_deref()
            .map_or(0, outbox::integrator_digest);
        let options = XxHash3_64::oneshot(format!("{digested:?}").as_bytes());
        Staging {
            store,
            school,
            options,
            outbox,
        }
    }

    pub(crate) fn read<T>(&self, mut read: impl FnMut(&Snapshot) -> Result<T>) -> Result<T> {
        self.store.read(|snapshot| read(snapshot))
    }

    pub(crate) fn write<T>(&self, write: impl FnOnce(&mut Write<'_>) -> Result<T>) -> Result<T> {
        self.store.write(write)
    }

    /// Resumes the unfinished pass if it has the same options and codec version; otherwise begins a
    /// new one. Returns the pass and the rows of all answers, including those of earlier passes.
    pub(crate) fn begin(&self, now: i64) -> Result<(PassHead, FetchLog)> {
        match self.stored_pass()? {
            Some((head, rows)) if !head.is_over && self.has_same_settings(&head) => {
                let outbox = self.outbox;
                let now = PassHead { outbox, ..head };
                if now != head {
                    self.write(|write| stored_fetch_log::set_head(write, self.school, &now))?;
                }
                Ok((now, rows))
            }
            before => {
                let before = before.map(|(head, _)| head).unwrap_or_default();
                self.write(|write| self.begin_after(write, before, now))
            }
        }
    }

    /// Returns the pass and its rows as they are stored, or `None` if they were removed.
    pub(crate) fn stored_pass(&self) -> Result<Option<(PassHead, FetchLog)>> {
        self.read(|snapshot| {
            let head = stored_fetch_log::head(snapshot, self.school)?;
            head.map(|head| Ok((head, stored_fetch_log::rows(snapshot, self.school)?)))
                .transpose()
        })
    }

    fn begin_after(
        &self,
        write: &mut Write<'_>,
        before: PassHead,
        now: i64,
    ) -> Result<(PassHead, FetchLog)> {
        check_not_followed(write.owners().get(self.school), self.school)?;
        if before.codec_version == CODEC_VERSION {
            stored_fetch_log::remove_fetched(write, self.school)?;
        } else {
            stored_fetch_log::remove_answers(write, self.school)?;
        }
        stored_fetch_log::remove_unknown(write, self.school)?;
        let head = PassHead {
            pass: before.pass + 1,
            began: now,
            is_over: false,
            is_published: false,
            codec_version: CODEC_VERSION,
            options: self.options,
            erasures: before.erasures,
            outbox: self.outbox,
        };
        stored_fetch_log::set_head(write, self.school, &head)?;
        Ok((head, stored_fetch_log::rows(write, self.school)?))
    }

    fn has_same_settings(&self, head: &PassHead) -> bool {
        (head.codec_version, head.options) == (CODEC_VERSION, self.options)
    }

    /// Returns whether the stored pass is the one in memory.
    pub(crate) fn check_pass(&self, write: &Write<'_>, head: &PassHead) -> Result<StoreOutcome> {
        Ok(match stored_fetch_log::head(write, self.school)? {
            None => StoreOutcome::SchoolRemoved,
            Some(stored) if stored == *head => StoreOutcome::Stored,
            Some(_) => StoreOutcome::PassChanged,
        })
    }

    /// Returns the unknown members of answers of the pass, as `record: member`.
    pub(crate) fn unknown(&self) -> Result<BTreeSet<String>> {
        self.read(|snapshot| stored_fetch_log::unknown(snapshot, self.school))
    }

    /// Returns the learners that were erased from the school.
    pub(crate) fn erased(&self) -> Result<ErasedLearners> {
        self.read(|snapshot| ErasedLearners::read(snapshot, self.school))
    }

    /// Returns the notes about all answers.
    pub(crate) fn notes(&self) -> Result<NotesByAnswer> {
        self.read(|snapshot| stored_notes::notes(snapshot, self.school))
    }

    /// Stores the outcome of a request in one transaction.
    pub(crate) fn store(
        &self,
        head: &PassHead,
        request: ResourceRequest,
        row: &FetchLogEntry,
        answer: &FetchedAnswer<'_>,
    ) -> Result<StoreOutcome> {
        let (school, coverage_key) = (self.school, request.coverage_key(0));
        self.write(|write| {
            let outcome = self.check_pass(write, head)?;
            if outcome != StoreOutcome::Stored {
                return Ok(outcome);
            }
            stored_fetch_log::set_due(write, school, &answer.due)?;
            stored_fetch_log::add_unknown(write, school, &answer.unknown)?;
            let erased = ErasedLearners::read_for_write(write, school)?;
            if !matches!(answer.content, StoredContent::Same) {
                stored_notes::set_notes(write, school, coverage_key, &answer.notes)?;
            }
            match &answer.content {
                StoredContent::Same => stored_fetch_log::set(write, school, coverage_key, row)?,
                StoredContent::Nothing => {
                    stored_fetch_log::put(write, school, coverage_key, row, &[])?;
                }
                StoredContent::Records(fetched) if erased.is_empty() => {
                    stored_fetch_log::put(write, school, coverage_key, row, fetched.bytes())?;
                }
                StoredContent::Records(fetched) => {
                    let fetched = fetched.without(school, &erased)?;
                    stored_fetch_log::put(write, school, coverage_key, row, fetched.bytes())?;
                }
                StoredContent::EnrolmentDigests(enrolment_digests) => {
                    let bytes = enrolment_digests.bytes_without(|learner| erased.has(learner));
                    stored_fetch_log::put(write, school, coverage_key, row, &bytes)?;
                }
            }
            Ok(StoreOutcome::Stored)
        })
    }

    /// Returns the fetched records of an answer that is not published yet.
    pub(crate) fn fetched_records(&self, request: ResourceRequest) -> Result<FetchedRecords> {
        let coverage_key = request.coverage_key(0);
        let bytes = self.read(|snapshot| {
            stored_fetch_log::fetched_records(snapshot, self.school, coverage_key)
        })?;
        Ok(FetchedRecords::from_bytes(bytes))
    }

    /// Returns the stored digests of which learner takes which subjects.
    pub(crate) fn enrolment_digests(&self) -> Result<EnrolmentDigests> {
        let request = ResourceRequest::new(Resource::LearnerSubjects);
        EnrolmentDigests::read(self.fetched_records(request)?.bytes())
    }

    /// Returns the values of the school's record, if the school is synced.
    pub(crate) fn school(&self) -> Result<Option<StoredSchool>> {
        self.read(|snapshot| {
            if snapshot.owners().get(self.school).is_app() {
                return Ok(None);
            }
            let facts = SchoolFacts::read(snapshot, self.school)?;
            let offset = facts.offset;
            Ok(facts.current_year.map(|year| StoredSchool { year, offset }))
        })
    }

    /// Marks the stored pass as finished.
    pub(crate) fn end(&self, head: &PassHead) -> Result<StoreOutcome> {
        self.write(|write| {
            let outcome = self.check_pass(write, head)?;
            if outcome == StoreOutcome::Stored {
                let is_over = true;
                stored_fetch_log::set_head(write, self.school, &PassHead { is_over, ..*head })?;
            }
            Ok(outcome)
        })
    }
}

/// Fails if a school follows another store, so that it cannot be synced.
pub(crate) fn check_not_followed(owner: SchoolOwner, school: u64) -> Result<()> {
    if owner.is_upstream() {
        return Err(Error::unsupported(&format!(
            "school {school} follows another store: sync it there, or call forget_sync first"
        )));
    }
    Ok(())
}
