//! What a service and the network before it do wrong, so that a client can be tried
//! against it.

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

/// One request of so many meets a fault.
const ONE_OF: u64 = 8;
/// What is slow takes so long.
pub(crate) const SLOW: Duration = Duration::from_secs(2);
/// So long after its half a body is cut: the half has been sent by then.
const SENT: Duration = Duration::from_millis(50);

/// What is wrong with an answer.
#[derive(Clone, Copy)]
pub(crate) enum Fault {
    /// 429, and when to come back.
    TooMany,
    /// 429 alone.
    TooManyAlone,
    /// 500.
    Broken,
    /// 503.
    Away,
    /// The page of a Wi-Fi login, with 200.
    Page,
    /// The connection ends in the middle of the body.
    Cut,
    /// It comes late.
    Slow,
    /// The request is carried out twice, as if it had been sent again on its way; the client
    /// gets the second answer.
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

/// Which request meets which fault: it follows from the seed and the number of the request.
pub(crate) struct Faults {
    seed: u64,
    requests: AtomicU64,
}

impl Faults {
    pub(crate) fn new(seed: u64) -> Faults {
        let requests = AtomicU64::new(0);
        Faults { seed, requests }
    }

    /// What is wrong with the answer to the next request, if anything is.
    pub(crate) fn next(&self) -> Option<Fault> {
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        let dice = mixed(mixed(self.seed) ^ number);
        let kind = usize::try_from(dice / ONE_OF % ALL.len() as u64).unwrap_or(0);
        ALL.get(kind)
            .copied()
            .filter(|_| dice.is_multiple_of(ONE_OF))
    }
}

/// A step of splitmix64.
fn mixed(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

impl Fault {
    /// The answer in place of the engine's.
    pub(crate) fn instead(self) -> Option<Response> {
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
    crate::refuse(status.as_u16(), name, "A fault that was asked for")
}

/// Half of a body. Its length is that of the whole.
pub(crate) struct Half {
    half: Option<Bytes>,
    whole: u64,
    cut: Pin<Box<Sleep>>,
}

impl Half {
    pub(crate) fn of(body: &Bytes) -> Body {
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
