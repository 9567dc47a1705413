//! Every status, text and kind of fault comes up.

use std::collections::BTreeSet;

use super::{Action, Outcome, World, description, run};
use crate::twin::{Twin, comparable};

const ANSWERS: [&str; 46] = [
    "200",
    "204",
    "400 Invalid integration state provided",
    "400 Please provide a learner_id",
    "400 Please provide a learner_id or grade_id",
    "400 The body has the name \"state\" twice",
    "400 The body has the name \"x\"\n\" twice",
    "400 The body must be a JSON object",
    "400 accountable_person_id must be an unsigned integer",
    "400 all_accounts must be 1, true, 0 or false",
    "400 api_type_id must be an unsigned integer",
    "400 assessment_id must be an unsigned integer",
    "400 family_code must be an unsigned integer",
    "400 from_date must be a date (YYYY-MM-DD)",
    "400 from_date to to_date must not exceed 31 days",
    "400 grade_id must be an unsigned integer",
    "400 grade_id must be an unsigned integer or a comma-separated list of them",
    "400 learner_id must be an unsigned integer",
    "400 learning_outcome_id must be an unsigned integer",
    "400 school_login_id must be an unsigned integer",
    "400 since must be a date (YYYY-MM-DD)",
    "400 since must not be later than until",
    "400 since to until must not exceed 1 year",
    "400 status must be current, left or waitlist",
    "400 structure must be 1, true, 0 or false",
    "400 subject_id must be an unsigned integer",
    "400 term must be an unsigned integer",
    "400 to_date must be a date (YYYY-MM-DD)",
    "400 to_date must not be before from_date",
    "400 until must be a date (YYYY-MM-DD)",
    "400 year must be an unsigned integer",
    "401 Client access not authorised",
    "401 Client access not authorised for this API type",
    "401 Request not authorised",
    "403 Please activate the  for this client before making this request",
    "403 Please activate the Smith for this client before making this request",
    "404 No client-authorised integrations found",
    "404 No debtor records found",
    "404 No learner absentee records found",
    "404 No learner records found",
    "404 No learner subject records found",
    "404 No school records found",
    "404 No subject mark records found",
    "404 Route not found",
    "405 Use GET",
    "405 Use GET or PATCH",
];

const FAULTS: [&str; 26] = [
    "is not an Argon2id hash",
    "is longer than 1 MiB",
    "is not a JSON object",
    "type: is missing",
    "is not a kind of record",
    "is not a field of learner",
    "is not a field of terms",
    "id: stands twice",
    "terms.term: stands twice",
    "id: is missing",
    "terms.term: is missing",
    "transfer_date: is missing",
    "is not an unsigned integer (at most 18446744073709551615)",
    "is not text (a string or an integer)",
    "is not a date (YYYY-MM-DD)",
    "is not a date-time (YYYY-MM-DD HH:MM:SS)",
    "is not a decimal (at most 12 digits, then at most 6 after a point)",
    "at most 6 after a point) or \"a\"",
    "is not one of ",
    "is not an offset (±HH:MM, at most 18:00)",
    "is not an array of objects",
    "terms: term 2 stands twice",
    "deleted: false is not true",
    "does not go with deleted",
    "username: is longer than 256 bytes",
    "does not go with password_hash",
];

const TRANSACTIONS: [&str; 3] = [
    "is not the school to replace",
    "is not in the store",
    "is still needed by a client_integration, year or term",
];

#[test]
fn every_answer_of_v1_comes_up() {
    let mut answers: BTreeSet<String> = ANSWERS.into_iter().map(str::to_owned).collect();
    for seed in 1000..3000 {
        run(seed, 40, |action, outcome| {
            if let (Action::Request { target, .. }, Outcome::Answered(answer)) = (action, outcome) {
                if target.starts_with("/api/v2") {
                    return;
                }
                let text = description(answer).map_or_else(String::new, |text| format!(" {text}"));
                answers.remove(&format!("{}{text}", answer.status));
            }
        });
        if answers.is_empty() {
            return;
        }
    }
    panic!("never: {answers:#?}");
}

#[test]
fn every_fault_of_a_line_comes_up() {
    let mut faults = FAULTS.to_vec();
    for seed in 0..20 {
        let dataset = World::new(seed).faulty_dataset(300);
        for fault in Twin::default().check(&dataset, usize::MAX) {
            faults.retain(|text| !comparable(&fault).contains(text));
        }
    }
    assert!(faults.is_empty(), "never: {faults:#?}");
}

#[test]
fn every_fault_of_a_transaction_comes_up() {
    let mut faults = TRANSACTIONS.to_vec();
    for seed in 0..200 {
        run(seed, 40, |_, outcome| {
            if let Outcome::Refused(fault) = outcome {
                faults.retain(|text| !fault.contains(text));
            }
        });
    }
    assert!(faults.is_empty(), "never: {faults:#?}");
}
