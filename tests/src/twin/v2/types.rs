//! JSON types (`v2.md`, "Types"): a record of v1, whose values are texts, with real types.

use super::super::integers::digits;
use super::super::render::Json;
use super::super::route::Endpoint;

/// A row of the table of types: the names of the fields that are not text.
struct Types {
    numbers: &'static [&'static str],
    ids: &'static [&'static str],
    flags: &'static [&'static str],
    /// Fields that hold a record or several, with the types of those.
    records: &'static [(&'static str, &'static Types)],
}

static LEARNER: Types = Types {
    numbers: &["id"],
    ids: &[
        "ethnic_group_id",
        "home_language_id",
        "tuition_language_id",
        "grade_id",
        "register_class_teacher_id",
        "parent1_id",
        "parent2_id",
    ],
    flags: &[],
    records: &[("parents", &PARENT)],
};

static PARENT: Types = Types {
    numbers: &["id", "gross_annual_income"],
    ids: &["ethnic_group_id", "home_language_id", "marital_status_id"],
    flags: &[],
    records: &[],
};

static LEARNER_SUBJECT: Types = Types {
    numbers: &["learner_id", "subject_id"],
    ids: &[],
    flags: &[],
    records: &[],
};

static SUBJECT_PER_TERM: Types = Types {
    numbers: &["year", "subject_id", "grade_id"],
    ids: &["super_subject_id"],
    flags: &[],
    records: &[("terms", &TERM)],
};

static TERM: Types = Types {
    numbers: &["term_id", "term"],
    ids: &[
        "subject_group_id",
        "classroom_id",
        "subject_group_teacher_id",
    ],
    flags: &[],
    records: &[],
};

static SUBJECT_MARKS: Types = Types {
    numbers: &["year", "subject_id", "grade_id"],
    ids: &[],
    flags: &[],
    records: &[("terms", &MARKED_TERM)],
};

static MARKED_TERM: Types = Types {
    numbers: &["term", "mark"],
    ids: &[],
    flags: &[],
    records: &[],
};

static ASSESSMENT_MARK: Types = Types {
    numbers: &[
        "grade_id",
        "year",
        "term",
        "learner_id",
        "subject_id",
        "learning_outcome_id",
        "assessment_id",
        "weight",
        "percentage",
        "mark",
        "mark_out_of",
    ],
    ids: &[],
    flags: &["captured"],
    records: &[],
};

static ABSENTEE: Types = Types {
    numbers: &["id", "learner_id"],
    ids: &[],
    flags: &[],
    records: &[],
};

static SCHOOL: Types = Types {
    numbers: &["school_id"],
    ids: &[],
    flags: &[
        "has_after_school_center",
        "has_hostel",
        "uses_debit_orders",
        "uses_cashless",
    ],
    records: &[],
};

static CLIENT_INTEGRATION: Types = Types {
    numbers: &["school_id", "api_type_id"],
    ids: &[],
    flags: &[],
    records: &[],
};

static FINANCE_LEARNER: Types = Types {
    numbers: &["learner_id"],
    ids: &["parent1_id", "parent2_id", "accountable_person_id"],
    flags: &[],
    records: &[
        ("parents", &PARENT),
        ("accountable_person", &ACCOUNTABLE_PERSON),
    ],
};

static ACCOUNTABLE_PERSON: Types = Types {
    numbers: &["accountable_person_id"],
    ids: &[],
    flags: &[],
    records: &[("learners", &FINANCE_LEARNER)],
};

/// A record of an endpoint with the types of v2.
pub(crate) fn typed(endpoint: Endpoint, record: Json) -> Json {
    let types = match endpoint {
        Endpoint::Learners => &LEARNER,
        Endpoint::Absentees => &ABSENTEE,
        Endpoint::AssessmentMarks => &ASSESSMENT_MARK,
        Endpoint::SubjectsPerTerm => &SUBJECT_PER_TERM,
        Endpoint::SubjectMarks => &SUBJECT_MARKS,
        Endpoint::LearnerSubjects => &LEARNER_SUBJECT,
        Endpoint::Schools => &SCHOOL,
        Endpoint::Clients | Endpoint::StateUpdate => &CLIENT_INTEGRATION,
        Endpoint::FinanceLearners => &FINANCE_LEARNER,
        Endpoint::AccountablePersons => &ACCOUNTABLE_PERSON,
    };
    with(types, record)
}

fn with(types: &Types, record: Json) -> Json {
    match record {
        Json::List(items) => {
            let items = items.into_iter().map(|item| with(types, item));
            Json::List(items.collect())
        }
        Json::Object(members) => {
            let members = members.into_iter().map(|(name, value)| {
                let name = if name == "school_login_id" {
                    "school_id".to_owned()
                } else {
                    name
                };
                let value = field(types, &name, value);
                (name, value)
            });
            Json::Object(members.collect())
        }
        other => other,
    }
}

/// An empty field is null; text stays as it is, and so does the percentage `a`.
fn field(types: &Types, name: &str, value: Json) -> Json {
    if let Some((_, types)) = types.records.iter().find(|(records, _)| *records == name) {
        return with(types, value);
    }
    let Json::Text(text) = value else {
        return value;
    };
    let is_number = types.numbers.contains(&name) && text != "a"
        || types.ids.contains(&name) && is_canonical(&text);
    if text.is_empty() {
        Json::Null
    } else if is_number {
        Json::Digits(text)
    } else if types.flags.contains(&name) {
        Json::Bool(text == "Yes" || text == "1")
    } else {
        Json::Text(text)
    }
}

/// Digits without a leading zero, at most 2^64−1; `0` is.
fn is_canonical(text: &str) -> bool {
    digits(text).is_some_and(|number| number.to_string() == text)
}
