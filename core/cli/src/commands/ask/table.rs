//! Formats an answer as a table.

use crate::UsageError;
use comfy_table::{ContentArrangement, Table, presets};
use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::error::Error;

/// The number of fields that are shown unless fields are named.
const MOST_FIELDS: usize = 8;

/// A record, with its fields in the order of the answer.
type Record = IndexMap<String, Value>;

/// The forms of an answer.
#[derive(Deserialize)]
#[serde(untagged)]
enum Answer {
    Records(Vec<Record>),
    /// A page of v2.
    Page {
        data: Vec<Record>,
    },
    One(Record),
}

/// Formats an answer. Records become lines, and one record becomes a line for each of its fields.
pub(super) fn table(answer: &str, fields: &[String]) -> Result<String, Box<dyn Error>> {
    let table = match serde_json::from_str(answer)? {
        Answer::Records(records) | Answer::Page { data: records } => of_records(&records, fields)?,
        Answer::One(record) => of_one(&record, fields),
    };
    Ok(table.to_string())
}

fn empty_table() -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic);
    table
}

fn of_records(records: &[Record], fields: &[String]) -> Result<Table, UsageError> {
    let names: Vec<&str> = if fields.is_empty() {
        shown_fields(records)
    } else {
        for field in fields {
            if !records.iter().any(|record| record.contains_key(field)) {
                return Err(UsageError(format!(
                    "--fields: the answer has no field {field}. `--json` shows all of them"
                )));
            }
        }
        fields.iter().map(String::as_str).collect()
    };
    let mut table = empty_table();
    table.set_header(names.iter().copied());
    for record in records {
        table.add_row(names.iter().map(|name| cell(record.get(*name))));
    }
    Ok(table)
}

/// Returns the first fields that are neither lists nor empty in all records.
fn shown_fields(records: &[Record]) -> Vec<&str> {
    let mut used: BTreeMap<&str, bool> = BTreeMap::new();
    for record in records {
        for (name, value) in record {
            let is_shown = !matches!(value, Value::Array(_) | Value::Object(_) | Value::Null);
            *used.entry(name).or_default() |= is_shown && value.as_str() != Some("");
        }
    }
    let first = records.first().into_iter().flat_map(|record| record.keys());
    first
        .map(String::as_str)
        .filter(|name| used.get(name) == Some(&true))
        .take(MOST_FIELDS)
        .collect()
}

fn of_one(record: &Record, fields: &[String]) -> Table {
    let mut table = empty_table();
    for (name, value) in record {
        if fields.is_empty() || fields.contains(name) {
            table.add_row([name.clone(), cell(Some(value))]);
        }
    }
    table
}

/// Replaces the characters that a terminal would interpret.
fn printable(text: &str) -> String {
    let is_direction = |char| matches!(char, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let printed = text.chars().map(|char| match char {
        '\r' | '\n' | '\t' => ' ',
        char if char.is_control() || is_direction(char) => char::REPLACEMENT_CHARACTER,
        char => char,
    });
    printed.collect()
}

fn cell(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => printable(text),
        Some(Value::Array(items)) => format!("{} items", items.len()),
        Some(Value::Object(members)) => format!("{} members", members.len()),
        Some(other) => other.to_string(),
    }
}
