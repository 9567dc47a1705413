//! Requests and answers, as HTTP has them.

use std::fmt;

/// A header of a request or an answer. Written out for a log, that of a password is
/// without its value.
#[derive(Clone, PartialEq, Eq, uniffi::Record)]
#[uniffi::export(Debug)]
pub struct Header {
    /// Its name, in any case.
    pub name: String,
    /// Its value.
    pub value: String,
}

impl fmt::Debug for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_secret = self.name.eq_ignore_ascii_case("HTTP-X-PASSWORD");
        let value = if is_secret { "..." } else { &self.value };
        write!(f, "{}: {value}", self.name)
    }
}

/// A request as an HTTP client sends it (section 4).
#[derive(Debug, Clone, uniffi::Record)]
pub struct Request {
    /// Path and query string, beginning with `/api/v1/` or `/api/v2/`.
    pub target: String,
    /// The method, in upper case.
    #[uniffi(default = "GET")]
    pub method: String,
    /// The headers. Every request needs `HTTP-X-USERNAME` and
    /// `HTTP-X-PASSWORD`, most of v2 `HTTP-X-SCHOOLID` as well. If a name stands
    /// several times, the last counts.
    #[uniffi(default)]
    pub headers: Vec<Header>,
    /// The body; empty for all but PATCH and POST. One of more than 65,536 bytes is
    /// refused: 413.
    #[uniffi(default = "")]
    pub body: String,
    /// The instant to answer for, in seconds since 1970-01-01T00:00:00Z; the
    /// engine's clock unless given.
    #[uniffi(default)]
    pub now: Option<i64>,
}

impl Request {
    /// Hands the request over as the engine takes it.
    pub(crate) fn with<R>(&self, ask: impl FnOnce(&rollbook::Request<'_>) -> R) -> R {
        let headers = self.headers.iter();
        let headers: Vec<_> = headers
            .map(|header| (header.name.as_str(), header.value.as_str()))
            .collect();
        ask(&rollbook::Request {
            method: &self.method,
            target: &self.target,
            headers: &headers,
            body: self.body.as_bytes(),
            now: self.now,
        })
    }
}

// Not carried over: the class that each package has of its own has a text of its own. It
// makes text of the body, and the headers, when they are asked for.
#[doc = "An answer: what the service would send."]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer(AnswerParts);

uniffi::custom_newtype!(Answer, AnswerParts);

/// What crosses of an answer, for the package itself.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct AnswerParts {
    /// The HTTP status code.
    pub status: u16,
    /// The methods that the path takes, if another was tried.
    pub allow: Option<String>,
    /// The body: compact JSON in UTF-8. Of a store that is damaged it may be no UTF-8.
    pub bytes: Vec<u8>,
}

impl From<rollbook::Answer> for Answer {
    fn from(answer: rollbook::Answer) -> Answer {
        Answer(AnswerParts {
            status: answer.status.code,
            allow: answer.status.allow.map(str::to_owned),
            bytes: answer.body,
        })
    }
}

/// The v2 request for the data of a v1 one (section 9).
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct Upgrade {
    /// Path and query string, beginning with `/api/v2/`.
    pub target: String,
    /// The headers that v2 needs beside the credentials.
    pub headers: Vec<Header>,
}

impl From<rollbook::Upgrade> for Upgrade {
    fn from(upgrade: rollbook::Upgrade) -> Upgrade {
        Upgrade {
            headers: upgrade.headers().map(header).collect(),
            target: upgrade.target,
        }
    }
}

fn header((name, value): (&str, String)) -> Header {
    Header {
        name: name.to_owned(),
        value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_written_out_without_its_password() {
        let request = Request {
            target: "/api/v1/settings/clients".to_owned(),
            method: "GET".to_owned(),
            headers: vec![
                header(("http-x-username", "demo".to_owned())),
                header(("http-x-password", "hunter2".to_owned())),
            ],
            body: String::new(),
            now: None,
        };
        let written = format!("{request:?}");
        assert!(written.contains("http-x-username: demo"), "{written}");
        assert!(!written.contains("hunter2"), "{written}");
    }
}
