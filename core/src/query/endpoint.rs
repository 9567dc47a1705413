//! The declaration of an endpoint (its paths, its access check, its parameters and the texts of
//! its errors), and the trait that its questions implement.

use super::coverage_check::CoverageCheck;
use super::decoded::integrators::Family;
use super::outcome::{ArrayWriter, Outcome};
use super::page_writer::PageWriter;
use super::view::View;
use super::walk::{Identity, Walk};
use crate::error::Result;
use crate::json::{ApiVersion, OutputBuffer};
use crate::query::parameters::params::{Param, Params};
use crate::query::parameters::validation_errors::{Rule, ValidationErrors};
use crate::store::Sources;
use std::ops::Range;

/// An endpoint of the API: a `GET` on one path of v1 and one of v2 (section 4, and section 9).
pub(crate) struct Endpoint {
    /// The name of the collection. Every cursor depends on it.
    pub(crate) name: &'static str,
    pub(crate) v1: Path,
    pub(crate) v2: Path,
    /// The API family that must be active for the school (5.3). If it is `Some`, every request
    /// is about one school.
    pub(crate) family: Option<Family>,
    /// Whether answers may contain parents. Parents are guarded by an API family of their own.
    pub(crate) has_parents: bool,
    /// Whether the paths also accept the state update (4.8).
    pub(crate) is_settable: bool,
    /// Whether the answer is a single object and not a collection.
    pub(crate) is_object: bool,
    /// The text of the 404 for an answer without records.
    pub(crate) nothing: &'static str,
    /// Reads the parameters in the order of the service's table, and passes the question to the
    /// callback.
    pub(crate) read: fn(&mut Params<'_>, Then<'_>) -> Result<Outcome>,
}

/// A path below the version, and the segment that may follow it.
pub(crate) struct Path(pub(crate) &'static str, pub(crate) Last);

/// The last segment of a path: a number, identified by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Last {
    None,
    Optional(&'static str),
    Needed(&'static str),
}

impl Last {
    /// The login id of a school, required in v1.
    pub(crate) const SCHOOL: Last = Last::Needed(SCHOOL_LOGIN_ID);

    pub(crate) fn name(self) -> Option<&'static str> {
        match self {
            Last::None => None,
            Last::Optional(name) | Last::Needed(name) => Some(name),
        }
    }

    /// Returns true if the segment names a school, and not a record of a school.
    pub(crate) fn is_school(self) -> bool {
        self.name()
            .is_some_and(|name| name == SCHOOL_LOGIN_ID || name == SCHOOL_ID)
    }
}

/// The name of a school's id in v1.
pub(crate) const SCHOOL_LOGIN_ID: &str = "school_login_id";
/// The name of a school's id in v2.
pub(crate) const SCHOOL_ID: &str = "school_id";

/// The text of v1's 401 for an endpoint that is about one school.
pub(crate) const CLIENT_NOT_AUTHORISED: &str = "Client access not authorised";
/// The text of v1's 401 for an endpoint that is about all schools.
const REQUEST_NOT_AUTHORISED: &str = "Request not authorised";

impl Endpoint {
    /// Creates an endpoint about all schools that answers with a collection without parents. It
    /// has no name and no paths yet.
    pub(super) const fn new(read: fn(&mut Params<'_>, Then<'_>) -> Result<Outcome>) -> Endpoint {
        Endpoint {
            name: "",
            v1: Path("", Last::None),
            v2: Path("", Last::None),
            family: None,
            has_parents: false,
            is_settable: false,
            is_object: false,
            nothing: "",
            read,
        }
    }

    /// Returns the text of v1's 401 for wrong credentials.
    pub(crate) fn refused(&self) -> &'static str {
        match self.family {
            Some(_) => CLIENT_NOT_AUTHORISED,
            None => REQUEST_NOT_AUTHORISED,
        }
    }

    pub(crate) fn path(&self, version: ApiVersion) -> &Path {
        match version {
            ApiVersion::V1 => &self.v1,
            ApiVersion::V2 => &self.v2,
        }
    }

    /// Returns the methods that the path accepts, with or without its last segment.
    pub(crate) fn allow(&self, version: ApiVersion, has_last: bool) -> &'static str {
        match version {
            ApiVersion::V1 if self.is_settable && has_last => "GET, PATCH",
            ApiVersion::V2 if self.is_settable => "GET, POST, PATCH",
            _ => "GET",
        }
    }

    /// Returns the parameters that a request accepts, and the validation errors of a query
    /// string. `id` is that of the record which the path names, if it names one.
    pub(crate) fn describe(
        &self,
        version: ApiVersion,
        id: Option<u64>,
        query: &str,
    ) -> (Vec<Param>, ValidationErrors) {
        let mut params = Params::recording(version, query);
        params.id = id;
        let mut faults = ValidationErrors::default();
        let outcome = (self.read)(&mut params, &mut |read| {
            faults = read.faults;
            Ok(Outcome::Found)
        });
        debug_assert!(outcome.is_ok(), "reading parameters does not use the store");
        (params.recorded(), faults)
    }
}

/// A question that an app asks without credentials, such as [`Learners`](crate::Learners).
#[expect(private_bounds, reason = "no question can be made outside this crate")]
pub trait Question: Query {}

/// A question that can be answered from a [`View`].
pub(crate) trait Query {
    fn endpoint(&self) -> &'static Endpoint;

    /// The learner that the question is limited to, if it names one.
    fn learner(&self) -> Option<u64> {
        None
    }

    /// The school that the question is about, if it is about one.
    fn about(&self) -> Option<u64>;

    /// Returns the rule between parameters that the question breaks, if any.
    fn broken_rule(&self, _: View<'_>) -> Result<Option<Rule>> {
        Ok(None)
    }

    /// The collections from which the answer is made. Apart from them, only the day and the
    /// coverage can change the answer.
    fn sources(&self) -> Sources;

    /// Whether the answer depends on the current day at the school.
    fn has_day(&self) -> bool {
        false
    }

    /// Reports which data of schools the question reads, as far as coverage distinguishes it.
    /// Called only if the store has a synced school, and only for a question that breaks no
    /// rule.
    fn require_coverage(&self, reads: &CoverageCheck<'_>) -> Result<()>;

    /// Appends v1's answer to the buffer. Leaves the buffer unchanged if there is no answer.
    fn answer(&self, view: View<'_>, out: &mut OutputBuffer<'_>) -> Result<Outcome> {
        let array = ArrayWriter::open(out);
        let outcome = self.write(PageWriter {
            view,
            version: ApiVersion::V1,
            walk: &mut Walk::whole(),
            out,
        })?;
        Ok(array.close(outcome, out))
    }

    /// Appends the records of a page, each followed by a comma. The version is v2, unless the
    /// provided [`answer`](Self::answer) calls this.
    fn write(&self, page: PageWriter<'_, '_>) -> Result<Outcome>;

    /// Writes the values that distinguish the question from all others of this endpoint in this
    /// view, without the position in the collection. Different spellings of the same question
    /// have the same identity.
    fn identify(&self, view: View<'_>, identity: &mut Identity) -> Result<()>;

    /// The administrative year in which a walk that begins in this view remains, if the answer
    /// depends on the current year.
    fn year(&self, _: View<'_>) -> Result<Option<u64>> {
        Ok(None)
    }
}

/// A question that was read from parameters.
pub(crate) struct Read<'a> {
    pub(crate) question: &'a dyn Query,
    /// The validation errors of the parameters, in the order in which they were read.
    pub(crate) faults: ValidationErrors,
    /// Whether the path names one record, and a parameter names another.
    pub(crate) is_for_another: bool,
}

/// The callback that receives a question.
pub(crate) type Then<'a> = &'a mut dyn FnMut(Read<'_>) -> Result<Outcome>;

impl Params<'_> {
    /// Passes a question that was read from these parameters to the callback.
    pub(super) fn ask(&mut self, question: &dyn Query, then: Then<'_>) -> Result<Outcome> {
        then(Read {
            question,
            faults: self.take_faults(),
            is_for_another: self.is_for_another,
        })
    }
}

impl View<'_> {
    /// Returns the interval of instants around now in which the answer does not change because
    /// of the day, or `None` if the answer does not depend on the day.
    pub(crate) fn day(&self, question: &dyn Query) -> Result<Option<Range<i64>>> {
        match question.about() {
            Some(school) if question.has_day() => Ok(Some(self.facts(school)?.day(self.now))),
            _ => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::ENDPOINTS;
    use std::collections::BTreeSet;

    #[test]
    fn every_endpoint_has_its_names_and_texts() {
        let mut names = BTreeSet::new();
        for endpoint in ENDPOINTS {
            let texts = [
                endpoint.name,
                endpoint.v1.0,
                endpoint.v2.0,
                endpoint.nothing,
            ];
            assert!(!texts.contains(&""), "{texts:?}");
            assert!(names.insert(endpoint.name), "{texts:?}");
        }
    }
}
