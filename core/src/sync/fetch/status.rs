//! The HTTP statuses of failed requests.

use std::fmt;

/// The statuses of refused requests, as the fetch log stores them.
pub(crate) const UNAUTHORISED: u64 = 401;
pub(crate) const FORBIDDEN: u64 = 403;

/// Returns whether a status may change if the request is repeated.
pub(super) const fn is_temporary(status: u16) -> bool {
    matches!(status, 408 | 429 | 300..=399 | 500..=599)
}

/// Returns the reason for the failure of a request that the service refused with this status.
pub(super) fn answered(status: u16) -> String {
    format!("the service answered {status}")
}

/// Why an attempt of a call failed, if another attempt may succeed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum AttemptFailure {
    NoReply,
    /// The service answered with the status of a temporary failure.
    Temporary(u16),
    /// The reply was truncated, the page of another site, or of another year.
    Unusable(u16),
    /// The reply was complete, but not JSON.
    NotJson,
}

impl AttemptFailure {
    /// Returns the status of the reply, or 0 if there was none.
    pub(crate) const fn status(self) -> u16 {
        match self {
            AttemptFailure::NoReply => 0,
            AttemptFailure::Temporary(status) | AttemptFailure::Unusable(status) => status,
            AttemptFailure::NotJson => 200,
        }
    }
}

/// Describes the failure of the last attempt.
impl fmt::Display for AttemptFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            AttemptFailure::NoReply => f.write_str("the last of ten attempts had no reply"),
            AttemptFailure::Temporary(status) => {
                write!(f, "{} to the last of ten attempts", answered(status))
            }
            AttemptFailure::Unusable(_) | AttemptFailure::NotJson => f.write_str(
                "the last of ten replies was truncated, the page of another site, or of another \
                 year",
            ),
        }
    }
}
