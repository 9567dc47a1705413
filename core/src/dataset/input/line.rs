//! Parses one line of a dataset into its kind and its values, and checks the values.

use super::line_splitter::LINE_BYTES;
use super::plain_line;
use crate::dataset::staging::line_values::Line;
use crate::json::{self, Object};
use crate::record::values::message_values::{shown, shown_name};
use crate::record::values::terms;
use crate::record::{Kind, Value};
use std::borrow::Cow;

/// Parses a line. Returns `None` if it is blank, and a description of the fault if it is faulty.
pub(crate) fn parse(line: &[u8]) -> Result<Option<Line<'_>>, String> {
    if line.len() > LINE_BYTES {
        return Err("is longer than 1 MiB".to_owned());
    }
    let text = std::str::from_utf8(line).map_err(|_| "is not UTF-8".to_owned())?;
    if text
        .bytes()
        .all(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
    {
        return Ok(None);
    }
    match plain_line::parse(text) {
        Some(line) => Ok(Some(line)),
        None => parse_any(text).map(Some),
    }
}

/// Parses a line in any form.
pub(crate) fn parse_any(text: &str) -> Result<Line<'_>, String> {
    let object = Object::parse(text).map_err(|what| format!("is not a JSON object: {what}"))?;
    let members = object.members;
    let kind = kind_of(&members)?;
    let fault = |field: &str, what: &str| Err(format!("{}: {field}: {what}", kind.name()));

    let fields = kind.fields();
    let mut raw: Vec<Option<&str>> = vec![None; fields.len()];
    let mut deleted = None;
    let mut types = 0;
    for (name, value) in &members {
        let twice = match name.as_ref() {
            "type" => {
                types += 1;
                types > 1
            }
            "deleted" => deleted.replace(*value).is_some(),
            name => match fields.iter().position(|field| field.name == name) {
                Some(index) => raw
                    .get_mut(index)
                    .is_some_and(|slot| slot.replace(value).is_some()),
                None => {
                    // A name next to a password may itself be a password, so it is not shown.
                    let has_secret = fields.iter().any(|field| field.form.is_secret());
                    let name = shown_name(if has_secret { "" } else { name });
                    return fault(name, &format!("is not a field of {}", kind.name()));
                }
            },
        };
        if twice {
            return fault(name, "stands twice");
        }
    }
    let deleted = match deleted {
        None | Some("null" | "\"\"") => false,
        Some("true") => true,
        Some(other) => return fault("deleted", &format!("{} is not true", shown(other))),
    };
    let mut values = vec![Value::Empty; fields.len()];
    for ((field, raw), value) in fields.iter().zip(&raw).zip(&mut values) {
        // With `deleted`, a line has only the fields of the key.
        if deleted && !field.is_key() {
            continue;
        }
        if let Some(raw) = raw {
            *value = match terms::value_from_json(field.form, raw) {
                Ok(value) => value,
                Err(what) if what.starts_with('.') => {
                    return Err(format!("{}: {}{what}", kind.name(), field.name));
                }
                Err(what) => return fault(field.name, &what),
            };
        }
        if field.is_required() && value.is_empty() {
            return fault(field.name, "is missing");
        }
    }
    if deleted {
        let given = |raw: Option<&str>| raw.is_some_and(|raw| !is_empty(raw));
        let mut others = fields
            .iter()
            .zip(&raw)
            .filter(|(field, raw)| !field.is_key() && given(**raw));
        if let Some((field, _)) = others.next() {
            return fault(field.name, "does not go with deleted");
        }
    }
    let mut line = Line {
        kind,
        deleted,
        values,
    };
    line.check()
        .map_err(|what| format!("{}: {what}", kind.name()))?;
    Ok(line)
}

fn kind_of(members: &[(Cow<'_, str>, &str)]) -> Result<Kind, String> {
    let Some((_, value)) = members
        .iter()
        .find(|(name, value)| name == "type" && !is_empty(value))
    else {
        return Err("type: is missing".to_owned());
    };
    let name = json::string(value);
    name.and_then(|name| Kind::named(&name))
        .ok_or_else(|| format!("type: {} is not a kind of record", shown(value)))
}

fn is_empty(value: &str) -> bool {
    matches!(value, "null" | "\"\"")
}

#[cfg(test)]
mod tests;
