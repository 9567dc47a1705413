//! What comes of reading one answer: what it told, or why it could not be read.

use super::super::ask::Ask;
use super::super::told::{Fields, Told};
use crate::dataset::LINE_BYTES;
use crate::record::hints::Hints;
use crate::record::mark::Mark;
use crate::record::{Kind, Value};
use serde::de::Error;
use std::collections::BTreeSet;
use std::fmt;

/// What an answer shows beside its records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in super::super) struct Evidence {
    /// The one year that all of it is of.
    pub(in super::super) year: Option<u64>,
    /// How many records it told, those within others included.
    pub(in super::super) records: u64,
    /// Who takes which subjects.
    pub(in super::super) hints: Hints,
    /// Members that nobody knows: of what, and their names.
    pub(in super::super) unknown: BTreeSet<(&'static str, String)>,
}

/// Why an answer could not be read. It shows nothing of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Unread {
    /// It is no JSON, or was cut: to be asked for again.
    NoJson,
    /// It is larger than any answer may be.
    TooLarge,
    /// It has more assessments than a grade may have in a year.
    TooMany,
    /// It is JSON of another shape, or says one thing twice.
    Shape,
    /// It is about another school.
    OtherSchool,
    /// It tells what was not asked: of another grade, learner, year, term or day.
    OutOfUnit,
    /// A record is larger than one of a dataset may be.
    LargeRecord,
    /// A value has a form that its field has not, or none where one is needed.
    Unkeepable {
        of: &'static str,
        field: &'static str,
    },
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unread::NoJson => "it is no JSON",
            Unread::TooLarge => "it is larger than 32 MiB",
            Unread::TooMany => "it has more than 100,000 assessments",
            Unread::Shape => "it has another shape",
            Unread::OtherSchool => "it is about another school",
            Unread::OutOfUnit => "it tells what was not asked",
            Unread::LargeRecord => "it has a record larger than 1 MiB",
            Unread::Unkeepable { of, field } => {
                return write!(f, "it has a value that cannot be kept: {of}.{field}");
            }
        })
    }
}

/// No more names of unknown members than this are kept, nor of more bytes.
const MOST_UNKNOWN: usize = 64;
const NAME_BYTES: usize = 64;

/// What takes that which an answer tells.
pub(super) struct Out {
    pub(super) school: u64,
    pub(super) ask: Ask,
    pub(super) told: Told,
    pub(super) evidence: Evidence,
    /// Why it cannot be read.
    refused: Option<Unread>,
    /// The field whose value is being read.
    reading: Option<(&'static str, &'static str)>,
}

impl Out {
    pub(super) fn new(ask: Ask, school: u64) -> Out {
        Out {
            school,
            ask,
            told: Told::default(),
            evidence: Evidence::default(),
            refused: None,
            reading: None,
        }
    }

    /// Ends the reading. The parser's own error says nothing: this is kept beside it.
    #[cold]
    pub(super) fn refuse<E: Error>(&mut self, why: Unread) -> E {
        self.refused = Some(why);
        E::custom("")
    }

    /// A value of this field is read next; a value of a wrong type is one of it.
    pub(super) fn reading(&mut self, of: Kind, field: &'static str) {
        self.reading = Some((of.name(), field));
    }

    pub(super) fn was_read(&mut self) {
        self.reading = None;
    }

    /// Why the parser gave up on what is JSON.
    pub(super) fn why(&self) -> Unread {
        let unkeepable = |(of, field)| Unread::Unkeepable { of, field };
        let wrong_type = self.reading.map_or(Unread::Shape, unkeepable);
        self.refused.unwrap_or(wrong_type)
    }

    pub(super) fn note_unknown(&mut self, of: &'static str, name: &str) {
        let unknown = &mut self.evidence.unknown;
        if unknown.len() < MOST_UNKNOWN && name.len() <= NAME_BYTES {
            unknown.insert((of, name.to_owned()));
        }
    }

    /// All of an answer is of one year.
    pub(super) fn year(&mut self, year: u64) -> Result<(), Unread> {
        let is_asked = self.ask.year().is_none_or(|asked| asked == year);
        match self.evidence.year.replace(year) {
            Some(other) if other != year => Err(Unread::Shape),
            _ if !is_asked => Err(Unread::OutOfUnit),
            _ => Ok(()),
        }
    }

    /// Tells a record if it can be kept and was asked for.
    pub(super) fn record(
        &mut self,
        kind: Kind,
        told: Fields,
        values: &[Value<'_>],
    ) -> Result<(), Unread> {
        let fields = kind.fields().iter().zip(values).enumerate();
        for (index, (field, value)) in fields {
            if field.required && told >> index & 1 == 1 && value.is_empty() {
                return Err(unkeepable(kind, field.name));
            }
        }
        if !self.ask.belongs(kind, values) {
            return Err(Unread::OutOfUnit);
        }
        self.evidence.records += 1;
        let before = self.told.bytes().len();
        self.told.push(kind, told, values);
        if self.told.bytes().len() - before > LINE_BYTES {
            return Err(Unread::LargeRecord);
        }
        Ok(())
    }

    pub(super) fn mark(&mut self, assessment: u64, learner: u64, mark: &Mark) {
        self.evidence.records += 1;
        self.told.push_mark(assessment, learner, mark);
    }
}

pub(super) const fn unkeepable(kind: Kind, field: &'static str) -> Unread {
    let of = kind.name();
    Unread::Unkeepable { of, field }
}
