//! Records as plain fields, and the store that holds them.

use std::collections::BTreeMap;

use super::integers::digits;
use super::kinds::Kind;

/// The fields of a record that are not empty, each in its canonical text.
pub(crate) type Fields = BTreeMap<&'static str, String>;

/// One part of a key: ids are compared as numbers, usernames by their bytes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    Number(u64),
    Name(String),
}

/// What tells a record from every other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) kind: Kind,
    pub(crate) parts: Vec<Part>,
}

impl Key {
    /// A key made of ids alone.
    pub(crate) fn of_ids(kind: Kind, ids: &[u64]) -> Self {
        Self {
            kind,
            parts: ids.iter().map(|id| Part::Number(*id)).collect(),
        }
    }
}

/// One record: its fields (key fields too) and, for a `learner_subject`, its terms by number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) fields: Fields,
    pub(crate) terms: BTreeMap<u64, Fields>,
}

impl Record {
    /// A field as text; empty if it is absent.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.fields.get(name).map_or("", String::as_str)
    }

    /// A field as a number, if it is one.
    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        digits(self.text(name))
    }

    /// An integer field that the record's kind requires.
    pub(crate) fn id(&self, name: &str) -> u64 {
        self.number(name).expect("a required integer field")
    }

    /// What a field holds when it is given as empty (`dataset.md`, "Kinds", *opt*).
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

/// Every record, in the order of kinds and keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Store {
    pub(crate) records: BTreeMap<Key, Record>,
}

impl Store {
    /// The record with this key of ids.
    pub(crate) fn get(&self, kind: Kind, ids: &[u64]) -> Option<&Record> {
        self.records.get(&Key::of_ids(kind, ids))
    }

    /// The records of a kind, in the order of their keys.
    pub(crate) fn all(&self, kind: Kind) -> impl Iterator<Item = &Record> {
        self.records
            .iter()
            .filter(move |(key, _)| key.kind == kind)
            .map(|(_, record)| record)
    }

    /// The records of a kind that bear this school id.
    pub(crate) fn of_school(&self, kind: Kind, school: u64) -> impl Iterator<Item = &Record> {
        self.all(kind)
            .filter(move |record| record.number("school_id") == Some(school))
    }

    /// A field looked up through a reference: empty if the record is missing.
    pub(crate) fn look_up(&self, kind: Kind, ids: &[u64], field: &str) -> String {
        self.get(kind, ids)
            .map_or_else(String::new, |record| record.text(field).to_owned())
    }
}
