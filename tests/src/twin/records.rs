//! Records as plain fields, and the store that contains them.

use std::collections::BTreeMap;

use super::integers::digits;
use super::kinds::Kind;

/// The non-empty fields of a record, each in its canonical text.
pub(crate) type Fields = BTreeMap<&'static str, String>;

/// A part of a key. Ids are compared as numbers, user names by their bytes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    Number(u64),
    Name(String),
}

/// The key that identifies a record.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) kind: Kind,
    pub(crate) parts: Vec<Part>,
}

impl Key {
    /// Returns a key that consists of ids only.
    pub(crate) fn of_ids(kind: Kind, ids: &[u64]) -> Self {
        Self {
            kind,
            parts: ids.iter().map(|id| Part::Number(*id)).collect(),
        }
    }
}

/// A record: its fields (including key fields) and, for a `learner_subject`, its terms by number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) fields: Fields,
    pub(crate) terms: BTreeMap<u64, Fields>,
}

impl Record {
    /// Returns a field as text, which is empty if the field is absent.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.fields.get(name).map_or("", String::as_str)
    }

    /// Returns a field as a number, if it is one.
    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        digits(self.text(name))
    }

    /// Returns an integer field that the record's kind requires.
    pub(crate) fn id(&self, name: &str) -> u64 {
        self.number(name).expect("a required integer field")
    }

    /// Returns the value of a field that is given as empty (`dataset.md`, "Kinds").
    pub(crate) fn default_of(&self, kind: Kind, field: &str) -> Option<String> {
        match (kind, field) {
            (Kind::School, "utc_offset") => Some("+02:00".to_owned()),
            (Kind::Grade, "name") => match self.text("grade") {
                "" => None,
                short => Some(format!("Grade {short}")),
            },
            (Kind::Learner | Kind::StaffMember, "status") => Some("current".to_owned()),
            (Kind::Mark, "captured") => Some("1".to_owned()),
            (Kind::Year, "year_name") => Some(self.text("year").to_owned()),
            _ => None,
        }
    }
}

/// All records, in the order of kinds and keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Store {
    pub(crate) records: BTreeMap<Key, Record>,
}

impl Store {
    /// Returns the record with this key of ids.
    pub(crate) fn get(&self, kind: Kind, ids: &[u64]) -> Option<&Record> {
        self.records.get(&Key::of_ids(kind, ids))
    }

    /// Returns the records of a kind, in the order of their keys.
    pub(crate) fn all(&self, kind: Kind) -> impl Iterator<Item = &Record> {
        self.records
            .iter()
            .filter(move |(key, _)| key.kind == kind)
            .map(|(_, record)| record)
    }

    /// Returns the records of a kind with this school id.
    pub(crate) fn of_school(&self, kind: Kind, school: u64) -> impl Iterator<Item = &Record> {
        self.all(kind)
            .filter(move |record| record.number("school_id") == Some(school))
    }

    /// Returns a field of the record that a reference leads to. It is empty if the record is
    /// missing.
    pub(crate) fn look_up(&self, kind: Kind, ids: &[u64], field: &str) -> String {
        self.get(kind, ids)
            .map_or_else(String::new, |record| record.text(field).to_owned())
    }
}
