//! Requests and answers, in the form of HTTP.

use std::fmt;

/// A header of a request or an answer. Its description for a log omits the value of a password.
#[derive(Clone, PartialEq, Eq, uniffi::Record)]
#[uniffi::export(Debug)]
pub struct Header {
    /// The name, in any case.
    pub name: String,
    /// The value.
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
    /// The path and the query string, starting with `/api/v1/` or `/api/v2/`.
    pub target: String,
    /// The method, in upper case.
    #[uniffi(default = "GET")]
    pub method: String,
    /// The headers. Every request needs `HTTP-X-USERNAME` and `HTTP-X-PASSWORD`, and most requests
    /// of v2 also need `HTTP-X-SCHOOLID`. If a name occurs several times, the last value is used.
    #[uniffi(default)]
    pub headers: Vec<Header>,
    /// The body, which is empty except for PATCH and POST. If it has more than 65,536 bytes, the
    /// request is refused with 413.
    #[uniffi(default = "")]
    pub body: String,
    /// The instant for which the request is answered, in seconds since 1970-01-01T00:00:00Z. The
    /// default is the instant of the engine's clock.
    #[uniffi(default)]
    pub now: Option<i64>,
}

impl Request {
    /// Passes the request to `ask`, converted to the type of the engine.
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

// This text is not copied to the packages, because each package has its own class with its own
// documentation. That class makes the text of the body and the headers when they are requested.
#[doc = "An answer: the status and the body that the service would send."]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer(AnswerParts);

uniffi::custom_newtype!(Answer, AnswerParts);

/// The parts of an answer. Only the package itself uses it.
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct AnswerParts {
    /// The HTTP status code.
    pub status: u16,
    /// The permitted methods, if the request used another one.
    pub allow: Option<String>,
    /// The body: compact JSON in UTF-8. If the store is damaged, it may not be valid UTF-8.
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

/// The v2 request for the data of a v1 request (section 9).
#[derive(Debug, Clone, PartialEq, Eq, uniffi::Record)]
pub struct Upgrade {
    /// The path and the query string, starting with `/api/v2/`.
    pub target: String,
    /// The headers that v2 needs in addition to the credentials.
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
