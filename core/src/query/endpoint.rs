//! What the service says of an endpoint: its paths, who may ask, what it takes,
//! and the texts of its errors. All else that must be known of one is read from
//! here.

use super::faults::Faults;
use super::integrators::Family;
use super::params::{Param, Params};
use super::{Outcome, Then};
use crate::error::Result;
use crate::json::Wire;

/// An endpoint of the API, `GET` on two paths (section 4, and section 9).
pub(crate) struct Endpoint {
    /// The name of its collection. Every cursor depends on it.
    pub(crate) name: &'static str,
    pub(crate) v1: Path,
    pub(crate) v2: Path,
    /// The API family that must be active for the school (5.3). With one, every
    /// request is about one school.
    pub(crate) family: Option<Family>,
    /// Whether its answers may hold parents, which have a family of their own.
    pub(crate) has_parents: bool,
    /// Whether its paths take the state update (4.8) as well.
    pub(crate) is_settable: bool,
    /// Whether it answers one object, and no collection.
    pub(crate) is_object: bool,
    /// 404, if there are no records.
    pub(crate) nothing: &'static str,
    /// Reads the parameters in the order of the service's table, and hands the
    /// question on.
    pub(crate) read: fn(&mut Params<'_>, Then<'_>) -> Result<Outcome>,
}

/// A path below the version, and the segment that may follow it.
pub(crate) struct Path(pub(crate) &'static str, pub(crate) Last);

/// The last segment of a path, a number, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Last {
    None,
    Optional(&'static str),
    Needed(&'static str),
}

impl Last {
    /// The login id of a school in v1.
    pub(crate) const SCHOOL: Last = Last::Needed(SCHOOL_LOGIN_ID);

    pub(crate) fn name(self) -> Option<&'static str> {
        match self {
            Last::None => None,
            Last::Optional(name) | Last::Needed(name) => Some(name),
        }
    }

    /// Whether it names a school, and not a record of one.
    pub(crate) fn is_school(self) -> bool {
        self.name()
            .is_some_and(|name| name == SCHOOL_LOGIN_ID || name == SCHOOL_ID)
    }
}

/// What a school is called in v1.
pub(crate) const SCHOOL_LOGIN_ID: &str = "school_login_id";
/// What a school is called in v2.
pub(crate) const SCHOOL_ID: &str = "school_id";

/// v1's 401 of an endpoint that is about one school.
pub(crate) const CLIENT_NOT_AUTHORISED: &str = "Client access not authorised";
/// v1's 401 of an endpoint that is about all schools.
const REQUEST_NOT_AUTHORISED: &str = "Request not authorised";

impl Endpoint {
    /// One that is about all schools, answers a collection without parents, and has no
    /// name or path yet.
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

    /// v1's 401, if the credentials are wrong.
    pub(crate) fn refused(&self) -> &'static str {
        match self.family {
            Some(_) => CLIENT_NOT_AUTHORISED,
            None => REQUEST_NOT_AUTHORISED,
        }
    }

    pub(crate) fn path(&self, wire: Wire) -> &Path {
        match wire {
            Wire::V1 => &self.v1,
            Wire::V2 => &self.v2,
        }
    }

    /// The methods that its path takes, with its last segment or without.
    pub(crate) fn allow(&self, wire: Wire, has_last: bool) -> &'static str {
        match wire {
            Wire::V1 if self.is_settable && has_last => "GET, PATCH",
            Wire::V2 if self.is_settable => "GET, POST, PATCH",
            _ => "GET",
        }
    }

    /// The parameters that a request of v1 takes, and what is wrong with those in
    /// a query string.
    pub(crate) fn told(&self, query: &str) -> (Vec<Param>, Faults) {
        let mut params = Params::telling(query);
        let mut faults = Faults::default();
        let told = (self.read)(&mut params, &mut |read| {
            faults = read.faults;
            Ok(Outcome::Found)
        });
        debug_assert!(told.is_ok(), "reading parameters asks nothing of the store");
        (params.told(), faults)
    }
}

#[cfg(test)]
mod tests {
    use super::super::ENDPOINTS;
    use std::collections::BTreeSet;

    #[test]
    fn every_endpoint_says_what_it_is() {
        let mut names = BTreeSet::new();
        for endpoint in ENDPOINTS {
            let said = [
                endpoint.name,
                endpoint.v1.0,
                endpoint.v2.0,
                endpoint.nothing,
            ];
            assert!(!said.contains(&""), "{said:?}");
            assert!(names.insert(endpoint.name), "{said:?}");
        }
    }
}
