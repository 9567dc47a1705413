//! Every status and error text of both versions occurs, and also rare content of answers.

use std::collections::BTreeSet;

use super::{Action, LIVES, Outcome, body, description};
use rollbook_tests::twin::{TwinAnswer, nothing_found};

/// All answers that must occur. Names of parameters and members are replaced by `…`.
const ANSWERS: [&str; 50] = [
    "v1 200",
    "v1 204",
    "v1 400 Invalid integration state provided",
    "v1 400 Please provide a learner_id",
    "v1 400 Please provide a learner_id or grade_id",
    "v1 400 The body has the name … twice",
    "v1 400 The body must be a JSON object",
    "v1 400 from_date to to_date must not exceed 31 days",
    "v1 400 … must be 1, true, 0 or false",
    "v1 400 … must be a date (YYYY-MM-DD)",
    "v1 400 … must be an unsigned integer",
    "v1 400 … must be an unsigned integer or a comma-separated list of them",
    "v1 400 … must be current, left or waitlist",
    "v1 400 since must not be later than until",
    "v1 400 since to until must not exceed 1 year",
    "v1 400 to_date must not be before from_date",
    "v1 401 Client access not authorised",
    "v1 401 Client access not authorised for this API type",
    "v1 401 Request not authorised",
    "v1 403 Please activate the  for this client before making this request",
    "v1 403 Please activate the Smith for this client before making this request",
    "v1 404 Route not found",
    "v1 405 Use GET",
    "v1 405 Use GET or PATCH",
    "v2 200",
    "v2 200 Integration successfully activated",
    "v2 200 Integration successfully deactivated",
    "v2 400 Integration already activated",
    "v2 400 Integration already deactivated",
    "v2 400 HTTP-X-SCHOOLID is required",
    "v2 400 Please provide a learner_id",
    "v2 400 Please provide a learner_id or grade_id",
    "v2 400 The … is invalid",
    "v2 400 The … is not valid date format. Expected format is 'Y-m-d'.",
    "v2 400 The … must be a boolean",
    "v2 400 The body must be a JSON object",
    "v2 400 The cursor is of another request or damaged: leave it out to start from the first page",
    "v2 400 from_date to to_date must not exceed 31 days",
    "v2 400 … must be an unsigned integer",
    "v2 400 … must be an unsigned integer above 0",
    "v2 400 … must be current, left or waitlist",
    "v2 400 since to until must not exceed 1 year",
    "v2 400 … stands twice in the body",
    "v2 400 to_date must not be before from_date",
    "v2 401 Client has not authorised access",
    "v2 403 Please activate the Smith for this client before making this request",
    "v2 404 Route not found",
    "v2 404 The requested ID does not exist in the system",
    "v2 405 Use GET",
    "v2 405 Use GET, POST or PATCH",
];

/// Error texts that cannot occur, because random schools always have such records or are never
/// asked without them.
const ALWAYS_THERE: [&str; 5] = [
    "No school records found",
    "No school record found",
    "No grades found",
    "No ethnic groups found",
    "No languages found",
];

/// Parts of targets, and text that must occur in their answers.
const CONTENTS: [(&str, &str); 27] = [
    ("adminplus/learners", "\"parents\":[{\"id\":"),
    ("adminplus/learners", "\"grade_id\":\"009\""),
    ("adminplus/learners", "\"grade_id\":9,"),
    ("adminplus/learners", "\"gross_annual_income\":120000.00"),
    ("adminplus/learners", "\"gross_annual_income\":-1.01"),
    ("adminplus/learners", "\"parent1_id\":18446744073709551615"),
    (
        "adminplus/learners",
        "\"parent1_id\":\"18446744073709551616\"",
    ),
    (
        "learnerassessmentmarks",
        "\"percentage\":\"a\",\"mark\":null",
    ),
    ("learnerassessmentmarks", "\"captured\":false"),
    ("learnersubjectsperterm", "\"term_id\":0,"),
    ("learnersubjectsperterm", "\"terms\":[]"),
    ("learnersubjectmarks", "\"mark\":7.50"),
    ("adminplus/school", "\"tuition_languages\":[\""),
    ("adminplus/learnerdiscipline", "\"discipline_points\":-3,"),
    ("adminplus/staffmembers", "\"is_educator\":\"No\""),
    ("adminplus/parents", "\"gross_annual_income\":-1.01"),
    ("adminplus/lookup/grade", "\"name\":\"Grade "),
    ("debtmanagement/schools", "\"has_hostel\":true"),
    ("debtmanagement/schools", "\"uses_cashless\":null"),
    ("debtmanagement/learners", "\"accountable_person\":{"),
    ("debtmanagement/learners", "\"accountable_person\":null"),
    (
        "debtmanagement/learners",
        "\"accountable_person_id\":\"0040\"",
    ),
    ("debtmanagement/learners", "null,\"parents\":[{"),
    (
        "learnerparentinfo",
        "\"accountable_person\":{\"accountable_person_id\":\"40\"",
    ),
    ("accountablepersons", "\"learners\":[{\"learner_id\":"),
    ("accountablepersons", "\"learners\":[]"),
    ("schooldebtors", "\"learners\":[{\"learner_id\":\""),
];

#[test]
#[ignore = "tests/run searches"]
fn every_answer_occurs() {
    let mut answers: BTreeSet<String> = ANSWERS.map(str::to_owned).into();
    let nothing = nothing_found().filter(|text| !ALWAYS_THERE.contains(text));
    answers.extend(nothing.map(|text| format!("v1 404 {text}")));
    let mut contents = CONTENTS.to_vec();
    let mut several = false;
    for (action, outcome) in LIVES.iter().flat_map(|life| &life.steps) {
        let (Action::Request { target, .. }, Outcome::Answered(answer)) = (action, outcome) else {
            continue;
        };
        let body = String::from_utf8_lossy(&answer.body);
        contents.retain(|(path, text)| !(target.contains(path) && body.contains(text)));
        let lines = summaries(target, answer);
        several |= lines.len() > 2;
        for line in lines {
            answers.remove(line.as_str());
        }
    }
    assert!(
        answers.is_empty() && contents.is_empty() && several,
        "never: {answers:#?} {contents:#?}, several faults {several}"
    );
}

/// Returns the summaries of an answer: one line for each invalid field, or one line.
fn summaries(target: &str, answer: &TwinAnswer) -> Vec<String> {
    let body = body(answer);
    let version = if target.starts_with("/api/v2") {
        "v2"
    } else {
        "v1"
    };
    let texts = match body["validation_errors"].as_object() {
        Some(errors) => errors.values().map(|text| text.as_str().unwrap()).collect(),
        None => vec![description(&body).unwrap_or_default()],
    };
    let line = |text| format!("{version} {} {}", answer.status, nameless(text));
    texts
        .into_iter()
        .map(|text| line(text).trim_end().to_owned())
        .collect()
}

fn nameless(text: &str) -> String {
    const TWICE: &str = "The body has the name ";
    if let Some(rest) = text.strip_prefix("The ") {
        for what in [
            "is invalid",
            "is not valid date format. Expected format is 'Y-m-d'.",
            "must be a boolean",
        ] {
            if rest.ends_with(what) {
                return format!("The … {what}");
            }
        }
    }
    if text.ends_with(" stands twice in the body") {
        return "… stands twice in the body".to_owned();
    }
    match text.split_once(" must be ") {
        Some((name, what)) if !name.contains(' ') => format!("… must be {what}"),
        _ if text.starts_with(TWICE) => format!("{TWICE}… twice"),
        _ => text.to_owned(),
    }
}
