//! Plans the requests of a pass, phase by phase. Each phase depends on the answers of the one
//! before.

use crate::error::Result;
use crate::record::replication::fetch_log_entry::FetchState;
use crate::sync::fetch::machine::Machine;
use crate::sync::fetch::pass::Pass;
use crate::sync::resources::phase::Phase;
use crate::sync::resources::resource::{Frequency, Resource, Selection};
use crate::sync::resources::resource_request::{ResourceRequest, logged_requests};
use crate::sync::step::StopReason;

/// The maximum number of further rounds that request answers which changed in the round before.
const MAX_REVALIDATIONS: u8 = 2;

impl Machine {
    /// Plans the next phase, and publishes at the end of some phases.
    pub(crate) fn advance(&mut self) -> Result<()> {
        let phase = self.phase;
        let publishes = matches!(
            phase,
            Phase::Rest | Phase::Follow | Phase::Revalidate(_) | Phase::Approved
        );
        if publishes {
            // Other answers of their groups have changed, so these must be read again.
            let others = self.pass.stored_in_groups(&self.pass.groups);
            self.calls.queue.extend(others);
            if !self.calls.queue.is_empty() {
                return Ok(());
            }
            self.publish(None)?;
            // Another writer has changed the stored pass, which starts again.
            if self.phase != phase {
                return Ok(());
            }
        }
        let (phase, planned) = match phase {
            Phase::Start => (Phase::Lists, self.pass.plan_lists()),
            Phase::Lists => (Phase::Year, self.pass.plan_year()?),
            Phase::Year => (Phase::Marks, self.pass.plan_marks()?),
            Phase::Marks => {
                let planned = self.pass.plan_year_check()?;
                if planned.is_empty() {
                    (Phase::Rest, self.pass.plan_rest())
                } else {
                    (Phase::Marks, planned)
                }
            }
            Phase::Rest => {
                // Learners whose marks have changed may also have other marks in their subjects.
                let mut planned = self.pass.plan_learners()?;
                planned.extend(self.pass.plan_structures()?);
                planned.extend(self.pass.plan_showing_learners()?);
                (Phase::Follow, planned)
            }
            Phase::Follow if self.pass.head.is_some_and(|head| head.is_published) => {
                (Phase::Revalidate(1), self.pass.plan_revalidation())
            }
            Phase::Revalidate(round) => self.revalidate(round)?,
            Phase::Follow | Phase::Approved | Phase::Done => (Phase::Done, Vec::new()),
        };
        self.phase = phase;
        self.calls.queue.extend(planned);
        if self.phase == Phase::Done && self.report.stopped.is_none() {
            self.end()?;
            // The next sync requests everything again.
            if !self.pass.has_any_answer() {
                self.report.stopped = Some(StopReason::Incomplete);
            }
        }
        Ok(())
    }

    /// Marks the pass as finished.
    fn end(&mut self) -> Result<()> {
        if self.pass.end()? {
            Ok(())
        } else {
            self.reload()
        }
    }

    /// Requests answers again that have changed in the last round. After the last round it reports
    /// them as unstable instead.
    fn revalidate(&mut self, round: u8) -> Result<(Phase, Vec<ResourceRequest>)> {
        if self.changed.is_empty() {
            return Ok((Phase::Done, Vec::new()));
        }
        if round > MAX_REVALIDATIONS {
            let changed = self.changed.drain(..);
            let targets = changed.map(|request| request.target(self.pass.school));
            self.report.results.unstable = targets.collect();
            return Ok((Phase::Done, Vec::new()));
        }
        let learners = self.pass.plan_learners()?;
        let mut planned = std::mem::take(&mut self.changed);
        planned.extend(learners);
        Ok((Phase::Revalidate(round + 1), planned))
    }
}

impl Pass {
    fn plan_lists(&self) -> Vec<ResourceRequest> {
        let requests = Resource::of_phase(Phase::Lists).map(ResourceRequest::new);
        requests
            .filter_map(|request| self.plan_request(request))
            .collect()
    }

    fn plan_marks(&self) -> Result<Vec<ResourceRequest>> {
        let mut planned = self.plan_structures()?;
        planned.extend(self.request_each(Phase::Marks, Selection::Grade, &self.grades()?));
        Ok(planned)
    }

    fn plan_rest(&self) -> Vec<ResourceRequest> {
        let (of_days, others): (Vec<_>, Vec<_>) = Resource::of_phase(Phase::Rest)
            .partition(|resource| matches!(resource.spec().scope, Selection::Days(_)));
        let mut requests = Vec::new();
        for days in self.day_windows() {
            let of_window = of_days.iter();
            requests.extend(of_window.map(|resource| ResourceRequest::of_days(*resource, days)));
        }
        requests.extend(others.into_iter().map(ResourceRequest::new));
        requests
            .into_iter()
            .filter_map(|request| self.plan_request(request))
            .collect()
    }

    /// Requests changed answers once more after everything was read, if every pass requests them or
    /// if they are structures. The service has no snapshots, so they may have changed during the
    /// pass.
    fn plan_revalidation(&self) -> Vec<ResourceRequest> {
        let pass = self.number();
        let changed = logged_requests(&self.fetch_log).filter(|(request, row)| {
            let is_read = matches!(
                row.state,
                FetchState::Published | FetchState::IndicationOnly
            );
            let is_often = self.is_in_every_pass(*request)
                || request.spec().frequency == Frequency::LargeRotation;
            is_read && row.is_changed && (row.pass, row.times) == (pass, 1) && is_often
        });
        changed.map(|(request, _)| request).collect()
    }
}
