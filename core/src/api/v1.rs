//! The envelope of v1: an answer bare, an error with its title and text
//! (2.10, section 7).

use super::request::Status;
use crate::Result;
use crate::json;
use crate::query::{
    Absentees, AssessmentMarks, Clients, LearnerSubjects, Learners, Outcome, Question, Schools,
    SubjectMarks, SubjectsPerTerm, View,
};

/// The texts of an endpoint's errors.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Errors {
    /// 401, if the credentials are wrong.
    pub(super) refused: &'static str,
    /// 404, if there are no records.
    pub(super) nothing: &'static str,
}

const NOT_AUTHORISED: &str = "Client access not authorised";
const NO_INTEGRATIONS: &str = "No client-authorised integrations found";

/// A question and the texts of its errors.
pub(crate) trait Errs: Question {
    const ERRORS: Errors;
}

macro_rules! errs {
    ($question:ty, $refused:expr, $nothing:expr) => {
        impl Errs for $question {
            const ERRORS: Errors = Errors {
                refused: $refused,
                nothing: $nothing,
            };
        }
    };
}

errs!(Learners<'_>, NOT_AUTHORISED, "No learner records found");
errs!(
    AssessmentMarks,
    NOT_AUTHORISED,
    "No subject mark records found"
);
errs!(
    SubjectMarks,
    NOT_AUTHORISED,
    "No subject mark records found"
);
errs!(
    SubjectsPerTerm,
    NOT_AUTHORISED,
    "No learner subject records found"
);
errs!(
    LearnerSubjects,
    NOT_AUTHORISED,
    "No learner subject records found"
);
errs!(
    Absentees,
    NOT_AUTHORISED,
    "No learner absentee records found"
);
errs!(
    Schools<'_>,
    "Request not authorised",
    "No school records found"
);
errs!(Clients<'_>, "Request not authorised", NO_INTEGRATIONS);

pub(super) const SET_STATE: Errors = Errors {
    refused: "Client access not authorised for this API type",
    nothing: NO_INTEGRATIONS,
};

/// Asks a question; what it refuses or does not find becomes an error body.
pub(crate) fn answer_question<Q: Errs>(
    question: &Q,
    view: View<'_>,
    out: &mut Vec<u8>,
) -> Result<Status> {
    out.clear();
    Ok(match question.answer(view, out)? {
        Outcome::Found => Status::of(200),
        Outcome::Nothing => not_found(Q::ERRORS.nothing, out),
        Outcome::Refused(rule) => bad_request(rule, out),
        Outcome::Unauthorised => unauthorised(NOT_AUTHORISED, out),
    })
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

pub(super) fn route_not_found(out: &mut Vec<u8>) -> Status {
    not_found("Route not found", out)
}

pub(super) fn not_found(text: &str, out: &mut Vec<u8>) -> Status {
    error(404, "Not found", text, out)
}

pub(super) fn bad_request(text: &str, out: &mut Vec<u8>) -> Status {
    error(400, "Bad Request", text, out)
}

pub(super) fn unauthorised(text: &str, out: &mut Vec<u8>) -> Status {
    error(401, "Unauthorized", text, out)
}

/// The school has not authorised the integrator for anything (5.2).
pub(super) fn client_unauthorised(out: &mut Vec<u8>) -> Status {
    unauthorised(NOT_AUTHORISED, out)
}

/// An API family is not activated (5.3); names its API type.
pub(super) fn not_activated(api_type: &str, out: &mut Vec<u8>) -> Status {
    let text = format!("Please activate the {api_type} for this client before making this request");
    error(403, "Integration not activated", &text, out)
}

pub(super) fn method_not_allowed(allow: &'static str, out: &mut Vec<u8>) -> Status {
    let text = format!("Use {}", allow.replace(", ", " or "));
    Status {
        allow: Some(allow),
        ..error(405, "Method not allowed", &text, out)
    }
}

/// The store failed; says how.
pub(crate) fn internal_error(text: &str, out: &mut Vec<u8>) -> Status {
    error(500, "Internal Server Error", text, out)
}
