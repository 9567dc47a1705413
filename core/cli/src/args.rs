//! Parses the values of arguments.

use rollbook::Scope;
use std::time::Duration;

/// Parses an instant such as `2026-05-14T08:00:00Z`. Returns seconds since 1970-01-01T00:00:00Z.
pub(crate) fn parse_instant(text: &str) -> Result<i64, String> {
    let instant: jiff::Timestamp = text
        .parse()
        .map_err(|_| "give an instant, for example 2026-05-14T08:00:00Z".to_owned())?;
    Ok(instant.as_second())
}

/// Formats an instant as [`parse_instant`] reads it.
pub(crate) fn format_instant(seconds: i64) -> String {
    let instant = jiff::Timestamp::from_second(seconds);
    instant.map_or_else(|_| seconds.to_string(), |instant| instant.to_string())
}

/// Parses a duration such as `15m`, `1h 30m` or `200ms`. A number alone counts seconds.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, String> {
    if let Ok(seconds) = text.parse() {
        return Ok(Duration::from_secs(seconds));
    }
    let wrong = || "give a duration, for example 15m, 30s or 200ms".to_owned();
    let duration: jiff::SignedDuration = text.parse().map_err(|_| wrong())?;
    Duration::try_from(duration).map_err(|_| wrong())
}

/// Parses a scope: schools that are joined by `+`. A colon and learners, joined by commas, can
/// follow a school. A scope can be empty.
pub(crate) fn parse_scope(text: &str) -> Option<Scope> {
    let mut scope = Scope::default();
    for one in text.split('+').filter(|one| !one.is_empty()) {
        scope = match one.split_once(':') {
            None => scope.school(one.parse().ok()?),
            Some((school, learners)) => {
                let learners = learners.split(',').filter(|one| !one.is_empty());
                let learners: Result<Vec<u64>, _> = learners.map(str::parse).collect();
                scope.learners(school.parse().ok()?, learners.ok()?)
            }
        };
    }
    Some(scope)
}
