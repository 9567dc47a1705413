//! The requests to the service: their targets, which records their answers may contain, and what
//! the answers cover.

use crate::dataset::replication::stored_coverage::CoverageAddition;
use crate::dataset::replication::stored_fetch_log::FetchLog;
use crate::date::Date;
use crate::record::replication::coverage_key::CoverageKey;
use crate::record::replication::fetch_log_entry::FetchLogEntry;
use crate::record::{Kind, Value};
use crate::store::Key;
use crate::sync::resources::resource::{Group, Resource, ResourceSpec, Selection, Years};

/// A request to the service about a school.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ResourceRequest {
    pub(crate) resource: Resource,
    /// The id of the learner or the grade, or 0.
    pub(crate) id: u64,
    /// The requested year, or `None` for the current one.
    pub(crate) year: Option<u64>,
    /// The first and the last requested day.
    pub(crate) days: Option<(Date, Date)>,
    /// Whether the request omits parents that the service could include.
    pub(crate) without_parents: bool,
}

impl ResourceRequest {
    /// Creates a request for all records of a resource.
    pub(crate) const fn new(resource: Resource) -> ResourceRequest {
        ResourceRequest::of_id(resource, 0)
    }

    /// Creates a request for the records of a learner or grade in the current year.
    pub(crate) const fn of_id(resource: Resource, id: u64) -> ResourceRequest {
        ResourceRequest {
            resource,
            id,
            year: None,
            days: None,
            without_parents: false,
        }
    }

    /// Creates a request for the records of all days from the first to the last.
    pub(crate) const fn of_days(resource: Resource, days: (Date, Date)) -> ResourceRequest {
        ResourceRequest {
            days: Some(days),
            ..ResourceRequest::new(resource)
        }
    }

    /// Returns the request of a row of the fetch log. A key with the year 0 means the current year.
    pub(crate) fn logged(
        coverage_key: CoverageKey,
        row: &FetchLogEntry,
    ) -> Option<ResourceRequest> {
        let resource = Resource::from_coverage(coverage_key.kind)?;
        let ResourceSpec { scope, years, .. } = resource.spec();
        let Key(id, _) = coverage_key.key;
        if let Selection::Days(_) = scope {
            let days = (Date::from_number(id)?, row.to?);
            return Some(ResourceRequest::of_days(resource, days));
        }
        Some(ResourceRequest {
            id,
            year: Some(coverage_key.year).filter(|year| *years == Years::Any && *year > 0),
            without_parents: row.without_parents && resource.spec().has_parents,
            ..ResourceRequest::new(resource)
        })
    }

    pub(crate) const fn spec(self) -> &'static ResourceSpec {
        self.resource.spec()
    }

    /// Returns the path and query of v1.
    pub(crate) fn target(self, school: u64) -> String {
        let spec = self.spec();
        let (path, id) = (self.path(), self.id);
        let school = match spec.scope {
            Selection::AllSchools => String::new(),
            _ => format!("/{school}"),
        };
        let mut parameters = Vec::new();
        match spec.scope {
            Selection::AllSchools | Selection::School | Selection::Days(_) => {}
            Selection::Status(status) => parameters.push(format!("status={status}")),
            Selection::Learner => parameters.push(format!("learner_id={id}")),
            Selection::Grade => parameters.push(format!("grade_id={id}")),
        }
        if let Some((from, to)) = self.days {
            parameters.push(format!("from_date={from}&to_date={to}"));
        }
        parameters.extend(self.year.map(|year| format!("year={year}")));
        if !spec.parameter.is_empty() {
            parameters.push(spec.parameter.to_owned());
        }
        if self.has_parents() {
            parameters.push("include_parents=1".to_owned());
        }
        let begin = if parameters.is_empty() { "" } else { "?" };
        let query = parameters.join("&");
        format!("/api/v1/{path}{school}{begin}{query}")
    }

    /// Returns the path of the endpoint in v1.
    pub(crate) fn path(self) -> &'static str {
        self.spec().endpoint.v1.0
    }

    /// Returns the same request without parents, for an integrator that is not allowed to see them.
    /// Returns `None` if the request does not include parents.
    pub(crate) fn excluding_parents(self) -> Option<ResourceRequest> {
        self.has_parents().then_some(ResourceRequest {
            without_parents: true,
            ..self
        })
    }

    /// Returns the id of the learner whose records are requested, if it is one learner.
    pub(crate) fn learner(self) -> Option<u64> {
        Some(self.id).filter(|_| self.spec().scope == Selection::Learner)
    }

    /// Returns the last of the requested days.
    pub(crate) fn to(self) -> Option<Date> {
        self.days.map(|(_, to)| to)
    }

    /// Returns the group of requests whose answers are published together or not at all, with the
    /// id of its learner or grade. The groups ensure that approving answers in any order results in
    /// the same records.
    pub(crate) fn group(self) -> Option<(Group, u64)> {
        self.spec().group.map(|group| (group, self.id))
    }

    /// Returns whether the answer contains the parents of learners.
    pub(crate) fn has_parents(self) -> bool {
        self.spec().has_parents && !self.without_parents
    }

    /// Returns whether the answer belongs to the school's current year without stating which year
    /// that is.
    pub(crate) fn is_of_current_year(self) -> bool {
        self.spec().years != Years::None && self.year.is_none()
    }

    /// Returns whether a record may occur in the answer, as far as its reader has not checked that
    /// already.
    pub(crate) fn may_contain(self, kind: Kind, values: &[Value<'_>]) -> bool {
        self.days.is_none_or(|(from, to)| {
            let date = self.spec().date(kind, values);
            date.is_some_and(|date| (from..=to).contains(&date))
        })
    }

    /// Returns the coverage key of the answer if `year` is the school's current year. For days, the
    /// key contains the first day.
    pub(crate) fn coverage_key(self, year: u64) -> CoverageKey {
        let spec = self.spec();
        let id = self.days.map_or(self.id, |(from, _)| from.number());
        let year = match spec.years {
            Years::None => 0,
            Years::Current | Years::Any => self.year.unwrap_or(year),
        };
        CoverageKey::of_id(spec.coverage, year, id)
    }

    /// Returns what the answer covers if `year` is the school's current year.
    pub(crate) fn coverage_addition(self, year: u64) -> CoverageAddition {
        match self.days {
            Some((from, to)) => CoverageAddition::Days(self.spec().coverage, from, to),
            None => CoverageAddition::Whole(self.coverage_key(year)),
        }
    }
}

/// Returns the request of each row of the fetch log, with the row.
pub(crate) fn logged_requests(
    rows: &FetchLog,
) -> impl Iterator<Item = (ResourceRequest, &FetchLogEntry)> {
    let rows = rows.iter();
    rows.filter_map(|(coverage_key, row)| Some((ResourceRequest::logged(*coverage_key, row)?, row)))
}
