//! Whether a connection answers a request, or waits for its client to send one.

use axum::body::{Body, Bytes};
use axum::response::Response;
use http_body::{Frame, SizeHint};
use hyper::Request;
use hyper::body::Incoming;
use hyper::service::{Service, service_fn};
use std::error::Error;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll};

/// What a connection does at the moment.
#[derive(Default)]
pub(super) struct Activity {
    /// The number of requests whose head has arrived, and whose answer is not complete.
    requests: AtomicUsize,
    /// Whether a write waits until the client reads.
    is_writing: AtomicBool,
}

impl Activity {
    /// Returns whether a request is being answered, or an answer is being sent.
    pub(super) fn is_answering(&self) -> bool {
        self.requests.load(Ordering::Relaxed) > 0 || self.is_writing.load(Ordering::Relaxed)
    }

    pub(super) fn set_writing(&self, is_writing: bool) {
        self.is_writing.store(is_writing, Ordering::Relaxed);
    }

    /// Returns a service that counts the requests of another one.
    pub(super) fn observe<S>(
        self: Arc<Self>,
        service: S,
    ) -> impl Service<Request<Incoming>, Response = Response, Error = S::Error, Future: Send>
    where
        S: Service<Request<Incoming>, Response = Response, Future: Send>,
        S::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        service_fn(move |request: Request<Incoming>| {
            let counted = Counted::new(self.clone());
            let answered = service.call(request);
            async move {
                let response = answered.await?;
                Ok(response.map(|body| {
                    Body::new(CountedBody {
                        body,
                        _counted: counted,
                    })
                }))
            }
        })
    }
}

/// Counts a request until it is dropped.
struct Counted(Arc<Activity>);

impl Counted {
    fn new(activity: Arc<Activity>) -> Counted {
        activity.requests.fetch_add(1, Ordering::Relaxed);
        Counted(activity)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.requests.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The body of an answer. It is dropped when all of it was passed to the connection.
struct CountedBody {
    body: Body,
    _counted: Counted,
}

impl http_body::Body for CountedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
