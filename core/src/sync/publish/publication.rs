//! Publishes fetched records as the school's records, in one transaction with the coverage that
//! results from them.

use super::publication_input::Publication;
use super::reconcile::Reconciler;
use super::shrink_guard::{EarlierLosses, Loss, Losses, Quarantine};
use super::{published_coverage, published_fetch_log};
use crate::dataset;
use crate::dataset::replication::stored_fetch_log::{self, FetchLog};
use crate::error::{Error, Result};
use crate::record::replication::fetch_log_entry::{FetchLogEntry, FetchState, PassHead};
use crate::store::Reader;
use crate::sync::fetch::machine::Machine;
use crate::sync::fetch::pass::Pass;
use crate::sync::fetch::staging::{Staging, StoreOutcome, check_not_followed};
use crate::sync::resources::resource::{Group, Resource, Selection};
use crate::sync::resources::resource_request::{ResourceRequest, logged_requests};
use std::collections::HashSet;
use std::mem;

impl Pass {
    /// Publishes the answers that are fetched and not published yet, or only those to `only`.
    /// Quarantined answers are examined again together with the others, unless they await a decision.
    /// If it fails, it can be repeated. Returns false if the stored pass has changed.
    pub(crate) fn publish(&mut self, only: Option<&[ResourceRequest]>) -> Result<bool> {
        let Some(head) = self.head else {
            return Ok(true);
        };
        let fetched = logged_requests(&self.fetch_log).filter(|(request, row)| match row.state {
            FetchState::Fetched | FetchState::Quarantined | FetchState::Approved => {
                only.is_none_or(|only| only.contains(request))
            }
            FetchState::Unfetched
            | FetchState::Published
            | FetchState::IndicationOnly
            | FetchState::Failed => false,
        });
        let mut fetched: Vec<(ResourceRequest, &FetchLogEntry)> = fetched.collect();
        let is_new = fetched
            .iter()
            .any(|(_, row)| row.state != FetchState::Quarantined);
        // An answer that was approved after its pass is valid as of that pass.
        let oldest = fetched.iter().filter(|(_, row)| {
            only.is_some() || row.state == FetchState::Approved && row.pass < head.pass
        });
        let oldest = oldest.map(|(_, row)| row.asked_at).min();
        let is_school_stored = self.stored.is_some();
        // The list of grades remains stored with its answer, and is part of every publication.
        let list = ResourceRequest::new(Resource::Grades);
        let grades = self.fetch_log.get(&list.coverage_key(0));
        let grades = grades.filter(|row| row.state == FetchState::Published);
        fetched.extend(grades.map(|row| (list, row)));
        fetched.sort_by_key(|(request, row)| (row.age(), request.coverage_key(0)));
        let days = Resource::ALL.into_iter();
        let days = days.filter(|resource| matches!(resource.spec().scope, Selection::Days(_)));
        let (year, is_year_shown) = self.year();
        let mut pass = Publication {
            school: self.school,
            head,
            rows: &self.fetch_log,
            is_whole: only.is_none(),
            as_of: oldest.unwrap_or(head.began),
            fetched: fetched.into_iter().map(|(request, _)| request).collect(),
            year,
            is_year_shown,
            days: days.map(|resource| (resource, vec![self.days()])).collect(),
            utc_offset: self.new_offset(),
        };
        let is_over =
            logged_requests(pass.rows).any(|(request, row)| pass.is_obsolete(request, row));
        let is_due = is_new || is_over || is_school_stored && pass.utc_offset.is_some();
        if !is_due
            && !self
                .staging
                .read(|snapshot| pass.extends_coverage(snapshot))?
        {
            return Ok(true);
        }
        for (resource, days) in &mut pass.days {
            let of_pass = logged_requests(pass.rows)
                .filter(|(request, row)| request.resource == *resource && row.pass == head.pass);
            days.extend(of_pass.filter_map(|(request, _)| request.days));
        }
        let Some(rows) = pass.publish(&self.staging)? else {
            return Ok(false);
        };
        self.set_rows(rows)?;
        let is_published = head.is_published || only.is_none();
        self.head = Some(PassHead {
            is_published,
            ..head
        });
        Ok(true)
    }
}

impl Machine {
    /// Publishes the answers that are fetched and not published yet, or only those to `only`.
    pub(crate) fn publish(&mut self, only: Option<&[ResourceRequest]>) -> Result<()> {
        if self.pass.publish(only)? {
            Ok(())
        } else {
            self.reload()
        }
    }
}

impl Publication<'_> {
    /// Publishes in one transaction, and returns the rows of all answers after it. Returns `None`
    /// if the stored pass is no longer this one.
    fn publish(&self, staging: &Staging) -> Result<Option<FetchLog>> {
        staging.write(|write| {
            if staging.check_pass(write, &self.head)? != StoreOutcome::Stored {
                return Ok(None);
            }
            let owner = write.owners().get(self.school);
            check_not_followed(owner, self.school)?;
            if owner.is_app() && dataset::has_records(write, self.school)? {
                return Err(Error::unsupported(
                    "syncing a school that has records: remove it first",
                ));
            }
            let mut quarantined = self.quarantined_before();
            let mut outcome = loop {
                let outcome = Reconciler::reconcile(self, write, &quarantined)?;
                let more = self.quarantine(&outcome.losses, &quarantined);
                if more.is_empty() {
                    break outcome;
                }
                quarantined.extend(more);
            };
            dataset::commit(write, mem::take(&mut outcome.stage))?;
            published_coverage::update_coverage(self, write, &quarantined, &outcome.listed)?;
            published_fetch_log::update_fetch_log(self, write, &quarantined, &outcome)?;
            let is_published = self.head.is_published || self.is_whole;
            let head = PassHead {
                is_published,
                ..self.head
            };
            stored_fetch_log::set_head(write, self.school, &head)?;
            stored_fetch_log::rows(write, self.school).map(Some)
        })
    }

    /// Returns whether unchanged answers cover what the coverage does not contain yet, for example
    /// after a new year began.
    fn extends_coverage(&self, reader: &dyn Reader) -> Result<bool> {
        let quarantined = self
            .fetched
            .iter()
            .map(|request| (*request, Loss::default()));
        published_coverage::lacks_coverage(self, reader, &quarantined.collect())
    }

    /// Returns the quarantined answers that are not examined in this publication: others than the
    /// published ones, and those that await a decision, with what they would remove.
    fn quarantined_before(&self) -> Quarantine {
        let fetched: HashSet<&ResourceRequest> = self.fetched.iter().collect();
        let quarantined = logged_requests(self.rows).filter(|(request, row)| {
            row.state.is_quarantined() && (self.awaits_decision(row) || !fetched.contains(request))
        });
        quarantined
            .map(|(request, row)| (request, Loss::new(request.id, row.lost, row.stored)))
            .collect()
    }

    /// Returns the answers to quarantine in addition to those that are quarantined already: those
    /// that would remove too much, and all answers of their groups and of the quarantined ones.
    fn quarantine(&self, losses: &Losses, quarantined: &Quarantine) -> Quarantine {
        let row = |request: ResourceRequest| self.rows.get(&request.coverage_key(0));
        let is_approved = |row: &FetchLogEntry| row.state == FetchState::Approved;
        let blocked = losses.too_much(&self.earlier_losses(), |request| {
            row(request).is_some_and(is_approved)
        });
        let fetched = self.fetched.iter().copied();
        let groups = blocked.iter().chain(quarantined.keys());
        let groups: HashSet<(Group, u64)> = groups.filter_map(|request| request.group()).collect();
        let is_blocked = |request: &ResourceRequest| {
            let group = request.group();
            blocked.contains(request) || group.is_some_and(|group| groups.contains(&group))
        };
        let more = fetched.filter(|request| !quarantined.contains_key(request));
        let more: Vec<ResourceRequest> = more.filter(is_blocked).collect();
        let largest = if more.is_empty() {
            Quarantine::new()
        } else {
            losses.largest()
        };
        let loss = |request| largest.get(request).copied().unwrap_or_default();
        more.iter()
            .map(|request| (*request, loss(request)))
            .collect()
    }

    /// Returns whether only the app or another answer of the service can release a quarantined
    /// answer. An answer of this pass that would remove nothing is released together with the
    /// answers of its group.
    fn awaits_decision(&self, row: &FetchLogEntry) -> bool {
        row.state == FetchState::Quarantined && (row.pass < self.head.pass || row.lost > 0)
    }

    /// Returns what the answers that were published earlier in this pass have removed, even if they
    /// were received again since, and what those that await a decision would remove.
    fn earlier_losses(&self) -> EarlierLosses {
        let fetched: HashSet<&ResourceRequest> = self.fetched.iter().collect();
        let mut losses = EarlierLosses::default();
        let earlier = logged_requests(self.rows).filter(|(_, row)| {
            let is_counted = !row.state.is_quarantined() || self.awaits_decision(row);
            is_counted && row.pass == self.head.pass
        });
        for (request, row) in earlier {
            // The rest of what was stored is counted again.
            let is_again = !row.state.is_quarantined() && fetched.contains(&request);
            let stored = if is_again { row.lost } else { row.stored };
            let loss = Loss::new(request.id, row.lost, stored);
            losses.add(request, loss, is_again);
        }
        losses
    }
}
