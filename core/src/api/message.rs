//! Requests and their answers.

use std::fmt;

/// A request as an HTTP client sends it (section 4).
///
/// ```
/// let request = rollbook::Request {
///     target: "/api/v1/adminplus/learners/1000?grade_id=9",
///     headers: &[("HTTP-X-USERNAME", "demo"), ("HTTP-X-PASSWORD", "demo")],
///     ..rollbook::Request::default()
/// };
/// assert_eq!(request.method, "GET");
/// ```
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The method, in upper case.
    pub method: &'a str,
    /// The path and the query string: `/api/v1/…` or `/api/v2/…`.
    pub target: &'a str,
    /// The names of headers, in any case, and their values.
    pub headers: &'a [(&'a str, &'a str)],
    /// The body, which is empty except for PATCH and POST. If it has more than
    /// [`MAX_BODY_BYTES`](Self::MAX_BODY_BYTES), the request is refused with 413.
    pub body: &'a [u8],
    /// The instant for which the request is answered, in seconds since 1970-01-01T00:00:00Z. The
    /// default is the instant of the engine's clock.
    pub now: Option<i64>,
}

impl Default for Request<'_> {
    fn default() -> Self {
        Request {
            method: "GET",
            target: "/",
            headers: &[],
            body: &[],
            now: None,
        }
    }
}

impl fmt::Debug for Request<'_> {
    /// Omits the value of `HTTP-X-PASSWORD`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Request {
            method,
            target,
            headers,
            body,
            now,
        } = self;
        let headers: Vec<_> = headers
            .iter()
            .map(|(name, value)| {
                let is_secret = name.eq_ignore_ascii_case(PASSWORD);
                (name, if is_secret { &"..." } else { value })
            })
            .collect();
        f.debug_struct("Request")
            .field("method", method)
            .field("target", target)
            .field("headers", &headers)
            .field("body", body)
            .field("now", now)
            .finish()
    }
}

pub(super) const USERNAME: &str = "HTTP-X-USERNAME";
pub(super) const PASSWORD: &str = "HTTP-X-PASSWORD";

impl Request<'_> {
    /// The maximum length of a body, in bytes.
    pub const MAX_BODY_BYTES: usize = 64 << 10;

    /// Returns the value of a header. If the header occurs several times, the last value is
    /// returned.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let mut named = self.headers.iter().rev();
        let found = named.find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| *value)
    }
}

/// The status of an answer, and the data for its headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Status {
    /// The HTTP status code.
    pub code: u16,
    /// The permitted methods, if the request used another one. This is the value of the header
    /// `Allow` of a 405.
    pub allow: Option<&'static str>,
}

impl Status {
    /// The content type of every answer.
    pub const CONTENT_TYPE: &'static str = "application/json; charset=utf-8";

    pub(super) const fn new(code: u16) -> Status {
        Status { code, allow: None }
    }
}

/// An answer: its status, and the body that the service would send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The status.
    pub status: Status,
    /// The body, compact JSON in UTF-8.
    pub body: Vec<u8>,
}

impl Answer {
    /// Returns the body as text.
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap_or_default()
    }

    /// Returns the headers of the answer: the content type, the content length, and `Allow` if the
    /// path does not permit the method.
    pub fn headers(&self) -> impl Iterator<Item = (&'static str, String)> {
        [
            Some(("Content-Type", Status::CONTENT_TYPE.to_owned())),
            Some(("Content-Length", self.body.len().to_string())),
            self.status.allow.map(|allow| ("Allow", allow.to_owned())),
        ]
        .into_iter()
        .flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_written_out_without_its_password() {
        let request = Request {
            target: "/api/v1/settings/clients",
            headers: &[
                ("HTTP-X-USERNAME", "demo"),
                ("Http-X-Password", "hunter2"),
                ("HTTP-X-PASSWORD", "hunter2"),
            ],
            ..Request::default()
        };
        let written = format!("{request:?} {request:#?}");
        assert!(written.contains("settings/clients") && written.contains("demo"));
        assert!(!written.contains("hunter2"), "{written}");
    }
}
