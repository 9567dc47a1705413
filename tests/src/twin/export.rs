//! The canonical export, without credentials.

use super::Twin;
use super::fields::{Field, Form, TERMS};
use super::kinds::Kind;
use super::records::{Fields, Key, Part, Record};
use super::render::Json;

/// The position of a line: the school whose part of the export contains it, if any; then its kind;
/// then its key.
type Place = (Option<u64>, Kind, Vec<Part>);

impl Twin {
    /// Returns one line per record, each ended by a line feed. Integrators are omitted.
    pub fn export(&self) -> String {
        let records = self
            .store
            .records
            .iter()
            .filter(|(key, _)| key.kind != Kind::Integrator);
        let mut lines: Vec<(Place, String)> = records
            .map(|(key, record)| (place(key, record), line(key.kind, record)))
            .collect();
        lines.sort();
        lines.into_iter().map(|(_, line)| line + "\n").collect()
    }
}

/// Returns the place of a record. Schools, API types and authorisations come first; a
/// `learner_subject` is ordered by year before learner.
fn place(key: &Key, record: &Record) -> Place {
    let mut parts = key.parts.clone();
    if key.kind == Kind::LearnerSubject {
        parts.insert(0, Part::Number(record.id("year")));
    }
    match key.kind {
        Kind::School
        | Kind::ApiType
        | Kind::EthnicGroup
        | Kind::MaritalStatus
        | Kind::Gender
        | Kind::Language
        | Kind::ClientIntegration => (None, key.kind, parts),
        _ => (record.number("school_id"), key.kind, parts),
    }
}

/// Returns `type`, then the fields of the table. Empty fields and those with their default are
/// omitted.
fn line(kind: Kind, record: &Record) -> String {
    let mut members = vec![("type".to_owned(), Json::text(kind.name()))];
    let table = kind.fields().iter();
    let differs = |field: &&Field| {
        record.default_of(kind, field.name).as_deref() != Some(record.text(field.name))
    };
    let table: Vec<Field> = table.filter(differs).copied().collect();
    members.extend(values(&table, &record.fields));
    if !record.terms.is_empty() {
        let terms = record
            .terms
            .values()
            .map(|term| Json::Object(values(TERMS, term)))
            .collect();
        members.push(("terms".to_owned(), Json::List(terms)));
    }
    Json::Object(members).to_string()
}

/// Returns integers as JSON numbers, arrays as they are stored, and everything else as strings.
fn values(table: &[Field], fields: &Fields) -> Vec<(String, Json)> {
    let member = |field: &Field| {
        let text = fields.get(field.name)?;
        let value = match field.form {
            Form::Integer | Form::Bit => Json::Number(text.parse().expect("an integer")),
            Form::Signed | Form::Texts => Json::Digits(text.clone()),
            Form::Choices(_) if text.starts_with('[') => Json::Digits(text.clone()),
            _ => Json::text(text),
        };
        Some((field.name.to_owned(), value))
    };
    table.iter().filter_map(member).collect()
}
