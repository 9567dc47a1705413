//! The bodies of replies that are errors of v1, or not JSON at all.

use crate::json::{self, Object};
use std::borrow::Cow;

/// The title of the error of the service for an invalid request.
const BAD_REQUEST: &str = "Bad Request";

/// The maximum length of an error of the service, in bytes.
const MAX_ERROR_BYTES: usize = 64 << 10;

/// Returns whether a body is JSON. If not, it was truncated, or does not originate from the
/// service.
pub(crate) fn is_json(body: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(body).is_ok()
}

/// Returns whether a body is an error of v1 with this text.
pub(crate) fn has_error(body: &[u8], text: &str) -> bool {
    error_of(body).is_some_and(|[_, description]| description == text)
}

/// Returns whether a body is the error of v1 for an invalid request.
pub(crate) fn is_bad_request(body: &[u8]) -> bool {
    error_of(body).is_some_and(|[error, _]| error == BAD_REQUEST)
}

/// Returns the title and the description of an error of v1.
fn error_of(body: &[u8]) -> Option<[Cow<'_, str>; 2]> {
    let body = Some(body).filter(|body| body.len() <= MAX_ERROR_BYTES)?;
    let object = Object::parse(std::str::from_utf8(body).ok()?).ok()?;
    let text = |name: &str| {
        let mut members = object.members.iter();
        members
            .find(|(of, _)| of == name)
            .and_then(|(_, value)| json::string(value))
    };
    Some([
        text("error").unwrap_or_default(),
        text("error_description")?,
    ])
}
