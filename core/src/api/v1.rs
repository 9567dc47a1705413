//! The envelope of v1: an answer bare, an error with its title and text
//! (2.10, section 7).

use super::asked::Asked;
use super::faults::{Faults, Wrong};
use super::refusal::{ID_REUSED, Refusal, TOO_LARGE, TRY_AGAIN, please_activate, please_use};
use super::request::Status;
use crate::error::Result;
use crate::json::{self, Chunks};
use crate::query::{Outcome, View};

const NOT_AUTHORISED: &str = "Client access not authorised";

/// Asks a question; what it refuses or does not find becomes an error body.
pub(crate) fn answer_question(
    question: &(impl Asked + ?Sized),
    view: View<'_>,
    out: &mut Vec<u8>,
) -> Result<Status> {
    let outcome = question.answer(view, &mut Chunks::over(out))?;
    Ok(match outcome {
        Outcome::Found => Status::of(200),
        Outcome::Nothing => refuse(&Refusal::Nothing(question.errors()), out),
        Outcome::Refused(rule) => refuse(&Refusal::Invalid(&Faults::from(rule)), out),
        Outcome::Unauthorised => refuse(&Refusal::Client, out),
    })
}

pub(super) fn refuse(refusal: &Refusal<'_>, out: &mut Vec<u8>) -> Status {
    match refusal {
        Refusal::Route => error(404, "Not found", "Route not found", out),
        Refusal::Method(allow) => Status {
            allow: Some(allow),
            ..error(405, "Method not allowed", &please_use(allow), out)
        },
        Refusal::Invalid(faults) => bad_request(&first_text(faults), out),
        Refusal::Credentials(errors) => error(
            401,
            "Unauthorized",
            errors.refused.unwrap_or(NOT_AUTHORISED),
            out,
        ),
        Refusal::Client => error(401, "Unauthorized", NOT_AUTHORISED, out),
        Refusal::Inactive(api_type) => {
            let text = please_activate(api_type);
            error(403, "Integration not activated", &text, out)
        }
        Refusal::TooLarge => error(413, "Content Too Large", TOO_LARGE, out),
        Refusal::IdReused => error(409, "Conflict", ID_REUSED, out),
        Refusal::Nothing(errors) => error(404, "Not found", errors.nothing, out),
        Refusal::Failed(text) => error(500, "Internal Server Error", text, out),
        Refusal::Crowded => error(503, "Service Unavailable", TRY_AGAIN, out),
    }
}

/// What is wrong with the first field at fault.
pub(super) fn first_text(faults: &Faults) -> String {
    let first = faults.first();
    first.map_or_else(String::new, |(field, wrong)| wrong_text(field, wrong))
}

/// What is wrong with a field, in v1's words.
pub(super) fn wrong_text(field: &str, wrong: &Wrong) -> String {
    let expected = match wrong {
        Wrong::Id | Wrong::Number => "an unsigned integer",
        Wrong::Ids => "an unsigned integer or a comma-separated list of them",
        Wrong::Date => "a date (YYYY-MM-DD)",
        Wrong::Boolean => "1, true, 0 or false",
        Wrong::Other(text) => return text.to_string(),
    };
    format!("{field} must be {expected}")
}

pub(super) fn bad_request(text: &str, out: &mut Vec<u8>) -> Status {
    error(400, "Bad Request", text, out)
}

fn error(code: u16, title: &str, text: &str, out: &mut Vec<u8>) -> Status {
    out.clear();
    out.extend_from_slice(b"{\"error\":");
    json::push_string(out, title);
    out.extend_from_slice(b",\"error_description\":");
    json::push_string(out, text);
    out.push(b'}');
    Status::of(code)
}
