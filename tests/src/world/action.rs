//! A step of a sequence.

use crate::shrink::{Change, Part};
use rollbook::{Answer, Engine, Request};
use std::fmt::{self, Debug};

/// A request header: its name and the bytes of its value.
pub type Header = (String, Vec<u8>);

/// A step of a sequence.
#[derive(Clone, PartialEq, Eq)]
pub enum Action {
    /// Applies these lines as one dataset.
    Apply(Vec<String>),
    /// Replaces a school by these lines.
    ReplaceSchool(u64, Vec<String>),
    /// Removes a school.
    RemoveSchool(u64),
    /// Erases a learner of a school (school, learner).
    EraseLearner(u64, u64),
    /// Sends a request.
    Request {
        /// The time in Unix seconds.
        now: i64,
        /// The method.
        method: String,
        /// The path and the query string.
        target: String,
        /// The headers in order.
        headers: Vec<Header>,
        /// The body.
        body: Vec<u8>,
    },
    /// Closes the store and opens it again.
    Reopen,
    /// Compacts the store.
    Compact,
}

impl Action {
    /// Returns the lines of the dataset, if the action has one.
    pub fn lines(&self) -> Option<&[String]> {
        match self {
            Self::Apply(lines) | Self::ReplaceSchool(_, lines) => Some(lines),
            _ => None,
        }
    }

    /// Returns the target and the time of a question without a cursor.
    pub fn question(&self) -> Option<(&str, i64)> {
        match self {
            Self::Request {
                method,
                target,
                now,
                ..
            } if method == "GET" && !target.contains("cursor") => Some((target, *now)),
            _ => None,
        }
    }

    /// Sends the request to an engine, at this time or the time of the engine's clock. Headers that
    /// are not UTF-8 are omitted. Returns `None` if the action is not a request.
    pub fn ask(&self, engine: &Engine, now: Option<i64>) -> Option<Answer> {
        let Self::Request {
            method,
            target,
            headers,
            body,
            ..
        } = self
        else {
            return None;
        };
        let headers = headers
            .iter()
            .filter_map(|(name, value)| Some((name.as_str(), std::str::from_utf8(value).ok()?)));
        Some(engine.request(&Request {
            method,
            target,
            headers: &headers.collect::<Vec<_>>(),
            body,
            now,
        }))
    }

    /// Returns the parameters of a request, encoded as they are sent.
    pub fn parameters(&self) -> Vec<String> {
        let Self::Request { target, .. } = self else {
            return Vec::new();
        };
        match target.split_once('?') {
            Some((_, query)) => query.split('&').map(str::to_owned).collect(),
            None => Vec::new(),
        }
    }
}

impl Debug for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Apply(lines) => write!(f, "Apply {lines:?}"),
            Self::ReplaceSchool(school, lines) => write!(f, "ReplaceSchool {school} {lines:?}"),
            Self::RemoveSchool(school) => write!(f, "RemoveSchool {school}"),
            Self::EraseLearner(school, learner) => write!(f, "EraseLearner {school} {learner}"),
            Self::Request {
                now,
                method,
                target,
                headers,
                body,
            } => {
                write!(f, "Request at {now}: {method} {target}")?;
                for (name, value) in headers {
                    write!(f, ", {name}: {:?}", String::from_utf8_lossy(value))?;
                }
                write!(f, ", {:?}", String::from_utf8_lossy(body))
            }
            Self::Reopen => f.write_str("Reopen"),
            Self::Compact => f.write_str("Compact"),
        }
    }
}

impl Change for Action {
    fn retain(&mut self, part: Part, stays: &mut dyn FnMut() -> bool) {
        match (self, part) {
            (Self::Apply(lines) | Self::ReplaceSchool(_, lines), Part::Line) => {
                lines.retain(|_| stays());
            }
            (Self::Request { target, .. }, Part::Parameter) => {
                let Some((path, query)) = target.split_once('?') else {
                    return;
                };
                let parameters: Vec<&str> = query.split('&').filter(|_| stays()).collect();
                let start = if parameters.is_empty() { "" } else { "?" };
                *target = format!("{path}{start}{}", parameters.join("&"));
            }
            _ => {}
        }
    }
}
