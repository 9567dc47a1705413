//! The types of the fields of v2, by the names of the fields.

use serde_json::Value;

const NUMBERS: [&str; 15] = [
    "id",
    "learner_id",
    "subject_id",
    "year",
    "term",
    "term_id",
    "mark",
    "weight",
    "percentage",
    "mark_out_of",
    "learning_outcome_id",
    "assessment_id",
    "school_id",
    "api_type_id",
    "gross_annual_income",
];
const IDS: [&str; 13] = [
    "ethnic_group_id",
    "home_language_id",
    "tuition_language_id",
    "grade_id",
    "register_class_teacher_id",
    "parent1_id",
    "parent2_id",
    "marital_status_id",
    "super_subject_id",
    "subject_group_id",
    "classroom_id",
    "subject_group_teacher_id",
    "accountable_person_id",
];
const FLAGS: [&str; 5] = [
    "captured",
    "has_after_school_center",
    "has_hostel",
    "uses_debit_orders",
    "uses_cashless",
];
/// Fields that contain records.
const NESTED: [&str; 4] = ["parents", "accountable_person", "learners", "terms"];

/// The number of non-empty values of each type.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) numbers: u32,
    pub(crate) ids: u32,
    pub(crate) flags: u32,
    pub(crate) texts: u32,
}

/// Checks the type of every field of a record.
pub(crate) fn check(what: &str, record: &Value, seen: &mut Seen) {
    for (name, value) in record.as_object().unwrap() {
        let name = name.as_str();
        let what = format!("{what}: {name}: {value}");
        if NESTED.contains(&name) {
            match value {
                Value::Array(records) => {
                    for record in records {
                        check(&what, record, seen);
                    }
                }
                Value::Object(_) => check(&what, value, seen),
                _ => assert!(value.is_null() && name == "accountable_person", "{what}"),
            }
            continue;
        }
        if value.is_null() {
            continue;
        }
        let (fits, count) = if NUMBERS.contains(&name) {
            let is_absent = name == "percentage" && value == "a";
            (value.is_number() || is_absent, &mut seen.numbers)
        } else if IDS.contains(&name) {
            (is_id(value), &mut seen.ids)
        } else if FLAGS.contains(&name) {
            (value.is_boolean(), &mut seen.flags)
        } else {
            (
                value.as_str().is_some_and(|text| !text.is_empty()),
                &mut seen.texts,
            )
        };
        assert!(fits, "{what}");
        *count += 1;
    }
}

/// Returns whether this is a number, or a string that is not the usual form of a number.
fn is_id(value: &Value) -> bool {
    let Some(text) = value.as_str() else {
        return value.is_u64();
    };
    let number: Option<u64> = text.parse().ok();
    !text.is_empty() && number.is_none_or(|number| number.to_string() != text)
}
