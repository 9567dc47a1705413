//! The log of requests, on stderr. It contains no personal data: no query strings, no headers, no
//! bodies, and no ids of records.

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
    let path = without_id(path);
    let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    tracing::info!(method, path, status, bytes, micros);
}

/// Returns a path without the id of a record, which is the last segment in v2. In v1 this segment is
/// the id of the school.
fn without_id(path: &str) -> &str {
    let Some((collection, id)) = path.rsplit_once('/') else {
        return path;
    };
    let has_id =
        path.starts_with("/api/v2/") && id.starts_with(|first: char| first.is_ascii_digit());
    if has_id { collection } else { path }
}
