//! The clock of the server, which clients may set if the argument `--allow-clock` is given.

use super::Server;
use super::answer::{read_body, refuse};
use crate::args::{format_instant, parse_instant};
use axum::extract::{Request, State};
use axum::http::{Method, header};
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use rollbook::Clock;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// The value of `fixed` for the clock of the system.
const SYSTEM: i64 = i64::MIN;

/// A clock that is fixed, or is that of the system.
pub(super) struct ServerClock {
    /// The fixed time in seconds since 1970-01-01T00:00:00Z, or [`SYSTEM`].
    fixed: AtomicI64,
    /// The value of `fixed` at the start.
    initial: i64,
}

impl ServerClock {
    pub(super) fn new(now: Option<i64>) -> ServerClock {
        let initial = now.unwrap_or(SYSTEM);
        ServerClock {
            fixed: AtomicI64::new(initial),
            initial,
        }
    }

    fn now(&self) -> i64 {
        match self.fixed.load(Ordering::Relaxed) {
            SYSTEM => Timestamp::now().as_second(),
            fixed => fixed,
        }
    }

    /// Returns the current date in UTC.
    pub(super) fn today(&self) -> Date {
        let now = Timestamp::from_second(self.now()).unwrap_or_default();
        TimeZone::UTC.to_datetime(now).date()
    }

    /// Returns the clock for the engine, which is this one if it can change.
    pub(super) fn for_engine(self: Arc<Self>, can_change: bool) -> Clock {
        if can_change {
            return Clock::custom(move || self.now());
        }
        match self.initial {
            SYSTEM => Clock::System,
            fixed => Clock::Fixed(fixed),
        }
    }
}

/// Answers a request for `/clock`: `GET` returns the time, `PUT` sets it to the instant in the body,
/// and `DELETE` resets it to that of the start.
pub(super) async fn answer(State(server): State<Arc<Server>>, request: Request) -> Response {
    let Some(clock) = &server.clock else {
        return refuse(
            403,
            "Forbidden",
            "Start the server with --allow-clock to set its time",
        );
    };
    let (head, body) = request.into_parts();
    match head.method {
        Method::PUT => {
            let body = match read_body(body).await {
                Ok(body) => body,
                Err(refused) => return refused,
            };
            match parse_instant(String::from_utf8_lossy(&body).trim()) {
                Ok(now) => clock.fixed.store(now, Ordering::Relaxed),
                Err(_) => {
                    return refuse(
                        400,
                        "Bad Request",
                        "Give an instant, for example 2026-05-14T08:00:00Z",
                    );
                }
            }
        }
        Method::DELETE => clock.fixed.store(clock.initial, Ordering::Relaxed),
        _ => {}
    }
    let body = serde_json::json!({ "now": format_instant(clock.now()) });
    let json = [(header::CONTENT_TYPE, rollbook::Status::CONTENT_TYPE)];
    (json, body.to_string()).into_response()
}
