//! Converts a dataset line to a record or a removal, or returns its fault (`dataset.md`, "Values"
//! and "Faults").

use std::collections::BTreeMap;

use super::fields::{Field, Form};
use super::forms::{read, shown};
use super::json::{Value, read_object};
use super::kinds::Kind;
use super::records::{Fields, Key, Part, Record};
use super::terms::read_terms;

/// The maximum length of a line, without its line feed.
const LONGEST: usize = 1_048_576;

/// The change that a line describes: a record that replaces the one with its key, or the removal of
/// that key.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) key: Key,
    pub(crate) record: Option<Record>,
}

/// The members of an object that a table contains, by their names.
pub(crate) type Members<'a> = BTreeMap<&'a str, &'a Value>;

/// Reads a line. Returns `None` if it is blank.
pub(crate) fn read_line(line: &str) -> Result<Option<Line>, String> {
    if line.len() > LONGEST {
        return Err("is longer than 1 MiB".to_owned());
    }
    if line
        .chars()
        .all(|letter| matches!(letter, ' ' | '\t' | '\r'))
    {
        return Ok(None);
    }
    let members = read_object(line).map_err(|detail| format!("is not a JSON object: {detail}"))?;
    let kind = kind_of(&members)?;
    let line = read_members(kind, &members).map_err(|fault| format!("{}: {fault}", kind.name()))?;
    Ok(Some(line))
}

/// Returns the kind in the first `type`. A second `type` is a repeated name.
fn kind_of(members: &[(String, Value)]) -> Result<Kind, String> {
    let first = members.iter().find(|(name, _)| name == "type");
    let value = first
        .map(|(_, value)| value)
        .filter(|value| !value.is_empty())
        .ok_or("type: is missing")?;
    let named = value.text().and_then(|name| Kind::named(&name));
    named.ok_or_else(|| format!("type: {} is not a kind of record", shown(&value.raw)))
}

fn read_members(kind: Kind, members: &[(String, Value)]) -> Result<Line, String> {
    let table = kind.fields();
    let found = known_members(members, table, &["type", "deleted"], kind.name(), "")?;
    if let Some(deleted) = found.get("deleted").filter(|value| !value.is_empty()) {
        if deleted.raw != "true" {
            return Err(format!("deleted: {} is not true", shown(&deleted.raw)));
        }
        let keys: Vec<Field> = table.iter().copied().filter(|field| field.key).collect();
        let fields = read_fields(&found, &keys, "")?;
        let beside = table
            .iter()
            .find(|field| !field.key && given(&found, field.name).is_some());
        return match beside {
            Some(field) => Err(format!("{}: does not go with deleted", field.name)),
            None => Ok(Line {
                key: key_of(kind, &fields),
                record: None,
            }),
        };
    }
    let mut record = Record {
        fields: read_fields(&found, table, "")?,
        terms: BTreeMap::new(),
    };
    if let Some(terms) = given(&found, "terms") {
        record.terms = read_terms(terms)?;
    }
    joined_rules(kind, &record)?;
    for field in table {
        if let (None, Some(text)) = (
            record.fields.get(field.name),
            record.default_of(kind, field.name),
        ) {
            record.fields.insert(field.name, text);
        }
    }
    Ok(Line {
        key: key_of(kind, &record.fields),
        record: Some(record),
    })
}

/// Returns the known members. The faults are repeated names and names that the table does not
/// contain, in the order of the object.
pub(crate) fn known_members<'a>(
    members: &'a [(String, Value)],
    table: &[Field],
    besides: &[&str],
    owner: &str,
    path: &str,
) -> Result<Members<'a>, String> {
    let mut found = Members::new();
    for (name, value) in members {
        if !besides.contains(&name.as_str()) && !table.iter().any(|field| field.name == name) {
            let secret = owner == "integrator";
            let name = if secret { "..." } else { unknown(name) };
            return Err(format!("{path}{name}: is not a field of {owner}"));
        }
        if found.insert(name, value).is_some() {
            return Err(format!("{path}{name}: stands twice"));
        }
    }
    Ok(found)
}

/// Returns an unknown name for the message of a fault, or `...` if it may be a value.
pub(crate) fn unknown(name: &str) -> &str {
    let mut letters = name.chars();
    let starts = letters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic());
    let goes_on = letters.all(|letter| letter == '_' || letter.is_ascii_alphanumeric());
    let capitals = name.chars().any(|letter| letter.is_ascii_uppercase());
    if name.len() > 32 || !starts || !goes_on || (capitals && !name.contains('_')) {
        return "...";
    }
    name
}

/// Returns the fields that are not empty, in the order of the table. `terms` is read separately.
pub(crate) fn read_fields(
    found: &Members<'_>,
    table: &[Field],
    path: &str,
) -> Result<Fields, String> {
    let mut fields = Fields::new();
    for field in table.iter().filter(|field| field.form != Form::Terms) {
        let name = field.name;
        match given(found, name) {
            Some(value) => {
                let text =
                    read(field.form, value).map_err(|what| format!("{path}{name}: {what}"))?;
                if text.is_empty() && field.required {
                    return Err(format!("{path}{name}: is missing"));
                }
                if !text.is_empty() {
                    fields.insert(name, text);
                }
            }
            None if field.required => return Err(format!("{path}{name}: is missing")),
            None => {}
        }
    }
    Ok(fields)
}

fn given<'a>(found: &Members<'a>, name: &str) -> Option<&'a Value> {
    found.get(name).copied().filter(|value| !value.is_empty())
}

fn joined_rules(kind: Kind, record: &Record) -> Result<(), String> {
    let has = |name: &str| record.fields.contains_key(name);
    match kind {
        Kind::Integrator if !has("password") && !has("password_hash") => {
            Err("password: is missing".to_owned())
        }
        Kind::Integrator if has("password") && has("password_hash") => {
            Err("password: does not go with password_hash".to_owned())
        }
        Kind::LearnerSubject if !has("grade_id") && !record.terms.is_empty() => {
            Err("grade_id: is missing".to_owned())
        }
        _ => Ok(()),
    }
}

fn key_of(kind: Kind, fields: &Fields) -> Key {
    let part = |field: &Field| match field.form {
        Form::Username => Part::Name(fields[field.name].clone()),
        _ => Part::Number(fields[field.name].parse().expect("an integer of the key")),
    };
    Key {
        kind,
        parts: kind
            .fields()
            .iter()
            .filter(|field| field.key)
            .map(part)
            .collect(),
    }
}
