//! The HTTP statuses of failed requests.

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
