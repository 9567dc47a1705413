//! Selects the envelope of an answer by its version.

use super::message::Status;
use super::refusal::Refusal;
use super::{v1, v2};
use crate::json::ApiVersion;
use crate::query::{Endpoint, Outcome};

/// Writes a refusal, and returns its status.
pub(super) fn refuse(version: ApiVersion, refusal: &Refusal, out: &mut Vec<u8>) -> Status {
    match version {
        ApiVersion::V1 => v1::refuse(refusal, out),
        ApiVersion::V2 => v2::refuse(refusal, out),
    }
}

/// Returns the status of a question whose data is already written. If there is no data, writes the
/// refusal.
pub(super) fn finish(
    version: ApiVersion,
    endpoint: &Endpoint,
    outcome: Outcome,
    out: &mut Vec<u8>,
) -> Status {
    match Refusal::from_outcome(outcome, endpoint) {
        None => Status::new(200),
        Some(refusal) => refuse(version, &refusal, out),
    }
}
