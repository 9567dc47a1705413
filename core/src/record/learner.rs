//! A learner (2.1).

use super::field::{Field, Form, fact, position};
use super::fold::fold;
use super::value::{Value, integer};
use super::{bake, facts, varint};
use crate::date::Date;
use crate::error::{Error, Result};
use crate::json::Members;
use crate::store::{ItemBuffer, Run};
use std::ops::Range;

/// The states of a learner, in the order of their tag (section 3).
pub(crate) const STATUSES: [&str; 3] = ["current", "left", "waitlist"];

pub(crate) const FIELDS: [Field; 34] = [
    Field::key("school_id"),
    Field::id("id"),
    Field::text("first_name"),
    Field::text("last_name"),
    Field::text("mobile_calling_code"),
    Field::text("mobile_number"),
    Field::text("email_address"),
    Field::of("date_of_birth", Form::Date),
    Field::text("gender"),
    Field::reference("ethnic_group_id"),
    Field::text("ethnic_group"),
    Field::reference("home_language_id"),
    Field::text("home_language"),
    Field::reference("tuition_language_id"),
    Field::text("tuition_language"),
    Field::text("nationality"),
    Field::text("admission_number"),
    Field::text("family_code"),
    Field::text("id_number"),
    Field::text("passport_number"),
    Field::reference("grade_id"),
    Field::text("grade"),
    Field::text("register_class_name"),
    Field::reference("register_class_teacher_id"),
    Field::text("country"),
    Field::text("province"),
    Field::text("education_stream"),
    Field::text("photo_url"),
    Field::reference("parent1_id"),
    Field::reference("parent2_id"),
    Field::of("status", Form::Choice(&STATUSES)).kept(1),
    Field::of("transfer_date", Form::Date).kept(2),
    Field::text("debtor_code").kept(3),
    Field::reference("accountable_person_id").kept(4),
];

pub(crate) const FIRST_NAME: usize = position(&FIELDS, "first_name");
pub(crate) const LAST_NAME: usize = position(&FIELDS, "last_name");
pub(crate) const STATUS: usize = position(&FIELDS, "status");
pub(crate) const TRANSFER_DATE: usize = position(&FIELDS, "transfer_date");
const DEBTOR_CODE_FACT: u8 = fact(&FIELDS, "debtor_code");
const ACCOUNTABLE_PERSON_FACT: u8 = fact(&FIELDS, "accountable_person_id");
const GRADE_ID: usize = position(&FIELDS, "grade_id");
const FAMILY_CODE: usize = position(&FIELDS, "family_code");
const PARENT1_ID: usize = position(&FIELDS, "parent1_id");
const PARENT2_ID: usize = position(&FIELDS, "parent2_id");

/// The tag: the place of the status among [`STATUSES`].
pub(crate) const STATUS_TAG: usize = 0;
/// The tag: the date of the transfer as a number.
pub(crate) const TRANSFER_TAG: usize = 1;
/// The tag: the grade, if it is a number.
pub(crate) const GRADE_TAG: usize = 2;
/// The tag: the family code, if it is a number.
pub(crate) const FAMILY_TAG: usize = 3;
/// The tag: the first parent, if the reference is a number.
pub(crate) const PARENT1_TAG: usize = 4;
/// The tag: the second parent, if the reference is a number.
pub(crate) const PARENT2_TAG: usize = 5;
/// The tag: where in the rendering the last name ends, its quote included. The
/// part from the id to there is what other answers repeat of a learner.
pub(crate) const NAMES_END_TAG: usize = 6;

/// The lane of folded names.
pub(crate) const NAME_LANE: usize = 2;

/// What the rendering begins with, before the id.
pub(crate) const RENDERING_START: &[u8] = b"{\"id\":";

pub(crate) fn set_tags(values: &[Value<'_>], item: &mut ItemBuffer) {
    let text = |field: usize| values.get(field).map_or("", Value::text);
    let number = |field: usize| integer(text(field));
    let status = STATUSES.iter().position(|status| *status == text(STATUS));
    let transferred = values.get(TRANSFER_DATE).and_then(Value::date);
    item.set_tag(STATUS_TAG, Some(status.unwrap_or(0) as u64));
    item.set_tag(TRANSFER_TAG, transferred.map(Date::number));
    item.set_tag(GRADE_TAG, number(GRADE_ID));
    item.set_tag(FAMILY_TAG, number(FAMILY_CODE));
    item.set_tag(PARENT1_TAG, number(PARENT1_ID));
    item.set_tag(PARENT2_TAG, number(PARENT2_ID));

    let (first, last) = (text(FIRST_NAME), text(LAST_NAME));
    let [rendering, _, names] = &mut item.lanes;
    let end = names_end(rendering);
    fold(first, names);
    names.push(b' ');
    fold(last, names);
    item.set_tag(NAMES_END_TAG, Some(end as u64));
}

/// The end of the third member of the rendering: id, first name, last name.
fn names_end(rendering: &[u8]) -> usize {
    let next = b"\",\"mobile_calling_code\":\"";
    // A quote inside a name is escaped, so this is no part of one.
    memchr::memmem::find(rendering, next).map_or(0, |at| at + 1)
}

/// The fields whose places in the rendering are kept, behind the facts: what an
/// answer about accounts takes of a learner.
const SPANNED: [&[u8]; 4] = [b"gender", b"grade", b"parent1_id", b"parent2_id"];

/// Adds where the values of those fields stand in the rendering.
pub(crate) fn push_spans(rendering: &[u8], facts: &mut Vec<u8>) {
    let mut at = 1;
    for (name, value) in Members::of(rendering).flatten() {
        // "name":"value",
        let start = at + name.len() + 4;
        at = start + value.len() + 2;
        if SPANNED.contains(&name) {
            varint::push(facts, start as u64);
            varint::push(facts, value.len() as u64);
        }
    }
}

/// Takes those places off the front.
pub(crate) fn take_spans(facts: &mut &[u8]) -> Result<[Range<usize>; SPANNED.len()]> {
    let mut spans = [const { 0..0 }; SPANNED.len()];
    for span in &mut spans {
        let mut number = || {
            let number = usize::try_from(varint::take(facts)?);
            number.map_err(|_| Error::corrupt("a learner is too long"))
        };
        let start = number()?;
        *span = start..start.saturating_add(number()?);
    }
    Ok(spans)
}

/// What an answer about accounts takes of a learner, escaped.
pub(crate) struct Account<'a> {
    pub(crate) gender: &'a [u8],
    pub(crate) grade: &'a [u8],
    pub(crate) debtor_code: &'a [u8],
    pub(crate) parent1_id: &'a [u8],
    pub(crate) parent2_id: &'a [u8],
    pub(crate) accountable_person_id: &'a [u8],
}

impl<'a> Account<'a> {
    pub(crate) fn of(run: &Run<'a>, index: usize) -> Result<Account<'a>> {
        let rendering = run.record(bake::RENDERING, index)?;
        let mut behind = run.record(bake::FACTS, index)?;
        let (mut debtor_code, mut accountable_person_id) = (&[] as &[u8], &[] as &[u8]);
        for fact in facts::take(&mut behind)? {
            match fact? {
                (DEBTOR_CODE_FACT, bytes) => debtor_code = bytes,
                (ACCOUNTABLE_PERSON_FACT, bytes) => accountable_person_id = bytes,
                _ => {}
            }
        }
        let [gender, grade, parent1_id, parent2_id] = take_spans(&mut behind)?;
        let value = |span| {
            rendering
                .get::<Range<usize>>(span)
                .ok_or_else(|| Error::corrupt("a learner is cut"))
        };
        Ok(Account {
            gender: value(gender)?,
            grade: value(grade)?,
            debtor_code,
            parent1_id: value(parent1_id)?,
            parent2_id: value(parent2_id)?,
            accountable_person_id,
        })
    }

    /// The person accountable for it, if the reference is a number.
    pub(crate) fn accountable_person(&self) -> Option<u64> {
        integer(std::str::from_utf8(self.accountable_person_id).ok()?)
    }
}
