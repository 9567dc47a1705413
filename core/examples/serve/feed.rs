//! What changed, for devices that follow: `GET /feed?after=…&wait=…`.
//!
//! Each token stands for a scope: here an app has its own login, and knows whose children
//! somebody may see. A request waits until something changes for the device, `wait` seconds at
//! most.

use crate::{Service, refuse};
use axum::body::{Body, Bytes};
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use http_body::Frame;
use rollbook::{Error, Feed, Scope};
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::{Notify, mpsc};
use tokio::time::{Instant, timeout_at};

/// Nobody waits longer.
const LONGEST_WAIT: u64 = 60;

/// About how much is sent at once, in bytes.
const PIECE_BYTES: usize = 64 << 10;

/// The scopes by their tokens.
#[derive(Default)]
pub(crate) struct Tokens(HashMap<String, Scope>);

impl Tokens {
    /// Adds `TOKEN=SCOPE`. A scope is schools joined by `+`; behind a school and a colon may
    /// stand learners, joined by commas. Nothing is a scope, too.
    pub(crate) fn add(&mut self, argument: &str) -> Result<(), String> {
        let wrong =
            || format!("--feed {argument}: give TOKEN=SCHOOL or TOKEN=SCHOOL:LEARNER,LEARNER");
        let (token, schools) = argument.split_once('=').ok_or_else(wrong)?;
        let number = |text: &str| text.parse::<u64>().map_err(|_| wrong());
        let mut scope = Scope::default();
        for one in schools.split('+').filter(|one| !one.is_empty()) {
            scope = match one.split_once(':') {
                None => scope.school(number(one)?),
                Some((school, learners)) => {
                    let learners = learners.split(',').filter(|one| !one.is_empty());
                    let learners = learners.map(number).collect::<Result<Vec<_>, _>>()?;
                    scope.learners(number(school)?, learners)
                }
            };
        }
        self.0.insert(token.to_owned(), scope);
        Ok(())
    }

    fn scope(&self, headers: &HeaderMap) -> Option<&Scope> {
        let given = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
        self.0.get(given.strip_prefix("Bearer ")?)
    }
}

/// `after` is the position that the device is at, nothing at first; `wait` how long to wait
/// for a change, in seconds. 200 with the lines, 204 if nothing changed, 401 for a token that is unknown, and 409 if
/// the device has to begin anew.
pub(crate) async fn answer(
    State(service): State<Arc<Service>>,
    Query(asked): Query<HashMap<String, String>>,
    headers: HeaderMap,
) -> Response {
    let Some(scope) = service.tokens.scope(&headers) else {
        return refuse(
            401,
            "Unauthorized",
            "Give the token of a scope as a bearer token",
        );
    };
    let after = asked.get("after").filter(|after| !after.is_empty());
    let wait = asked.get("wait").and_then(|wait| wait.parse().ok());
    let wait = Duration::from_secs(wait.unwrap_or(0).min(LONGEST_WAIT));
    let mut feeds = service.engine.observe_feed(scope.clone());
    let changed = Arc::new(Notify::new());
    let notified = changed.clone();
    feeds.on_change(move || notified.notify_one());
    let until = Instant::now() + wait;
    loop {
        match feeds.poll(after.map(String::as_str)) {
            Some(Ok(feed)) => return send(feed),
            Some(Err(Error::BeginAnew)) => {
                return refuse(409, "Conflict", "Begin anew: ask without a position");
            }
            Some(Err(error)) => return refuse(500, "Internal Server Error", &error.to_string()),
            None => {}
        }
        if feeds.is_over() || timeout_at(until, changed.notified()).await.is_err() {
            return StatusCode::NO_CONTENT.into_response();
        }
    }
}

/// Sends the lines as they are made, and no faster than they are taken.
fn send(feed: Feed) -> Response {
    let (to, pieces) = mpsc::channel(2);
    tokio::task::spawn_blocking(move || {
        let mut piece = Vec::new();
        for line in feed {
            let Ok(line) = line else {
                // The body ends before its feed does, and the device asks again.
                return;
            };
            piece.extend_from_slice(line.as_bytes());
            piece.push(b'\n');
            if piece.len() >= PIECE_BYTES && to.blocking_send(std::mem::take(&mut piece)).is_err() {
                return;
            }
        }
        // Who has gone away has no need of it.
        let _ = to.blocking_send(piece);
    });
    let body = Body::new(Pieces(pieces));
    ([(header::CONTENT_TYPE, "application/x-ndjson")], body).into_response()
}

struct Pieces(mpsc::Receiver<Vec<u8>>);

impl http_body::Body for Pieces {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let piece = self.0.poll_recv(context);
        piece.map(|piece| piece.map(|piece| Ok(Frame::data(piece.into()))))
    }
}
