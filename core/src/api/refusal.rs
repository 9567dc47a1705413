//! The reasons for refusing a request, independent of the API version.

use super::message::Request;
use crate::error::Error;
use crate::query::{Endpoint, Outcome, ValidationErrors};
use crate::store::IdempotencyRecord;

/// The reason why a request is refused.
#[derive(Debug)]
pub(super) enum Refusal {
    /// No endpoint has this path.
    Route,
    /// The endpoint permits only these methods.
    Method(&'static str),
    /// The request has validation errors.
    Invalid(ValidationErrors),
    /// The credentials are wrong. Contains the text of v1.
    Credentials(&'static str),
    /// The school has not authorised the integrator (5.2).
    SchoolNotAuthorised,
    /// An API family is not activated (5.3). Contains the name of its API type.
    Inactive(String),
    /// The body is too long.
    TooLarge,
    /// The idempotency key was used for a different change.
    IdReused,
    /// No record matches. Contains the text of the answer.
    Nothing(&'static str),
    /// The requested record does not exist, or is not visible to the integrator.
    NoRecord,
    /// Any other error, for example a suspended engine or a store that cannot be read.
    Failed(String),
    /// A school is synced, and the data was not fetched, or only the service may change it.
    Synced(String),
    /// Too many callers wait for a password to be hashed.
    TooManyLogins,
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
    /// Returns the refusal for an outcome without data, or `None` if there is data.
    pub(super) fn from_outcome(outcome: Outcome, endpoint: &Endpoint) -> Option<Refusal> {
        Some(match outcome {
            Outcome::Found => return None,
            Outcome::Nothing => Refusal::Nothing(endpoint.nothing),
            Outcome::NoRecord => Refusal::NoRecord,
            Outcome::Refused(faults) => Refusal::Invalid(faults),
            Outcome::Unauthorised => Refusal::SchoolNotAuthorised,
        })
    }
}

/// The text of the 503 when too many passwords wait to be hashed.
pub(super) const TRY_AGAIN: &str = "Too many logins are waiting: try again in a moment";

/// The text of a 413.
pub(super) const TOO_LARGE: &str = "The body must have at most 65536 bytes";
const _: () = assert!(Request::MAX_BODY_BYTES == 65_536);

/// The text of a 409.
pub(super) const ID_REUSED: &str =
    "The id belongs to another change: give each change an id of its own";

/// The text of a 400 because of the id of a change.
pub(super) const ID_TOO_LONG: &str = "The id of a change has at most 128 bytes: shorten it";
const _: () = assert!(IdempotencyRecord::MAX_ID_BYTES == 128);

/// The text of a 404 for one record.
pub(super) const NO_SUCH_ID: &str = "The requested ID does not exist in the system";

/// Returns the text of a 403 because of an API type.
pub(super) fn please_activate(api_type: &str) -> String {
    format!("Please activate the {api_type} for this client before making this request")
}

/// Returns the text of a 405, with the permitted methods.
pub(super) fn please_use(allow: &str) -> String {
    match allow.rsplit_once(", ") {
        Some((others, last)) => format!("Use {others} or {last}"),
        None => format!("Use {allow}"),
    }
}
