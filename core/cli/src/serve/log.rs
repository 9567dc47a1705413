//! The log of requests, on stderr. It contains no personal data: no query strings, no headers, no
//! bodies, and no ids of records.

use std::borrow::Cow;
use std::io::IsTerminal;
use std::time::Duration;
use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};

/// The maximum number of lines that wait to be written. If stderr is not read, further lines are
/// dropped, and requests are answered without delay.
const MAX_LINES: usize = 4096;

/// Starts the log, unless it is not wanted. The log ends when the returned guard is dropped.
pub(super) fn start(json: bool, is_quiet: bool) -> Option<WorkerGuard> {
    if is_quiet {
        return None;
    }
    let (writer, guard) = NonBlockingBuilder::default()
        .buffered_lines_limit(MAX_LINES)
        .finish(std::io::stderr());
    let log = tracing_subscriber::fmt()
        .with_writer(writer)
        .with_target(false);
    if json {
        log.json().flatten_event(true).init();
    } else {
        log.with_ansi(std::io::stderr().is_terminal()).init();
    }
    Some(guard)
}

/// Logs a request and its answer.
pub(super) fn request(method: &str, path: &str, status: u16, bytes: Option<u64>, time: Duration) {
    let is_known = METHODS.contains(&method);
    let method = if is_known { method } else { "other" };
    let path = shown_path(path, status);
    let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    tracing::info!(method, %path, status, bytes, micros);
}

/// The methods that are logged.
const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/// What replaces the parts of a path that may be personal data.
const OMITTED: &str = "…";

/// Returns a path without the id of a record, which is the last segment in v2, and without anything
/// that is not part of the path of an endpoint. In v1, the number at the end is the id of the school.
fn shown_path(path: &str, status: u16) -> Cow<'_, str> {
    if !path.starts_with("/api/") {
        let is_found = status < 400;
        return if is_found {
            path.into()
        } else {
            OMITTED.into()
        };
    }
    let is_v1 = path.starts_with("/api/v1/");
    let is_shown = |segment: &str| {
        let is_word = segment.bytes().all(|byte| byte.is_ascii_lowercase());
        let is_school = is_v1 && segment.bytes().all(|byte| byte.is_ascii_digit());
        is_word || is_school || matches!(segment, "v1" | "v2")
    };
    let segments = path.split('/');
    let shown = segments.map(|segment| if is_shown(segment) { segment } else { OMITTED });
    shown.collect::<Vec<_>>().join("/").into()
}
