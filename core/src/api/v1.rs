//! The envelope of v1: data without an envelope, or an error with its title and description (2.10,
//! section 7).

use super::message::Status;
use super::refusal::{
    ID_REUSED, NO_SUCH_ID, Refusal, TOO_LARGE, TRY_AGAIN, please_activate, please_use,
};
use crate::json;
use crate::query::{CLIENT_NOT_AUTHORISED, ValidationErrors, Wrong};

pub(super) fn refuse(refusal: &Refusal, out: &mut Vec<u8>) -> Status {
    match refusal {
        Refusal::Route => error(404, "Not found", "Route not found", out),
        Refusal::Method(allow) => Status {
            allow: Some(allow),
            ..error(405, "Method not allowed", &please_use(allow), out)
        },
        Refusal::Invalid(faults) => error(400, "Bad Request", &first_text(faults), out),
        Refusal::Credentials(text) => error(401, "Unauthorized", text, out),
        Refusal::SchoolNotAuthorised => error(401, "Unauthorized", CLIENT_NOT_AUTHORISED, out),
        Refusal::Inactive(api_type) => {
            let text = please_activate(api_type);
            error(403, "Integration not activated", &text, out)
        }
        Refusal::TooLarge => error(413, "Content Too Large", TOO_LARGE, out),
        Refusal::IdReused => error(409, "Conflict", ID_REUSED, out),
        Refusal::Nothing(text) => error(404, "Not found", text, out),
        Refusal::NoRecord => error(404, "Not found", NO_SUCH_ID, out),
        Refusal::Failed(text) => error(500, "Internal Server Error", text, out),
        Refusal::Synced(text) => error(503, "Service Unavailable", text, out),
        Refusal::TooManyLogins => error(503, "Service Unavailable", TRY_AGAIN, out),
    }
}

/// Returns the text of the first validation error.
pub(super) fn first_text(faults: &ValidationErrors) -> String {
    let first = faults.first();
    first.map_or_else(String::new, |(field, wrong)| wrong_text(field, wrong))
}

/// Returns the text of a validation error in v1.
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

fn error(code: u16, title: &str, text: &str, out: &mut Vec<u8>) -> Status {
    out.clear();
    out.extend_from_slice(b"{\"error\":");
    json::push_string(out, title);
    out.extend_from_slice(b",\"error_description\":");
    json::push_string(out, text);
    out.push(b'}');
    Status::new(code)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::ApiVersion;
    use crate::query::ENDPOINTS;

    fn faults(endpoint: &str, query: &str) -> Vec<(String, String)> {
        let named = ENDPOINTS.iter().find(|known| known.name == endpoint);
        let faults = named.map(|endpoint| endpoint.describe(ApiVersion::V1, None, query).1);
        let faults = faults.unwrap_or_default();
        let pairs = faults.iter();
        pairs
            .map(|(field, wrong)| (field.to_owned(), wrong_text(field, wrong)))
            .collect()
    }

    fn first(endpoint: &str, query: &str) -> String {
        let first = faults(endpoint, query).into_iter().next();
        first.map(|(_, message)| message).unwrap_or_default()
    }

    #[test]
    fn faults_are_in_the_order_of_the_table() {
        let found = faults(
            "learners",
            "family_code=x&grade_id=8,,9&status=Left&until=2026-02-30",
        );
        let names: Vec<_> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["status", "until", "grade_id", "family_code"]);
        for (endpoint, query, expected) in [
            (
                "learners",
                "grade_id=8%099",
                "grade_id must be an unsigned integer or a comma-separated list of them",
            ),
            ("learners", "grade_id=%208%20,9", ""),
            (
                "learners",
                "family_code=-1",
                "family_code must be an unsigned integer",
            ),
            (
                "learners",
                "until=2026-02-30&since=x",
                "since must be a date (YYYY-MM-DD)",
            ),
            (
                "learnerassessmentmarks",
                "structure=yes&year=1.5",
                "year must be an unsigned integer",
            ),
            (
                "learnerassessmentmarks",
                "structure=yes",
                "structure must be 1, true, 0 or false",
            ),
            (
                "learnerassessmentmarks",
                "structure=TRUE&learner_id=18446744073709551615",
                "",
            ),
            (
                "learnerassessmentmarks",
                "learner_id=18446744073709551616",
                "learner_id must be an unsigned integer",
            ),
            (
                "learnersubjectmarks",
                "learner_id=",
                "Please provide a learner_id",
            ),
            (
                "finance learners",
                "all_accounts=yes&parent_id=x",
                "parent_id must be an unsigned integer",
            ),
        ] {
            assert_eq!(first(endpoint, query), expected, "{query}");
        }
    }
}
