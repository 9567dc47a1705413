//! The connections of the server, with limits for their number and for the time that a client may
//! take.

use super::activity::Activity;
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
use tokio_rustls::TlsAcceptor;

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

/// What all connections share.
#[derive(Clone)]
pub(super) struct Connections {
    pub(super) app: Router,
    /// Accepts TLS, if the server has a certificate.
    pub(super) tls: Option<TlsAcceptor>,
    pub(super) stopped: watch::Receiver<bool>,
    /// The maximum time for which requests in progress continue when the server stops.
    pub(super) grace: Duration,
}

impl Connections {
    /// Serves connections until the server stops. Then ends the connections that wait for their
    /// client or for a change, and waits for the other ones.
    pub(super) async fn serve(self, listener: TcpListener) {
        let permits = Arc::new(Semaphore::new(MAX_CONNECTIONS as usize));
        let mut stop = self.stopped.clone();
        let accepting = async {
            while let Ok(permit) = permits.clone().acquire_owned().await {
                let Ok((stream, _)) = listener.accept().await else {
                    // The process has too many open files. One of them will be closed soon.
                    sleep(Duration::from_millis(100)).await;
                    continue;
                };
                let shared = self.clone();
                tokio::spawn(async move {
                    shared.accept(stream).await;
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
        drop(permits.acquire_many(MAX_CONNECTIONS).await);
    }

    async fn accept(mut self, stream: TcpStream) {
        // Small answers are sent at once. If this fails, they are only slower.
        let _ = stream.set_nodelay(true);
        let activity = Arc::new(Activity::default());
        let stream = Bounded::new(stream, activity.clone());
        let Some(tls) = self.tls.take() else {
            return self.answer(stream, activity).await;
        };
        let mut stopped = self.stopped.clone();
        let accepted = tokio::select! {
            accepted = timeout(HEAD_WAIT, tls.accept(stream)) => accepted,
            _ = stopped.wait_for(|stopped| *stopped) => return,
        };
        // A client that does not complete the handshake is disconnected.
        if let Ok(Ok(stream)) = accepted {
            self.answer(stream, activity).await;
        }
    }

    async fn answer<S>(mut self, stream: S, activity: Arc<Activity>)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let service = TowerToHyperService::new(self.app);
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_WAIT)
            .max_header_size(MAX_HEAD)
            .max_buf_size(MAX_BUFFERED)
            .serve_connection(TokioIo::new(stream), activity.clone().observe(service));
        tokio::pin!(connection);
        // An error on a connection concerns only its client, so it is ignored.
        tokio::select! {
            // A request that has arrived is answered.
            biased;
            _ = connection.as_mut() => return,
            _ = self.stopped.wait_for(|stopped| *stopped) => {}
        }
        connection.as_mut().graceful_shutdown();
        // If half a head has arrived, the connection would wait for the other half.
        let answered = poll_fn(|context| match connection.as_mut().poll(context) {
            Poll::Pending if activity.is_answering() => Poll::Pending,
            _ => Poll::Ready(()),
        });
        drop(timeout(self.grace, answered).await);
    }
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
