//! Why a request is refused, whichever version answers it.

use super::asked::Errors;
use super::faults::Faults;
use super::request::{Request, Status};
use super::{v1, v2};
use crate::json::Wire;

/// Why a request gets no data.
pub(super) enum Refusal<'a> {
    /// No endpoint has the path.
    Route,
    /// The endpoint takes these methods only.
    Method(&'static str),
    /// What the request says is at fault.
    Invalid(&'a Faults),
    /// The credentials are wrong.
    Credentials(Errors),
    /// The school has not authorised the integrator (5.2).
    Client,
    /// An API family is not activated (5.3); the name of its API type.
    Inactive(&'a str),
    /// The body is longer than any may be.
    TooLarge,
    /// Another change was made under the id of this one.
    IdReused,
    /// There is no record.
    Nothing(Errors),
    /// The store failed.
    Failed(&'a str),
    /// Too many passwords wait to be hashed.
    Crowded,
}

/// What a 503 says.
pub(super) const TRY_AGAIN: &str = "Too many logins are waiting: try again in a moment";

/// Answers a refusal in the envelope of a version.
pub(super) fn refuse(wire: Wire, refusal: &Refusal<'_>, out: &mut Vec<u8>) -> Status {
    match wire {
        Wire::V1 => v1::refuse(refusal, out),
        Wire::V2 => v2::refuse(refusal, out),
    }
}

/// What a 413 says.
pub(super) const TOO_LARGE: &str = "The body must have at most 65536 bytes";
const _: () = assert!(Request::MOST_BODY_BYTES == 65_536);

/// What a 409 says.
pub(super) const ID_REUSED: &str =
    "The id belongs to another change: give each change an id of its own";

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
