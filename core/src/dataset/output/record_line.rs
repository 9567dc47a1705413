//! Writes a record as a line of a dataset, or the line that removes it.

use crate::error::Result;
use crate::json;
use crate::record::field::{Field, FieldForm};
use crate::record::kinds::learner_subject::LearnerSubject;
use crate::record::kinds::mark::Mark;
use crate::record::stored::pre_render;
use crate::record::values::terms;
use crate::record::values::value::EnrolledTerm;
use crate::record::{Kind, Value};
use crate::store::{Item, Key, Partition};
use std::borrow::Cow;

/// Returns the values of a stored record of any kind except marks.
pub(crate) fn values<'a>(
    kind: Kind,
    partition: Partition,
    key: Key,
    item: &Item<'a>,
) -> Result<Vec<Value<'a>>> {
    let key = kind.key_of(partition, key);
    if kind != Kind::LearnerSubject {
        return pre_render::values(kind, &key, item);
    }
    let mut values: Vec<_> = key.into_iter().map(Value::Integer).collect();
    values.extend(LearnerSubject::open(item.columns[0])?.values()?);
    Ok(values)
}

pub(crate) fn mark_values(
    school: u64,
    Key(assessment, learner): Key,
    mark: &Mark,
) -> Vec<Value<'static>> {
    let mut values = vec![
        Value::Integer(school),
        Value::Integer(assessment),
        Value::Integer(learner),
    ];
    values.extend(mark.values());
    if mark.captured
        && let Some(captured) = values.get_mut(5)
    {
        *captured = Value::Empty;
    }
    values
}

/// Returns a record as a line. Stored texts are always UTF-8.
pub(crate) fn line(kind: Kind, values: &[Value<'_>]) -> String {
    close_line(open_line(kind, values))
}

/// Returns the line that removes a record, given the numbers of its key.
pub(crate) fn removal(kind: Kind, key: &[u64]) -> String {
    let fields = kind.fields().iter().zip(key);
    let fields = fields.filter(|(field, _)| field.is_key());
    let values: Vec<_> = fields.map(|(_, number)| Value::Integer(*number)).collect();
    let mut out = open_line(kind, &values);
    out.extend_from_slice(b",\"deleted\":true");
    close_line(out)
}

fn open_line(kind: Kind, values: &[Value<'_>]) -> Vec<u8> {
    let mut out = b"{\"type\":".to_vec();
    json::push_string(&mut out, kind.name());
    for (field, value) in kind.fields().iter().zip(values) {
        push_member(&mut out, field, value);
    }
    out
}

fn close_line(mut line: Vec<u8>) -> String {
    line.push(b'}');
    String::from_utf8(line).unwrap_or_default()
}

fn push_member(out: &mut Vec<u8>, field: &Field, value: &Value<'_>) {
    if value.is_empty() {
        return;
    }
    if !out.ends_with(b"{") {
        out.push(b',');
    }
    json::push_string(out, field.name);
    out.push(b':');
    match value {
        Value::Text(json) if is_json(field.form, json) => {
            out.extend_from_slice(json.as_bytes());
        }
        Value::Integer(number) => json::push_integer(out, *number),
        Value::Terms(terms) => push_terms(out, terms),
        other => {
            out.push(b'"');
            other.push_exact(out);
            out.push(b'"');
        }
    }
}

/// Returns whether a text is stored as JSON that a dataset contains unchanged.
fn is_json(form: FieldForm, text: &str) -> bool {
    match form {
        FieldForm::Signed | FieldForm::Texts => true,
        FieldForm::Choices(_) => text.starts_with('['),
        _ => false,
    }
}

fn push_terms(out: &mut Vec<u8>, terms: &[EnrolledTerm<'_>]) {
    out.push(b'[');
    for (index, term) in terms.iter().enumerate() {
        out.extend_from_slice(if index == 0 { b"{" } else { b",{" });
        let number = [Value::Integer(term.term)];
        let group = term.group.iter().map(|text| match text.as_ref() {
            "" => Value::Empty,
            text => Value::Text(Cow::Borrowed(text)),
        });
        let mark = [term.mark.map_or(Value::Empty, Value::Decimal)];
        let values = number.into_iter().chain(group).chain(mark);
        for (field, value) in terms::FIELDS.iter().zip(values) {
            push_member(out, field, &value);
        }
        out.push(b'}');
    }
    out.push(b']');
}
