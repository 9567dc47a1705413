//! The feed for devices that follow the store: `GET /feed?after=…&wait=…`.
//!
//! Each token grants a scope. A real app has its own login instead, which determines the learners
//! that a user may see. A request waits until something changes for the device, for at most `wait`
//! seconds.

use super::Server;
use super::answer::refuse;
use crate::UsageError;
use crate::args::parse_scope;
use axum::body::{Body, Bytes};
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use http_body::Frame;
use rollbook::{Error, Feed, Scope};
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::sync::{Notify, OwnedSemaphorePermit, SemaphorePermit};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout};

/// The maximum time that a request waits, in seconds.
const LONGEST_WAIT: u64 = 60;

/// The approximate number of bytes that are sent at once.
const PIECE_BYTES: usize = 64 << 10;

/// The maximum number of feeds that are sent at the same time.
pub(super) const MAX_SENT: usize = 64;

/// The maximum number of requests that wait for a change, or until their feed can be sent. There are
/// more connections than this, so that some remain for requests that are answered at once.
pub(super) const MAX_WAITING: usize = 384;

/// The maximum time that a request waits until its feed can be sent. It is shorter than the time
/// after which a client that reads nothing is disconnected.
const SEND_WAIT: Duration = Duration::from_secs(5);

/// The scopes by their tokens.
pub(super) struct Tokens(HashMap<String, Scope>);

impl Tokens {
    /// Parses arguments of the form `TOKEN=SCOPE`.
    pub(super) fn parse(arguments: &[String]) -> Result<Tokens, UsageError> {
        let mut tokens = HashMap::new();
        for argument in arguments {
            let wrong = || {
                UsageError(format!(
                    "--feed {argument}: give TOKEN=SCHOOL or TOKEN=SCHOOL:LEARNER,LEARNER"
                ))
            };
            let (token, scope) = argument.split_once('=').ok_or_else(wrong)?;
            let scope = parse_scope(scope).ok_or_else(wrong)?;
            if tokens.insert(token.to_owned(), scope).is_some() {
                return Err(UsageError(format!(
                    "--feed {token}=…: give each token once"
                )));
            }
        }
        Ok(Tokens(tokens))
    }

    /// Returns the scope of a request. As in HTTP, the name of the scheme is not case-sensitive.
    fn scope(&self, headers: &HeaderMap) -> Option<&Scope> {
        let given = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
        let (scheme, token) = given.split_once(' ')?;
        let is_bearer = scheme.eq_ignore_ascii_case("bearer");
        self.0.get(token.trim_start()).filter(|_| is_bearer)
    }
}

/// Returns how long to wait, which is 0 without the parameter, or `None` if the parameter is not a
/// whole number of seconds.
fn wait(asked: &HashMap<String, String>) -> Option<Duration> {
    let wait = asked.get("wait").map_or("0", String::as_str);
    let is_number = !wait.is_empty() && wait.bytes().all(|byte| byte.is_ascii_digit());
    // A number that is too large for its type also exceeds the longest wait.
    is_number.then(|| Duration::from_secs(wait.parse().unwrap_or(u64::MAX).min(LONGEST_WAIT)))
}

/// Answers a request for the feed. The parameter `after` is the position of the device, and is
/// missing or empty at first. The parameter `wait` is the time to wait for a change, in whole
/// seconds.
///
/// - 200: the lines of the feed. They contain only a new position if nothing has changed, but the
///   journal of the store will soon be truncated beyond the old one.
/// - 204: nothing has changed, or the server stops.
/// - 400: `wait` is not a whole number.
/// - 401: the token is unknown.
/// - 409: `after` is not a position.
/// - 503: a school of the scope has not been synced yet, so that a device would take it for an empty
///   school; or too many other requests wait or receive a feed. Clients that request changes in a
///   loop pause after this status, but not after 204.
pub(super) async fn answer(
    State(server): State<Arc<Server>>,
    Query(asked): Query<HashMap<String, String>>,
    headers: HeaderMap,
) -> Response {
    let Some(scope) = server.tokens.scope(&headers).cloned() else {
        return refuse(
            401,
            "Unauthorized",
            "Give the token of a scope as a bearer token",
        );
    };
    let after = asked
        .get("after")
        .filter(|after| !after.is_empty())
        .cloned();
    let Some(wait) = wait(&asked) else {
        return refuse(
            400,
            "Bad Request",
            "Give wait in whole seconds, as wait=30, or leave it out",
        );
    };
    let mut feeds = server.engine.observe_feed(scope.clone());
    let changed = Arc::new(Notify::new());
    let notified = changed.clone();
    feeds.on_change(move || notified.notify_one());
    let until = Instant::now() + wait;
    let mut stopped = server.stopped.clone();
    let mut waiting = None;
    loop {
        let position = after.clone();
        // Polling reads the store, and must not block other connections.
        let polled = tokio::task::spawn_blocking(move || {
            let feed = feeds.poll(position.as_deref());
            (feeds, feed)
        });
        let Ok((polled, feed)) = polled.await else {
            return refuse(500, "Internal Server Error", NOT_MADE);
        };
        feeds = polled;
        match feed {
            Some(Ok(feed)) => return send(&server, feed, waiting, scope, after).await,
            Some(Err(error)) => return refuse_error(&error),
            None if feeds.is_over() || until <= Instant::now() => return nothing_changed(),
            None => {}
        }
        waiting = waiting.or_else(|| server.waiting.try_acquire().ok());
        if waiting.is_none() {
            return refuse_busy("Too many requests wait for a change: try again in a moment");
        }
        let is_over = tokio::select! {
            () = changed.notified() => false,
            () = sleep_until(until) => true,
            _ = stopped.wait_for(|stopped| *stopped) => true,
        };
        if is_over {
            return nothing_changed();
        }
    }
}

fn nothing_changed() -> Response {
    StatusCode::NO_CONTENT.into_response()
}

fn refuse_error(error: &Error) -> Response {
    match error {
        Error::ResyncRequired => refuse(409, "Conflict", "The value of `after` is not a position"),
        Error::NotSynced { .. } => refuse_busy(NOT_SYNCED),
        error => refuse(500, "Internal Server Error", &error.to_string()),
    }
}

fn refuse_busy(description: &str) -> Response {
    refuse(503, "Service Unavailable", description)
}

/// Sends a feed. If too many feeds are being sent, waits for a moment and makes the feed again: an
/// open feed would delay calls that erase or compact.
async fn send(
    server: &Server,
    feed: Feed,
    waiting: Option<SemaphorePermit<'_>>,
    scope: Scope,
    after: Option<String>,
) -> Response {
    if let Ok(permit) = server.feeds.clone().try_acquire_owned() {
        return send_pieces(feed, permit);
    }
    drop(feed);
    let waiting = waiting.or_else(|| server.waiting.try_acquire().ok());
    let permit = match &waiting {
        Some(_) => timeout(SEND_WAIT, server.feeds.clone().acquire_owned()).await,
        None => return refuse_busy(TOO_MANY_SENT),
    };
    let Ok(Ok(permit)) = permit else {
        return refuse_busy(TOO_MANY_SENT);
    };
    drop(waiting);
    let engine = server.engine.clone();
    let made = tokio::task::spawn_blocking(move || engine.feed(&scope, after.as_deref()));
    match made.await {
        Ok(Ok(feed)) if feed.has_changes() => send_pieces(feed, permit),
        Ok(Ok(_)) => nothing_changed(),
        Ok(Err(error)) => refuse_error(&error),
        Err(_) => refuse(500, "Internal Server Error", NOT_MADE),
    }
}

const NOT_SYNCED: &str = "The schools have not been synced yet: try again in a moment";
const NOT_MADE: &str = "The feed could not be made";
const TOO_MANY_SENT: &str = "Too many feeds are being sent: try again in a moment";

fn send_pieces(feed: Feed, permit: OwnedSemaphorePermit) -> Response {
    let body = Body::new(Pieces {
        feed: Some(feed),
        making: None,
        _permit: permit,
    });
    ([(header::CONTENT_TYPE, "application/x-ndjson")], body).into_response()
}

/// A body that sends the lines of a feed in pieces. A piece is made when the one before it has been
/// sent. Therefore a client that reads slowly needs no thread, and no more memory than one piece.
/// If a client reads too slowly, its connection fails, which ends the feed.
struct Pieces {
    feed: Option<Feed>,
    /// The task that makes the next piece, while it runs.
    making: Option<JoinHandle<(Feed, rollbook::Result<Vec<u8>>)>>,
    _permit: OwnedSemaphorePermit,
}

/// Returns the next lines, which are empty at the end of the feed.
fn piece(mut feed: Feed) -> (Feed, rollbook::Result<Vec<u8>>) {
    let mut piece = Vec::new();
    while piece.len() < PIECE_BYTES {
        match feed.next() {
            Some(Ok(line)) => piece.extend_from_slice(line.as_bytes()),
            Some(Err(error)) => return (feed, Err(error)),
            None => break,
        }
        piece.push(b'\n');
    }
    (feed, Ok(piece))
}

impl http_body::Body for Pieces {
    type Data = Bytes;
    type Error = Box<dyn std::error::Error + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if let Some(feed) = self.feed.take() {
            self.making = Some(tokio::task::spawn_blocking(move || piece(feed)));
        }
        let Some(making) = &mut self.making else {
            return Poll::Ready(None);
        };
        let made = ready!(Pin::new(making).poll(context));
        self.making = None;
        // After an error, the body ends before the feed is complete, and the device requests it
        // again.
        let (feed, piece) = made?;
        let piece = piece?;
        if piece.is_empty() {
            return Poll::Ready(None);
        }
        self.feed = Some(feed);
        Poll::Ready(Some(Ok(Frame::data(piece.into()))))
    }
}
