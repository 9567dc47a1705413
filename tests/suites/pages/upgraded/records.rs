//! Writes the records of answers in a form in which those of v1 and v2 are equal.

use crate::pages::walked::{cursor, found};
use rollbook::Answer;
use serde_json::{Map, Value};

/// Returns a value as v1 writes it, from either version.
fn as_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(flag) => if *flag { "Yes" } else { "No" }.to_owned(),
        Value::Number(number) => match number.as_f64() {
            Some(decimal) if number.is_f64() => format!("{decimal:.2}"),
            _ => number.to_string(),
        },
        // Rounded, because the number in v2 has the same precision.
        Value::String(text) => match (text.as_bytes(), text.parse::<f64>()) {
            ([.., b'.', _, _], Ok(decimal)) => format!("{decimal:.2}"),
            _ => text.clone(),
        },
        Value::Array(records) => {
            let records: Vec<_> = records.iter().map(as_text).collect();
            format!("[{}]", records.join(", "))
        }
        Value::Object(members) => {
            let members = members.iter().filter_map(|(name, value)| {
                // v1 omits a missing accountable person.
                if name == "accountable_person" && value.is_null() {
                    return None;
                }
                let is_school = name == "school_login_id";
                let name = if is_school { "school_id" } else { name };
                let value = match value {
                    Value::Bool(flag) if name == "captured" => u8::from(*flag).to_string(),
                    value => as_text(value),
                };
                Some(format!("{name}: {value}"))
            });
            let mut members: Vec<_> = members.collect();
            members.sort();
            members.join(", ")
        }
    }
}

/// Collects the leaves of a tree, each with the members of the levels above it.
fn flatten(tree: &Value, mut above: Map<String, Value>, ends: &mut Vec<String>) {
    let members = tree.as_object().unwrap();
    let is_inner = |value: &Value| value.is_object();
    let own = members.iter().filter(|(_, value)| !is_inner(value));
    above.extend(own.map(|(name, value)| (name.clone(), value.clone())));
    if members.contains_key("assessment_id") {
        ends.push(as_text(&Value::Object(above)));
        return;
    }
    for inner in members.values().filter(|value| is_inner(value)) {
        flatten(inner, above.clone(), ends);
    }
}

/// Returns whether an answer of v1 is a tree of grades, rather than one record or a list.
fn is_tree(body: &Value) -> bool {
    let grades = body.as_object();
    grades.is_some_and(|grades| grades.values().all(Value::is_object))
}

/// Returns the records of an answer of v1, in order if they have one.
pub(super) fn of_v1(body: &str) -> Vec<String> {
    let body: Value = serde_json::from_str(body).unwrap();
    if let Some(records) = body.as_array() {
        return records.iter().map(as_text).collect();
    }
    if !is_tree(&body) {
        return vec![as_text(&body)];
    }
    let mut ends = Vec::new();
    for (grade, tree) in body.as_object().unwrap() {
        let grade = ("grade_id".to_owned(), Value::from(grade.as_str()));
        flatten(tree, Map::from_iter([grade]), &mut ends);
    }
    ends.sort();
    ends
}

/// Returns the records of v2 from all pages in the form of v1. Returns none if no record was found.
pub(super) fn of_v2(is_tree: bool, first: &Answer, ask: impl Fn(&str) -> Answer) -> Vec<String> {
    if first.status.code == 404 {
        return Vec::new();
    }
    let mut page = found("the first page", first);
    if page.get("data").is_none() {
        return vec![as_text(&page)];
    }
    let mut all = Vec::new();
    loop {
        let records = page["data"].as_array().unwrap();
        all.extend(records.iter().map(as_text));
        let Some(cursor) = cursor(&page) else {
            break;
        };
        page = found(&cursor, &ask(&cursor));
    }
    if is_tree {
        all.sort();
    }
    all
}
