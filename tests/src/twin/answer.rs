//! Answers of v1 and their exact texts (section 7 of `integration-api.md`; `decisions.md`).

use super::render::Json;

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TwinAnswer {
    /// The HTTP status.
    pub status: u16,
    /// The `Allow` header of a 405.
    pub allow: Option<String>,
    /// The body, which is always JSON.
    pub body: Vec<u8>,
}

/// Returns an answer with data.
pub(crate) fn data(json: &Json) -> TwinAnswer {
    TwinAnswer {
        status: 200,
        allow: None,
        body: json.to_string().into_bytes(),
    }
}

/// Returns one of the two successful answers to a state update.
pub(crate) fn updated(changed: bool) -> TwinAnswer {
    TwinAnswer {
        status: if changed { 200 } else { 204 },
        allow: None,
        body: b"[]".to_vec(),
    }
}

fn refusal(status: u16, error: &str, description: &str) -> TwinAnswer {
    let members = vec![
        ("error".to_owned(), Json::text(error)),
        ("error_description".to_owned(), Json::text(description)),
    ];
    TwinAnswer {
        status,
        allow: None,
        body: Json::Object(members).to_string().into_bytes(),
    }
}

/// Returns the answer to a malformed request.
pub(crate) fn bad_request(description: &str) -> TwinAnswer {
    refusal(400, "Bad Request", description)
}

/// Returns the answer to a request with missing credentials or authorisation.
pub(crate) fn unauthorized(description: &str) -> TwinAnswer {
    refusal(401, "Unauthorized", description)
}

/// Returns the answer if the API family is not activated.
pub(crate) fn not_activated(description: &str) -> TwinAnswer {
    refusal(403, "Integration not activated", description)
}

/// The maximum length of a body in bytes.
pub(crate) const MAX_BODY_BYTES: usize = 65_536;

/// The description of a 413 answer.
pub(crate) const TOO_LARGE: &str = "The body must have at most 65536 bytes";

/// Returns the answer to a body that is too long.
pub(crate) fn too_large() -> TwinAnswer {
    refusal(413, "Content Too Large", TOO_LARGE)
}

/// Returns the answer if nothing was found.
pub(crate) fn not_found(description: &str) -> TwinAnswer {
    refusal(404, "Not found", description)
}

/// Returns the answer to a method that the path does not support.
pub(crate) fn method_not_allowed(allowed: &[&str]) -> TwinAnswer {
    let description = format!("Use {}", allowed.join(" or "));
    let mut answer = refusal(405, "Method not allowed", &description);
    answer.allow = Some(allowed.join(", "));
    answer
}
