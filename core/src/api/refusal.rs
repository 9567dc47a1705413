//! Why a request is refused, whichever version answers it.

use super::message::Request;
use crate::error::Error;
use crate::query::{Endpoint, Faults, Outcome};

/// Why a request gets no data.
#[derive(Debug)]
pub(super) enum Refusal {
    /// No endpoint has the path.
    Route,
    /// The endpoint takes these methods only.
    Method(&'static str),
    /// What the request says is at fault.
    Invalid(Faults),
    /// The credentials are wrong: what v1 says of it.
    Credentials(&'static str),
    /// The school has not authorised the integrator (5.2).
    Client,
    /// An API family is not activated (5.3); the name of its API type.
    Inactive(String),
    /// The body is longer than any may be.
    TooLarge,
    /// Another change was made under the id of this one.
    IdReused,
    /// There is no record: what is said of it.
    Nothing(&'static str),
    /// The one record is not there, or not to be seen.
    NoRecord,
    /// The store failed.
    Failed(String),
    /// A school is synced, and this was not seen of it, or is the service's to change.
    Synced(String),
    /// Too many passwords wait to be hashed.
    Crowded,
}

impl From<&Error> for Refusal {
    fn from(error: &Error) -> Refusal {
        let text = error.to_string();
        match error {
            Error::NotSynced { .. } | Error::Synced { .. } => Refusal::Synced(text),
            _ => Refusal::Failed(text),
        }
    }
}

impl Refusal {
    /// What a question's outcome is refused for, if it has no answer.
    pub(super) fn of(outcome: Outcome, endpoint: &Endpoint) -> Option<Refusal> {
        Some(match outcome {
            Outcome::Found => return None,
            Outcome::Nothing => Refusal::Nothing(endpoint.nothing),
            Outcome::NoRecord => Refusal::NoRecord,
            Outcome::Refused(faults) => Refusal::Invalid(faults),
            Outcome::Unauthorised => Refusal::Client,
        })
    }
}

/// What a 503 says.
pub(super) const TRY_AGAIN: &str = "Too many logins are waiting: try again in a moment";

/// What a 413 says.
pub(super) const TOO_LARGE: &str = "The body must have at most 65536 bytes";
const _: () = assert!(Request::MOST_BODY_BYTES == 65_536);

/// What a 409 says.
pub(super) const ID_REUSED: &str =
    "The id belongs to another change: give each change an id of its own";

/// What a 404 says of one record.
pub(super) const NO_SUCH_ID: &str = "The requested ID does not exist in the system";

/// What a 403 says of an API type.
pub(super) fn please_activate(api_type: &str) -> String {
    format!("Please activate the {api_type} for this client before making this request")
}

/// What a 405 says of the methods that a path takes.
pub(super) fn please_use(allow: &str) -> String {
    match allow.rsplit_once(", ") {
        Some((others, last)) => format!("Use {others} or {last}"),
        None => format!("Use {allow}"),
    }
}
