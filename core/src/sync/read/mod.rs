//! Decodes answers (v1) into records. The tables in
//! `resources::member_table` define which members an answer may have. A value that
//! cannot be used costs that value, or its record if a rule reads it; the answer notes which. An
//! answer that contains other data than was requested is refused as a whole.
//!
//! - `fields`: objects, member by member. `scalar`: the
//!   spellings of a value. `record`: objects that are records.
//! - `subjects`, `enrolments`: the subjects of learners. `marks`, `mark_members`, `level`, `leaf`:
//!   assessments and marks, from the grade down to the mark.
//! - `answer_builder`: the output of a decoder, including what else an answer shows.

mod answer_builder;
mod enrolments;
mod fields;
mod leaf;
mod level;
mod mark_members;
mod marks;
mod record;
mod scalar;
mod subjects;
#[cfg(test)]
mod tests;

use crate::json;
use crate::record::Value;
use crate::record::field::position;
use crate::record::kinds::learner;
use crate::sync::fetched_records::FetchedRecords;
use crate::sync::resources::resource::{Format, Selection};
use crate::sync::resources::resource_request::ResourceRequest;
use answer_builder::AnswerBuilder;
use enrolments::EnrolmentReader;
use fields::{ArrayOf, Members, ObjectOf};
use marks::MarksDecoder;
use record::RecordDecoder;
use serde::de::DeserializeSeed;
use std::borrow::Cow;
use subjects::SubjectDecoder;

pub(super) use answer_builder::{DecodeError, Evidence};

/// The maximum size of an answer, in bytes.
pub(super) const MAX_ANSWER_BYTES: usize = 32 << 20;

/// Decodes the answer to a request about a school, or returns the reason why it cannot be used.
pub(super) fn decode_answer(
    request: ResourceRequest,
    school: u64,
    body: &[u8],
) -> Result<(FetchedRecords, Evidence), DecodeError> {
    let body = json::lossy_text(body, MAX_ANSWER_BYTES).ok_or(DecodeError::TooLarge)?;
    let mut out = AnswerBuilder::new(request, school);
    if body.trim_ascii() == "null" {
        return Err(out.refusal());
    }
    match decode_into(request, &body, &mut out) {
        Ok(()) => out.finish(),
        Err(error) if error.is_data() => Err(out.refusal()),
        Err(error) if error.is_eof() || is_page(&body) => Err(DecodeError::NoAnswer),
        Err(error) => Err(DecodeError::NoJson(error.to_string())),
    }
}

/// Returns whether a text looks like a page (HTML), which is not an answer of the service.
fn is_page(body: &str) -> bool {
    body.trim_ascii_start().starts_with('<')
}

const STATUS: usize = position(learner::FIELDS, "status");

fn decode_into(
    request: ResourceRequest,
    body: &str,
    out: &mut AnswerBuilder,
) -> serde_json::Result<()> {
    match request.spec().format {
        Format::List(table) => {
            let decoder = RecordDecoder::new(table, out);
            match request.spec().scope {
                Selection::Status(status) => {
                    let status = Value::Text(Cow::Borrowed(status));
                    array(decoder.with(STATUS, status), body)
                }
                _ => array(decoder, body),
            }
        }
        Format::Object(table) => object(&mut RecordDecoder::new(table, out), body),
        Format::Enrolments => array(EnrolmentReader::new(out), body),
        Format::Subjects => array(SubjectDecoder::new(out), body),
        Format::Marks | Format::Structure => object(&mut MarksDecoder::new(out), body),
    }
}

fn array<'de>(mut members: impl Members<'de>, body: &'de str) -> serde_json::Result<()> {
    decode_whole(ArrayOf(&mut members), body)
}

fn object<'de>(members: &mut impl Members<'de>, body: &'de str) -> serde_json::Result<()> {
    decode_whole(ObjectOf(members), body)
}

fn decode_whole<'de>(seed: impl DeserializeSeed<'de>, body: &'de str) -> serde_json::Result<()> {
    let mut json = serde_json::Deserializer::from_str(body);
    seed.deserialize(&mut json)?;
    json.end()
}
