//! Injects faults of a service and of the network, so that a client can be tested against them.

use axum::body::{Body, Bytes};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use http_body::{Frame, SizeHint};
use std::io::{Error, ErrorKind};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::Sleep;

/// On average, one request of this many has a fault.
const ONE_OF: u64 = 8;
/// The delay of a slow answer.
pub(super) const SLOW: Duration = Duration::from_secs(2);
/// The time between the first half of a body and the cut. The half has been sent by then.
const SENT: Duration = Duration::from_millis(50);

/// The fault of an answer.
#[derive(Clone, Copy)]
pub(super) enum Fault {
    /// Status 429, with the header `Retry-After`.
    TooMany,
    /// Status 429, without the header `Retry-After`.
    TooManyAlone,
    /// Status 500.
    Broken,
    /// Status 503.
    Away,
    /// The page of a Wi-Fi login, with status 200.
    Page,
    /// The connection ends in the middle of the body.
    Cut,
    /// The answer is late.
    Slow,
    /// The request is carried out twice, as if the network had sent it again. The client receives
    /// the second answer.
    Twice,
}

const ALL: [Fault; 8] = [
    Fault::TooMany,
    Fault::TooManyAlone,
    Fault::Broken,
    Fault::Away,
    Fault::Page,
    Fault::Cut,
    Fault::Slow,
    Fault::Twice,
];

/// Selects the faults of requests. A fault depends only on the seed and the number of the request.
pub(super) struct Faults {
    seed: u64,
    requests: AtomicU64,
}

impl Faults {
    pub(super) fn new(seed: u64) -> Faults {
        let requests = AtomicU64::new(0);
        Faults { seed, requests }
    }

    /// Returns the fault of the next request, if it has one.
    pub(super) fn next(&self) -> Option<Fault> {
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        let dice = mixed(mixed(self.seed) ^ number);
        let kind = usize::try_from(dice / ONE_OF % ALL.len() as u64).unwrap_or(0);
        ALL.get(kind)
            .copied()
            .filter(|_| dice.is_multiple_of(ONE_OF))
    }
}

/// Computes one step of splitmix64.
fn mixed(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

impl Fault {
    /// Returns the answer that replaces that of the engine, if the fault has one.
    pub(super) fn instead(self) -> Option<Response> {
        let page = "<!DOCTYPE html><title>Welcome</title><p>Log in to use this network.";
        let html = [(header::CONTENT_TYPE, "text/html")];
        let soon = [(header::RETRY_AFTER, "1")];
        let too_many = StatusCode::TOO_MANY_REQUESTS;
        match self {
            Fault::TooMany => Some((soon, error(too_many)).into_response()),
            Fault::TooManyAlone => Some(error(too_many)),
            Fault::Broken => Some(error(StatusCode::INTERNAL_SERVER_ERROR)),
            Fault::Away => Some(error(StatusCode::SERVICE_UNAVAILABLE)),
            Fault::Page => Some((html, page).into_response()),
            Fault::Cut | Fault::Slow | Fault::Twice => None,
        }
    }
}

fn error(status: StatusCode) -> Response {
    let name = status.canonical_reason().unwrap_or_default();
    super::answer::refuse(status.as_u16(), name, "An injected fault")
}

/// A body that fails after its first half. It announces the length of the whole body.
pub(super) struct Half {
    half: Option<Bytes>,
    whole: u64,
    cut: Pin<Box<Sleep>>,
}

impl Half {
    pub(super) fn body(body: &Bytes) -> Body {
        Body::new(Half {
            half: Some(body.slice(..body.len() / 2)),
            whole: body.len() as u64,
            cut: Box::pin(tokio::time::sleep(SENT)),
        })
    }
}

impl http_body::Body for Half {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        if let Some(half) = self.half.take() {
            return Poll::Ready(Some(Ok(Frame::data(half))));
        }
        let cut = self.cut.as_mut().poll(context);
        cut.map(|()| Some(Err(ErrorKind::BrokenPipe.into())))
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.whole)
    }
}
