//! Every status and text of v2 comes up, and the combinations that are easily missed.

use std::collections::BTreeSet;

use super::{Action, Outcome, body, run};
use crate::twin::TwinAnswer;

/// Statuses with their messages; of a 400, each field with its message.
const ANSWERS: [&str; 55] = [
    "200",
    "200 Integration successfully activated",
    "200 Integration successfully deactivated",
    "400 HTTP-X-SCHOOLID HTTP-X-SCHOOLID is required",
    "400 HTTP-X-SCHOOLID HTTP-X-SCHOOLID must be an unsigned integer",
    "400 Integration already activated",
    "400 Integration already deactivated",
    "400 accountable_person_id accountable_person_id must be an unsigned integer",
    "400 all_accounts all_accounts must be 1, true, 0 or false",
    "400 api_type_id The api_type_id is invalid",
    "400 api_type_id api_type_id must be an unsigned integer",
    "400 assessment_id assessment_id must be an unsigned integer",
    "400 body The body must be a JSON object",
    "400 cursor The cursor is of another request or damaged: leave it out to start from the first page",
    "400 family_code family_code must be an unsigned integer",
    "400 from_date from_date must be a date (YYYY-MM-DD)",
    "400 from_date from_date to to_date must not exceed 31 days",
    "400 from_date to_date must not be before from_date",
    "400 grade_id Please provide a learner_id or grade_id",
    "400 grade_id grade_id must be an unsigned integer",
    "400 grade_id grade_id must be an unsigned integer or a comma-separated list of them",
    "400 id id must be an unsigned integer",
    "400 learner_id Please provide a learner_id",
    "400 learner_id Please provide a learner_id or grade_id",
    "400 learner_id learner_id must be an unsigned integer",
    "400 learning_outcome_id learning_outcome_id must be an unsigned integer",
    "400 limit limit must be an unsigned integer above 0",
    "400 parent_id parent_id must be an unsigned integer",
    "400 reverse_order reverse_order must be 1, true, 0 or false",
    "400 school_id The school_id is invalid",
    "400 school_id school_id must be an unsigned integer",
    "400 school_id stands twice in the body",
    "400 since since must be a date (YYYY-MM-DD)",
    "400 since since must not be later than until",
    "400 since since to until must not exceed 1 year",
    "400 state The State must be a boolean",
    "400 status status must be current, left or waitlist",
    "400 structure structure must be 1, true, 0 or false",
    "400 subject_id subject_id must be an unsigned integer",
    "400 term term must be an unsigned integer",
    "400 to_date from_date to to_date must not exceed 31 days",
    "400 to_date to_date must be a date (YYYY-MM-DD)",
    "400 until since must not be later than until",
    "400 until until must be a date (YYYY-MM-DD)",
    "400 x\"\n stands twice in the body",
    "400 y stands twice in the body",
    "400 year year must be an unsigned integer",
    "401 Client has not authorised access",
    "403 Please activate the Smith for this client before making this request",
    "404 No debtor records found",
    "404 No learner absentee records found",
    "404 No learner records found",
    "404 Route not found",
    "405 Use GET",
    "405 Use GET, POST or PATCH",
];

/// What an answer says: a line for each field at fault, else one.
fn told(answer: &TwinAnswer) -> Vec<String> {
    let body = body(answer);
    let status = answer.status;
    if let Some(errors) = body.get("validation_errors") {
        let errors = errors.as_object().expect("an object of fields");
        let line = |(name, text): (&String, &serde_json::Value)| {
            format!("{status} {name} {}", text.as_str().expect("a message"))
        };
        return errors.iter().map(line).collect();
    }
    let text = body.get("message").and_then(serde_json::Value::as_str);
    let text = text.map_or_else(String::new, |text| format!(" {text}"));
    vec![format!("{status}{text}")]
}

/// What the body of an answer can hold that is not in every one.
const CONTENTS: [(&str, &str); 22] = [
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
    ("learnerassessmentmarks", "\"percentage\":41.67,"),
    ("learnerassessmentmarks", "\"captured\":false"),
    ("learnersubjectsperterm", "\"term_id\":0,"),
    ("learnersubjectsperterm", "\"terms\":[]"),
    ("learnersubjectmarks", "\"mark\":7.50"),
    ("debtmanagement/schools", "\"has_hostel\":true"),
    ("debtmanagement/schools", "\"uses_cashless\":null"),
    ("debtmanagement/learners", "\"accountable_person\":{"),
    ("debtmanagement/learners", "\"accountable_person\":null"),
    (
        "debtmanagement/learners",
        "\"accountable_person_id\":\"0040\",\"parents\":[{",
    ),
    (
        "learnerparentinfo",
        "\"accountable_person\":{\"accountable_person_id\":\"40\"",
    ),
    ("accountablepersons", "\"learners\":[{\"learner_id\":"),
    ("accountablepersons", "\"learners\":[]"),
    ("schooldebtors", "\"learners\":[{\"learner_id\":\""),
];

#[test]
fn every_answer_of_v2_comes_up() {
    let mut answers: BTreeSet<String> = ANSWERS.into_iter().map(str::to_owned).collect();
    let mut contents = CONTENTS.to_vec();
    let mut several = false;
    for seed in 1000..3000 {
        run(seed, 40, |action, outcome| {
            let (Action::Request { target, .. }, Outcome::Answered(answer)) = (action, outcome)
            else {
                return;
            };
            let body = String::from_utf8_lossy(&answer.body);
            contents.retain(|(path, text)| !(target.contains(path) && body.contains(text)));
            if target.starts_with("/api/v2") {
                let told = told(answer);
                several |= told.len() > 2;
                for line in told {
                    answers.remove(&line);
                }
            }
        });
        if answers.is_empty() && contents.is_empty() && several {
            return;
        }
    }
    panic!("never: {answers:#?} {contents:#?}, several faults {several}");
}
