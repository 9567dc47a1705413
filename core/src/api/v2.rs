//! The envelopes of v2 (section 9): a page of records, a success, or an error.

use super::message::Status;
use super::refusal::{
    ID_REUSED, NO_SUCH_ID, Refusal, TOO_LARGE, TRY_AGAIN, please_activate, please_use,
};
use crate::json;
use crate::query::{ValidationErrors, Wrong};
use std::borrow::Cow;

/// The text before the records of a page.
pub(super) const PAGE_START: &[u8] = b"{\"data\":[";

/// Ends a page with the number of its records and the maximum number. If there is a next page,
/// `push_cursor` appends its cursor.
pub(super) fn end_page(
    records: usize,
    most: u64,
    push_cursor: Option<impl FnOnce(&mut Vec<u8>)>,
    out: &mut Vec<u8>,
) {
    out.extend_from_slice(b"],\"meta\":{\"limit\":");
    json::push_integer(out, records as u64);
    out.extend_from_slice(b",\"max_allowed_limit\":");
    json::push_integer(out, most);
    if let Some(push_cursor) = push_cursor {
        out.extend_from_slice(b",\"next_cursor\":\"");
        push_cursor(out);
        out.push(b'"');
    }
    out.extend_from_slice(b"}}");
}

const NOT_AUTHORISED: &str = "Client has not authorised access";

pub(super) fn refuse(refusal: &Refusal, out: &mut Vec<u8>) -> Status {
    match refusal {
        Refusal::Route => error(404, "Route not found", out),
        Refusal::Method(allow) => Status {
            allow: Some(allow),
            ..error(405, &please_use(allow), out)
        },
        Refusal::Invalid(faults) => invalid(faults, out),
        Refusal::Credentials(_) | Refusal::SchoolNotAuthorised => error(401, NOT_AUTHORISED, out),
        Refusal::Inactive(api_type) => error(403, &please_activate(api_type), out),
        Refusal::TooLarge => error(413, TOO_LARGE, out),
        Refusal::IdReused => error(409, ID_REUSED, out),
        Refusal::Nothing(text) => error(404, text, out),
        Refusal::NoRecord => error(404, NO_SUCH_ID, out),
        Refusal::Failed(text) => error(500, text, out),
        Refusal::Synced(text) => error(503, text, out),
        Refusal::TooManyLogins => error(503, TRY_AGAIN, out),
    }
}

fn error(code: u16, message: &str, out: &mut Vec<u8>) -> Status {
    open(false, message, out);
    out.push(b'}');
    Status::new(code)
}

fn invalid(faults: &ValidationErrors, out: &mut Vec<u8>) -> Status {
    open(false, "Validation Failed", out);
    out.extend_from_slice(b",\"validation_errors\":{");
    for (index, (field, wrong)) in faults.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        json::push_string(out, field);
        out.push(b':');
        json::push_string(out, &wrong_text(field, wrong));
    }
    out.extend_from_slice(b"}}");
    Status::new(400)
}

/// Returns the text of a validation error in v2, which is the text of the service where it is
/// known.
fn wrong_text<'a>(field: &str, wrong: &'a Wrong) -> Cow<'a, str> {
    Cow::Owned(match wrong {
        Wrong::Id | Wrong::Ids => format!("The {field} is invalid"),
        Wrong::Number => format!("{field} must be an unsigned integer"),
        Wrong::Date => format!(
            "The {} is not valid date format. Expected format is 'Y-m-d'.",
            in_words(field)
        ),
        Wrong::Boolean => format!("The {} must be a boolean", in_words(field)),
        Wrong::Other(text) => return Cow::Borrowed(text),
    })
}

/// Returns the name of a field in capitalised words, for example `All Accounts`.
fn in_words(field: &str) -> String {
    let mut begins = true;
    let letters = field.chars().map(|letter| {
        let begun = std::mem::replace(&mut begins, letter == '_');
        match letter {
            '_' => ' ',
            _ if begun => letter.to_ascii_uppercase(),
            _ => letter,
        }
    });
    letters.collect()
}

/// Writes a success, or a failure, with a record.
pub(super) fn with_data(code: u16, message: &str, record: &[u8], out: &mut Vec<u8>) -> Status {
    open(code < 300, message, out);
    out.extend_from_slice(b",\"data\":");
    out.extend_from_slice(record);
    out.push(b'}');
    Status::new(code)
}

fn open(success: bool, message: &str, out: &mut Vec<u8>) {
    out.clear();
    out.extend_from_slice(b"{\"success\":");
    out.extend_from_slice(if success { b"true" } else { b"false" });
    out.extend_from_slice(b",\"message\":");
    json::push_string(out, message);
}
