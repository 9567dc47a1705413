//! The result of decoding an answer: its records, or the reason why it was refused.

use super::fetched_records::{FetchedRecords, Fields};
use crate::dataset::LINE_BYTES;
use crate::record::kinds::mark::Mark;
use crate::record::replication::enrolment_digest::EnrolmentDigests;
use crate::record::{Kind, Value};
use crate::sync::plan::resource_request::ResourceRequest;
use serde::de::Error;
use std::collections::BTreeSet;
use std::fmt;

/// What an answer shows in addition to its records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in super::super) struct Evidence {
    /// The year to which the whole answer belongs.
    pub(in super::super) year: Option<u64>,
    /// The number of records in the answer, including nested ones.
    pub(in super::super) records: u64,
    /// The digests of which learner takes which subjects.
    pub(in super::super) enrolment_digests: EnrolmentDigests,
    /// The unknown members: the kind of object, and the name of the member.
    pub(in super::super) unknown: BTreeSet<(&'static str, String)>,
}

/// The reason why an answer could not be decoded. It contains no value of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum DecodeError {
    /// The body is not JSON, or was truncated. The request is repeated.
    NoJson,
    /// The body is larger than any answer may be.
    TooLarge,
    /// The answer has more assessments than a grade may have in a year.
    TooMany,
    /// The JSON has an unexpected structure, or contains a member or a record twice.
    Shape,
    /// The answer belongs to another school.
    OtherSchool,
    /// The answer contains data that was not requested: of another grade, learner, year, term or
    /// day.
    NotRequested,
    /// A record is larger than a line of a dataset may be.
    LargeRecord,
    /// A value is invalid for its field, or a required value is missing.
    InvalidValue {
        of: &'static str,
        field: &'static str,
    },
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DecodeError::NoJson => "it is not JSON",
            DecodeError::TooLarge => "it is larger than 32 MiB",
            DecodeError::TooMany => "it has more than 100,000 assessments",
            DecodeError::Shape => "it has an unexpected structure",
            DecodeError::OtherSchool => "it is about another school",
            DecodeError::NotRequested => "it contains data that was not requested",
            DecodeError::LargeRecord => "it has a record larger than 1 MiB",
            DecodeError::InvalidValue { of, field } => {
                return write!(f, "it has an invalid value: {of}.{field}");
            }
        })
    }
}

/// The maximum number of names of unknown members.
const MAX_UNKNOWN_OF_ANSWER: usize = 64;
/// The maximum length of the name of an unknown member, in bytes.
const NAME_BYTES: usize = 64;

/// Collects the content of an answer.
pub(super) struct AnswerBuilder {
    pub(super) school: u64,
    pub(super) request: ResourceRequest,
    pub(super) fetched: FetchedRecords,
    pub(super) evidence: Evidence,
    /// The reason why the answer was refused.
    refused: Option<DecodeError>,
    /// The field whose value is being read.
    current_field: Option<(&'static str, &'static str)>,
}

impl AnswerBuilder {
    pub(super) fn new(request: ResourceRequest, school: u64) -> AnswerBuilder {
        AnswerBuilder {
            school,
            request,
            fetched: FetchedRecords::default(),
            evidence: Evidence::default(),
            refused: None,
            current_field: None,
        }
    }

    /// Stops the parser. The reason is stored here, because the parser's own error contains none.
    #[cold]
    pub(super) fn refuse<E: Error>(&mut self, reason: DecodeError) -> E {
        self.refused = Some(reason);
        E::custom("")
    }

    /// Announces the field whose value is read next, so that a value of a wrong type is attributed
    /// to it.
    pub(super) fn begin_field(&mut self, of: Kind, field: &'static str) {
        self.current_field = Some((of.name(), field));
    }

    pub(super) fn end_field(&mut self) {
        self.current_field = None;
    }

    /// Returns the reason why the parser stopped, for a body that is JSON.
    pub(super) fn refusal(&self) -> DecodeError {
        let invalid_value = |(of, field)| DecodeError::InvalidValue { of, field };
        let wrong_type = self.current_field.map_or(DecodeError::Shape, invalid_value);
        self.refused.unwrap_or(wrong_type)
    }

    pub(super) fn note_unknown(&mut self, of: &'static str, name: &str) {
        let unknown = &mut self.evidence.unknown;
        if unknown.len() < MAX_UNKNOWN_OF_ANSWER && name.len() <= NAME_BYTES {
            unknown.insert((of, name.to_owned()));
        }
    }

    /// Checks that the whole answer belongs to one year.
    pub(super) fn year(&mut self, year: u64) -> Result<(), DecodeError> {
        let is_requested = self.request.year.is_none_or(|requested| requested == year);
        match self.evidence.year.replace(year) {
            Some(other) if other != year => Err(DecodeError::Shape),
            _ if !is_requested => Err(DecodeError::NotRequested),
            _ => Ok(()),
        }
    }

    /// Adds a record, if its values are valid and it was requested.
    pub(super) fn record(
        &mut self,
        kind: Kind,
        field_set: Fields,
        values: &[Value<'_>],
    ) -> Result<(), DecodeError> {
        let fields = kind.fields().iter().zip(values).enumerate();
        for (index, (field, value)) in fields {
            if field.required && field_set >> index & 1 == 1 && value.is_empty() {
                return Err(invalid_value(kind, field.name));
            }
        }
        if !self.request.may_contain(kind, values) {
            return Err(DecodeError::NotRequested);
        }
        self.evidence.records += 1;
        let before = self.fetched.bytes().len();
        self.fetched.push(kind, field_set, values);
        if self.fetched.bytes().len() - before > LINE_BYTES {
            return Err(DecodeError::LargeRecord);
        }
        Ok(())
    }

    pub(super) fn mark(&mut self, assessment: u64, learner: u64, mark: &Mark) {
        self.evidence.records += 1;
        self.fetched.push_mark(assessment, learner, mark);
    }
}

pub(super) const fn invalid_value(kind: Kind, field: &'static str) -> DecodeError {
    let of = kind.name();
    DecodeError::InvalidValue { of, field }
}
