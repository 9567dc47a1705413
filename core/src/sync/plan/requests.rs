//! The requests of a pass for each learner and each grade of a school.

use crate::dataset;
use crate::error::Result;
use crate::record::field::position;
use crate::record::replication::fetch_log_entry::FetchState;
use crate::record::{Kind, Value};
use crate::sync::fetch::pass::Pass;
use crate::sync::resources::phase::Phase;
use crate::sync::resources::resource::{Group, LISTINGS, Resource, Selection};
use crate::sync::resources::resource_request::{ResourceRequest, logged_requests};
use std::collections::BTreeSet;

impl Pass {
    /// Requests the structures of marks of all grades.
    pub(crate) fn plan_structures(&self) -> Result<Vec<ResourceRequest>> {
        Ok(self.request_each(Phase::Year, Selection::Grade, &self.grades()?))
    }

    /// Requests the subjects of learners that are new, that take other subjects than before, or
    /// that are next in rotation.
    pub(crate) fn plan_learners(&self) -> Result<Vec<ResourceRequest>> {
        Ok(self.request_each(Phase::Year, Selection::Learner, &self.listed()?))
    }

    /// Requests the resources of a phase with this scope, for each of these learners or grades.
    pub(super) fn request_each(
        &self,
        phase: Phase,
        scope: Selection,
        ids: &BTreeSet<u64>,
    ) -> Vec<ResourceRequest> {
        let requests = ids.iter().flat_map(|id| {
            let resources = Resource::of_phase(phase);
            let resources = resources.filter(|resource| resource.spec().scope == scope);
            resources.map(|resource| ResourceRequest::of_id(resource, *id))
        });
        requests
            .filter_map(|request| self.plan_request(request))
            .collect()
    }

    /// Returns the learners of both lists.
    fn listed(&self) -> Result<BTreeSet<u64>> {
        let mut learners = BTreeSet::new();
        for request in LISTINGS.map(ResourceRequest::new) {
            if self.is_fetched(request) {
                learners.extend(self.fetched_numbers(request, Kind::Learner, LEARNER)?);
            } else if let Selection::Status(status) = request.spec().scope {
                let stored = self
                    .staging
                    .read(|snapshot| dataset::learners(snapshot, self.school, status));
                learners.extend(stored?);
            }
        }
        Ok(learners)
    }

    /// Returns the grades of the list of grades, those in which learners of either list take
    /// subjects, and those whose marks were read before.
    pub(crate) fn grades(&self) -> Result<BTreeSet<u64>> {
        let mut grades = BTreeSet::new();
        let (year, _) = self.year();
        let listed = self.listed()?;
        let list = ResourceRequest::new(Resource::Grades);
        if self.is_fetched(list) {
            grades.extend(self.fetched_numbers(list, Kind::Grade, GRADE_ID)?);
        } else {
            let stored = self
                .staging
                .read(|snapshot| dataset::grades(snapshot, self.school));
            grades.extend(stored?);
        }
        for (request, _) in logged_requests(&self.fetch_log) {
            match request.group() {
                Some((Group::Marks, grade)) if request.year.is_none_or(|asked| asked == year) => {
                    grades.insert(grade);
                }
                Some((Group::Subjects, learner))
                    if listed.contains(&learner) && self.is_fetched(request) =>
                {
                    let taken = self.fetched_numbers(request, Kind::LearnerSubject, GRADE_TAKEN)?;
                    grades.extend(taken);
                }
                _ => {}
            }
        }
        Ok(grades)
    }

    /// Returns whether an answer was read and is not published yet.
    fn is_fetched(&self, request: ResourceRequest) -> bool {
        let row = self.fetch_log.get(&request.coverage_key(0));
        row.is_some_and(|row| row.state == FetchState::Fetched)
    }

    /// Returns the integers in one field of all fetched records of a kind in an answer.
    fn fetched_numbers(
        &self,
        request: ResourceRequest,
        kind: Kind,
        field: usize,
    ) -> Result<BTreeSet<u64>> {
        let fetched = self.staging.fetched_records(request)?;
        let mut numbers = BTreeSet::new();
        for record in fetched.records(self.school) {
            let record = record?;
            if record.kind == kind {
                numbers.extend(record.values.get(field).and_then(Value::integer));
            }
        }
        Ok(numbers)
    }
}

const LEARNER: usize = position(Kind::Learner.fields(), "id");
const GRADE_ID: usize = position(Kind::Grade.fields(), "grade_id");
const GRADE_TAKEN: usize = position(Kind::LearnerSubject.fields(), "grade_id");
