//! The result of decoding an answer: its records, or the reason why it was refused.

use crate::dataset::LINE_BYTES;
use crate::record::kinds::mark::Mark;
use crate::record::replication::answer_notes::AnswerNotes;
use crate::record::replication::enrolment_digest::EnrolmentDigests;
use crate::record::values::message_values::shown_name;
use crate::record::{Kind, Value};
use crate::sync::fetched_records::{FetchedRecords, Fields};
use crate::sync::resources::resource::Resource;
use crate::sync::resources::resource_request::ResourceRequest;
use serde::de::Error;
use std::collections::BTreeSet;
use std::fmt;

/// What an answer shows in addition to its records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in super::super) struct Evidence {
    /// The year to which the whole answer belongs.
    pub(in super::super) year: Option<u64>,
    /// The number of records in the answer, including nested ones and those that were left out.
    pub(in super::super) records: u64,
    /// The digests of which learner takes which subjects.
    pub(in super::super) enrolment_digests: EnrolmentDigests,
    /// The unknown members: the kind of object, and the name of the member.
    pub(in super::super) unknown: BTreeSet<(&'static str, String)>,
    /// The values that could not be used.
    pub(in super::super) notes: AnswerNotes,
}

/// The reason why an answer could not be decoded. It contains no value of the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) enum DecodeError {
    /// The body was truncated, or is the page of another site. The request is repeated.
    NoAnswer,
    /// The body is not JSON, for this reason. The request is repeated once.
    NoJson(String),
    /// The body is larger than any answer may be.
    TooLarge,
    /// The answer has more assessments than a grade may have in a year.
    TooMany,
    /// An object has an unexpected structure, or contains a member or a record twice.
    Shape {
        of: &'static str,
        member: &'static str,
    },
    /// The answer belongs to another school.
    OtherSchool,
    /// The answer contains data that was not requested: of another grade, learner, year, term or
    /// day.
    NotRequested,
    /// None of the elements of the answer is a record of the expected kind. The last one lacks this
    /// field, or is no object.
    NoRecord {
        of: &'static str,
        field: &'static str,
    },
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let join = |of: &str, member: &str| match member {
            "" => of.to_owned(),
            member => format!("{of}.{member}"),
        };
        f.write_str(match self {
            DecodeError::NoAnswer => "it is truncated, or the page of another site",
            DecodeError::NoJson(why) => return write!(f, "it is not JSON: {why}"),
            DecodeError::TooLarge => "it is larger than 32 MiB",
            DecodeError::TooMany => "it has more than 100,000 assessments",
            DecodeError::OtherSchool => "it is about another school",
            DecodeError::NotRequested => "it contains data that was not requested",
            DecodeError::Shape { of, member } => {
                return write!(f, "it has an unexpected structure: {}", join(of, member));
            }
            DecodeError::NoRecord { of, field } => {
                return write!(f, "no record in it can be used: {}", join(of, field));
            }
        })
    }
}

/// The maximum number of names of unknown members.
const MAX_UNKNOWN_OF_ANSWER: usize = 64;

/// Collects the content of an answer.
pub(super) struct AnswerBuilder {
    pub(super) school: u64,
    pub(super) request: ResourceRequest,
    pub(super) fetched: FetchedRecords,
    pub(super) evidence: Evidence,
    /// The reason why the answer was refused.
    refused: Option<DecodeError>,
    /// Whether the answer has an object that could be identified.
    has_identified: bool,
    /// The kind of an object that could not be identified, and the field that would identify it.
    unidentified: Option<(&'static str, &'static str)>,
}

impl AnswerBuilder {
    pub(super) fn new(request: ResourceRequest, school: u64) -> AnswerBuilder {
        AnswerBuilder {
            school,
            request,
            fetched: FetchedRecords::default(),
            evidence: Evidence::default(),
            refused: None,
            has_identified: false,
            unidentified: None,
        }
    }

    /// Stops the parser. The reason is stored here, because the parser's own error contains none.
    #[cold]
    pub(super) fn refuse<E: Error>(&mut self, reason: DecodeError) -> E {
        self.refused = Some(reason);
        E::custom("")
    }

    /// Returns the reason why the parser was stopped.
    pub(super) fn refusal(&mut self) -> DecodeError {
        self.refused.take().unwrap_or(DecodeError::Shape {
            of: self.request.path(),
            member: "",
        })
    }

    pub(super) fn note_unknown(&mut self, of: &'static str, name: &str) {
        let unknown = &mut self.evidence.unknown;
        if unknown.len() < MAX_UNKNOWN_OF_ANSWER {
            unknown.insert((of, shown_name(name).to_owned()));
        }
    }

    /// Checks that the whole answer belongs to one year.
    pub(super) fn year(&mut self, year: u64) -> Result<(), DecodeError> {
        let is_requested = self.request.year.is_none_or(|requested| requested == year);
        match self.evidence.year.replace(year) {
            Some(other) if other != year => Err(shape(Kind::Year, "year")),
            _ if !is_requested => Err(DecodeError::NotRequested),
            _ => Ok(()),
        }
    }

    /// Adds a record if it was requested. A field whose value is `unusable` is empty, unless another
    /// answer has its value. If a rule reads that field, or a required value is missing, the record
    /// is left out.
    pub(super) fn record(
        &mut self,
        kind: Kind,
        field_set: Fields,
        values: &[Value<'_>],
        unusable: Fields,
    ) -> Result<(), DecodeError> {
        let (mut faults, mut is_left_out) = (unusable, false);
        for (index, (field, value)) in kind.fields().iter().zip(values).enumerate() {
            if field.is_required() && field_set >> index & 1 == 1 && value.is_empty() {
                faults |= 1 << index;
            }
            is_left_out |= field.is_ruling() && faults >> index & 1 == 1;
        }
        if !is_left_out && !self.request.may_contain(kind, values) {
            return Err(DecodeError::NotRequested);
        }
        let before = self.fetched.bytes().len();
        if !is_left_out {
            // A mark always has all of its values.
            let emptied = if kind == Kind::Mark { 0 } else { unusable };
            self.fetched.push(kind, field_set & !emptied, values);
            if self.fetched.bytes().len() - before > LINE_BYTES {
                // No line of a dataset could contain the record.
                self.fetched.truncate(before);
                let longest = (0..)
                    .zip(values)
                    .max_by_key(|(_, value)| value.text().len());
                faults |= 1 << longest.map_or(0, |(index, _)| index);
                is_left_out = true;
            }
        }
        let key = kind
            .key_fields()
            .map(|field| values.get(field).and_then(Value::integer));
        let key: Option<Vec<u64>> = key.collect();
        if is_left_out {
            self.fetched.push_left_out(kind, key.as_deref());
        } else if unusable != 0 && kind != Kind::Mark && !is_repeated(kind) {
            let key = key.as_deref().unwrap_or_default();
            self.fetched.push_emptied(kind, unusable, key);
        }
        self.evidence.records += 1;
        self.has_identified |= key.is_some();
        if faults == 0 {
            return Ok(());
        }
        for (index, field) in kind.fields().iter().enumerate() {
            if faults >> index & 1 == 1 {
                self.note(kind, field.name, is_left_out, key.as_deref());
            }
        }
        Ok(())
    }

    /// Adds a record that is no object, or whose key cannot be read. It may be any record of its
    /// kind, so that the answer does not show which records of this kind no longer exist.
    pub(super) fn unidentified(&mut self, kind: Kind) {
        self.evidence.records += 1;
        self.fetched.push_left_out(kind, None);
    }

    /// Adds which learner takes a subject.
    pub(super) fn enrolment(&mut self, learner: u64, subject: u64, name: &str) {
        self.has_identified = true;
        let evidence = &mut self.evidence;
        evidence.records += 1;
        evidence.enrolment_digests.note(learner, subject, name);
    }

    pub(super) fn mark(&mut self, assessment: u64, learner: u64, mark: &Mark) {
        self.evidence.records += 1;
        self.has_identified = true;
        self.fetched.push_mark(assessment, learner, mark);
    }

    /// Notes a value that cannot be used. `key` has the numbers of the key of the record, if they
    /// are known.
    pub(super) fn note(
        &mut self,
        kind: Kind,
        field: &'static str,
        is_left_out: bool,
        key: Option<&[u64]>,
    ) {
        if key.is_none() {
            self.unidentified = Some((kind.name(), field));
        }
        let notes = &mut self.evidence.notes;
        notes.add(kind, field, is_left_out, key);
    }

    /// Returns the content of the answer. Fails if none of its objects could be identified, because
    /// it is then a different answer than the expected one. Fails also if the requested school is
    /// not in it.
    pub(super) fn finish(self) -> Result<(FetchedRecords, Evidence), DecodeError> {
        match self.unidentified {
            Some((of, field)) if !self.has_identified => Err(DecodeError::NoRecord { of, field }),
            None if self.request.resource == Resource::School && !self.has_identified => {
                let (of, field) = (Kind::School.name(), "");
                Err(DecodeError::NoRecord { of, field })
            }
            _ => Ok((self.fetched, self.evidence)),
        }
    }
}

/// Returns whether many answers repeat the values of the records of a kind. One of these values that
/// cannot be used does not empty the field.
const fn is_repeated(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Subject | Kind::Grade | Kind::Year | Kind::LearningOutcome
    )
}

pub(super) const fn shape(kind: Kind, member: &'static str) -> DecodeError {
    let of = kind.name();
    DecodeError::Shape { of, member }
}
