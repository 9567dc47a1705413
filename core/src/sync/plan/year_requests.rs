//! The requests whose answers show the current year, and all additions to the structure of marks.

use crate::dataset;
use crate::error::Result;
use crate::record::replication::fetch_log_entry::FetchLogEntry;
use crate::sync::fetch::pass::Pass;
use crate::sync::resources::resource::Resource;
use crate::sync::resources::resource_request::{ResourceRequest, logged_requests};

impl Pass {
    /// Requests the structures of marks of half of the representative learners, which show new
    /// assessments and the current year, and everything else of this phase. Consecutive passes
    /// alternate between the halves.
    pub(crate) fn plan_year(&self) -> Result<Vec<ResourceRequest>> {
        let mut planned = Vec::new();
        let structure = |learner| ResourceRequest::of_id(Resource::StructureOfLearner, learner);
        let mut learners = self.showing_learners()?;
        let row = |learner: u64| self.fetch_log.get(&structure(learner).coverage_key(0));
        // A resumed pass requests the same learners.
        let age = |row: &FetchLogEntry| (row.pass != self.number(), row.pass);
        learners.sort_by_key(|learner| row(*learner).map_or((true, 0), age));
        for learner in learners.iter().copied().take(learners.len().div_ceil(2)) {
            planned.extend(self.remaining_request(structure(learner)));
        }
        planned.extend(self.plan_structures()?);
        planned.extend(self.plan_learners()?);
        if learners.is_empty() {
            let takers = self.staging.enrolment_digests()?;
            let subjects = |learner| ResourceRequest::of_id(Resource::SubjectsPerTerm, learner);
            // A resumed pass requests the same learner.
            let row = |learner: u64| self.fetch_log.get(&subjects(learner).coverage_key(0));
            let age = |row: &FetchLogEntry| (row.pass != self.number(), row.age());
            let taker = takers
                .learners()
                .min_by_key(|learner| row(*learner).map(age));
            if let Some(request) = taker.map(subjects)
                && !planned.contains(&request)
            {
                planned.extend(self.remaining_request(request));
            }
        }
        Ok(planned)
    }

    /// Returns learners who together take everything that is taken at the school. Their structures
    /// of marks show all additions to it.
    fn showing_learners(&self) -> Result<Vec<u64>> {
        let Some(stored) = self.stored else {
            return Ok(Vec::new());
        };
        self.staging
            .read(|snapshot| dataset::learners_taking_all(snapshot, self.school, stored.year))
    }

    /// Requests the structures of marks of representative learners that were not requested before.
    pub(crate) fn plan_showing_learners(&self) -> Result<Vec<ResourceRequest>> {
        let learners = self.showing_learners()?.into_iter();
        let requests = learners.map(|id| ResourceRequest::of_id(Resource::StructureOfLearner, id));
        Ok(requests
            .filter_map(|request| self.plan_request(request))
            .collect())
    }

    /// Requests answers that may show the current year, if no answer of this pass has shown it. If
    /// no answer shows it, the current year is empty. It is then not the stored year, unless that
    /// year is empty too. Which of several empty years is used makes no difference.
    pub(crate) fn plan_year_check(&self) -> Result<Vec<ResourceRequest>> {
        if self.year.is_some() {
            return Ok(Vec::new());
        }
        let remaining = |requests: Vec<ResourceRequest>| {
            let requests = requests.into_iter();
            requests
                .filter_map(|request| self.remaining_request(request))
                .collect()
        };
        let grades = self.grades()?.into_iter();
        let structures = grades.map(|id| ResourceRequest::of_id(Resource::StructureOfGrade, id));
        let structures: Vec<ResourceRequest> = structures.collect();
        let shown = logged_requests(&self.fetch_log).find(|(request, row)| {
            request.resource == Resource::SubjectsPerTerm
                && row.year.is_some()
                && row.pass < self.number()
        });
        let mut requests = structures.clone();
        requests.extend(shown.map(|(request, _)| request));
        let mut planned: Vec<ResourceRequest> = remaining(requests);
        if planned.is_empty()
            && let Some(stored) = self.stored
        {
            let learners = self.showing_learners()?.into_iter();
            let requests = learners.map(|learner| ResourceRequest {
                year: Some(stored.year),
                ..ResourceRequest::of_id(Resource::StructureOfLearner, learner)
            });
            planned = remaining(requests.collect());
        }
        if planned.is_empty() {
            let year = Some(self.year().0);
            let requests = structures.into_iter();
            planned = remaining(
                requests
                    .map(|request| ResourceRequest { year, ..request })
                    .collect(),
            );
        }
        Ok(planned)
    }
}
