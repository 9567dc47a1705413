//! The connections of the server, with limits for their number and for the time that a client may
//! take.

use crate::activity::Activity;
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::future::poll_fn;
use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::{Instant, Sleep, sleep, timeout};

/// The maximum number of open connections. Further ones wait in the queue of the system.
const MAX_CONNECTIONS: u32 = 512;

/// The timeout for the head of a request, which is therefore also the maximum pause between two
/// requests.
const HEAD_WAIT: Duration = Duration::from_secs(10);

/// The maximum size of a head in bytes.
const MAX_HEAD: usize = 64 << 10;

/// The approximate maximum of the bytes of a connection that were received and not read, or made and
/// not sent.
const MAX_BUFFERED: usize = 64 << 10;

/// The maximum time during which a client reads nothing.
const WRITE_WAIT: Duration = Duration::from_secs(10);

/// The rate in bytes per second below which a client uses up its [`WRITE_WAIT`].
const SLOWEST: u32 = 16 << 10;

/// Serves connections until `stopped` is true. Then ends the connections that wait for their
/// client or for a change, and waits for `grace` at most until the other ones have ended.
pub(crate) async fn serve(
    listener: TcpListener,
    app: Router,
    stopped: watch::Receiver<bool>,
    grace: Duration,
) {
    let connections = Arc::new(Semaphore::new(MAX_CONNECTIONS as usize));
    let mut stop = stopped.clone();
    let accepting = async {
        while let Ok(permit) = connections.clone().acquire_owned().await {
            let Ok((stream, _)) = listener.accept().await else {
                // The process has too many open files. One of them will be closed soon.
                sleep(Duration::from_millis(100)).await;
                continue;
            };
            let (app, stopped) = (app.clone(), stopped.clone());
            tokio::spawn(async move {
                connection(stream, app, stopped, grace).await;
                drop(permit);
            });
        }
    };
    tokio::select! {
        () = accepting => {}
        _ = stop.wait_for(|stopped| *stopped) => {}
    }
    drop(listener);
    // All permits are available when all connections have ended.
    drop(connections.acquire_many(MAX_CONNECTIONS).await);
}

async fn connection(
    stream: TcpStream,
    app: Router,
    mut stopped: watch::Receiver<bool>,
    grace: Duration,
) {
    let activity = Arc::new(Activity::default());
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_WAIT)
        .max_header_size(MAX_HEAD)
        .max_buf_size(MAX_BUFFERED)
        .serve_connection(
            TokioIo::new(Bounded::new(stream, activity.clone())),
            activity.clone().observe(TowerToHyperService::new(app)),
        );
    tokio::pin!(connection);
    // An error on a connection concerns only its client, so it is ignored.
    tokio::select! {
        // A request that has arrived is answered.
        biased;
        _ = connection.as_mut() => return,
        _ = stopped.wait_for(|stopped| *stopped) => {}
    }
    connection.as_mut().graceful_shutdown();
    // If half a head has arrived, the connection would wait for the other half.
    let answered = poll_fn(|context| match connection.as_mut().poll(context) {
        Poll::Pending if activity.is_answering() => Poll::Pending,
        _ => Poll::Ready(()),
    });
    drop(timeout(grace, answered).await);
}

/// A connection that fails when its client reads too slowly. A write that waits uses up a balance
/// of time, and the bytes that are written restore the balance, up to [`WRITE_WAIT`]. Therefore an
/// answer takes at most [`WRITE_WAIT`] and one second for each [`SLOWEST`] bytes.
struct Bounded {
    stream: TcpStream,
    balance: Duration,
    /// The time at which the waiting write began, if one waits.
    waiting: Option<Instant>,
    deadline: Pin<Box<Sleep>>,
    activity: Arc<Activity>,
}

impl Bounded {
    fn new(stream: TcpStream, activity: Arc<Activity>) -> Bounded {
        Bounded {
            stream,
            balance: WRITE_WAIT,
            waiting: None,
            deadline: Box::pin(sleep(WRITE_WAIT)),
            activity,
        }
    }

    /// Returns the outcome of a write, or an error if it has waited for too long.
    fn bounded(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        self.activity.set_writing(written.is_pending());
        if let Poll::Ready(written) = written {
            if let Some(since) = self.waiting.take() {
                self.balance = self.balance.saturating_sub(since.elapsed());
            }
            let bytes = written.as_ref().map_or(0, |bytes| *bytes);
            let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
            let earned = Duration::from_secs(1) * bytes / SLOWEST;
            self.balance = (self.balance + earned).min(WRITE_WAIT);
            return Poll::Ready(written);
        }
        if self.waiting.is_none() {
            let now = Instant::now();
            self.waiting = Some(now);
            self.deadline.as_mut().reset(now + self.balance);
        }
        ready!(self.deadline.as_mut().poll(context));
        Poll::Ready(Err(ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Bounded {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Bounded {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.bounded(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.bounded(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
