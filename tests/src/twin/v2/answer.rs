//! Answers of v2 and their exact texts (`v2.md`, "Checks").

use super::super::answer::TwinAnswer;
use super::super::params::Fault;
use super::super::render::Json;

/// Returns an answer with a JSON body.
pub(crate) fn answer(status: u16, json: &Json) -> TwinAnswer {
    TwinAnswer {
        status,
        allow: None,
        body: json.to_string().into_bytes(),
    }
}

/// Returns an answer with `success`, `message`, and an additional member.
pub(crate) fn message(
    status: u16,
    success: bool,
    message: &str,
    more: Option<(&str, Json)>,
) -> TwinAnswer {
    let mut members = vec![
        ("success".to_owned(), Json::Bool(success)),
        ("message".to_owned(), Json::text(message)),
    ];
    members.extend(more.map(|(name, value)| (name.to_owned(), value)));
    answer(status, &Json::Object(members))
}

/// Returns a refusal that has only a message.
pub(crate) fn refused(status: u16, text: &str) -> TwinAnswer {
    message(status, false, text, None)
}

/// Returns the answer for wrong credentials, or for a school or API type that is not authorised.
pub(crate) fn no_access() -> TwinAnswer {
    refused(401, "Client has not authorised access")
}

/// Returns the answer to a method that the path does not support.
pub(crate) fn method_not_allowed(description: &str, allow: &str) -> TwinAnswer {
    TwinAnswer {
        allow: Some(allow.to_owned()),
        ..refused(405, description)
    }
}

/// Returns the answer for faulty fields, each with its message.
pub(crate) fn invalid(faults: &[(String, String)]) -> TwinAnswer {
    let errors = faults
        .iter()
        .map(|(name, text)| (name.clone(), Json::text(text)));
    let errors = Json::Object(errors.collect());
    message(
        400,
        false,
        "Validation Failed",
        Some(("validation_errors", errors)),
    )
}

/// Returns the answer for faulty parameters. A fault of several parameters is repeated for each.
pub(crate) fn invalid_params(faults: &[Fault]) -> TwinAnswer {
    let mut fields = Vec::new();
    for fault in faults {
        for name in &fault.names {
            fields.push(((*name).to_owned(), words(name, &fault.message)));
        }
    }
    invalid(&fields)
}

/// Returns a message of v1 in the wording of the service's v2, if that is known.
fn words(name: &str, message: &str) -> String {
    let is_id = name == "id" || name.ends_with("_id");
    let title = || {
        let words = name
            .split('_')
            .map(|word| word[..1].to_uppercase() + &word[1..]);
        words.collect::<Vec<_>>().join(" ")
    };
    let expected = message
        .strip_prefix(name)
        .and_then(|rest| rest.strip_prefix(" must be "));
    match expected {
        Some(what) if is_id && what.starts_with("an unsigned integer") => {
            format!("The {name} is invalid")
        }
        Some("a date (YYYY-MM-DD)") => format!(
            "The {} is not valid date format. Expected format is 'Y-m-d'.",
            title()
        ),
        Some("1, true, 0 or false") => format!("The {} must be a boolean", title()),
        _ => message.to_owned(),
    }
}

/// Returns the answer for an id whose record does not exist or is not visible.
pub(crate) fn no_such_id() -> TwinAnswer {
    refused(404, "The requested ID does not exist in the system")
}
