//! The bytes of an answer in the envelope of its version.

use super::message::Status;
use super::refusal::Refusal;
use super::{v1, v2};
use crate::json::Wire;
use crate::query::{Endpoint, Outcome};

/// Writes a refusal.
pub(super) fn refuse(wire: Wire, refusal: &Refusal, out: &mut Vec<u8>) -> Status {
    match wire {
        Wire::V1 => v1::refuse(refusal, out),
        Wire::V2 => v2::refuse(refusal, out),
    }
}

/// The status of a question whose data is written; writes why there is none.
pub(super) fn settle(
    wire: Wire,
    endpoint: &Endpoint,
    outcome: Outcome,
    out: &mut Vec<u8>,
) -> Status {
    match Refusal::of(outcome, endpoint) {
        None => Status::of(200),
        Some(refusal) => refuse(wire, &refusal, out),
    }
}
