//! Reading answers back into records (v1). What an answer may hold is said by tables of
//! its members; one that holds anything else than was asked for is not read at all.
//!
//! - `table`: the members of each answer. `out`: what comes of an answer.
//! - `fields`: objects, member by member. `record`: those that are records.
//! - `takers`: who takes which subjects. `subjects`: a learner's subjects and their marks. `marks`: assessments and marks, `level` by level and `leaf` by `leaf`.

mod fields;
mod leaf;
mod level;
mod marks;
mod out;
mod record;
mod subjects;
mod table;
mod takers;
#[cfg(test)]
mod tests;

use super::ask::Ask;
use super::told::Told;
use crate::record::field::position;
use crate::record::{Value, learner};
use fields::{ArrayOf, Members, ObjectOf};
use marks::Marks;
use out::Out;
use record::Reader;
use serde::de::DeserializeSeed;
use std::borrow::Cow;
use subjects::Subjects;
use takers::Takers;

pub(super) use out::{Evidence, Unread};

/// No answer is larger.
pub(super) const MOST_BYTES: usize = 32 << 20;

/// Reads the answer to what was asked of a school, as a whole or not at all.
pub(super) fn read(ask: Ask, school: u64, body: &[u8]) -> Result<(Told, Evidence), Unread> {
    if body.len() > MOST_BYTES {
        return Err(Unread::TooLarge);
    }
    let body = std::str::from_utf8(body).map_err(|_| Unread::NoJson)?;
    let mut out = Out::new(ask, school);
    match fill(ask, body, &mut out) {
        Ok(()) => Ok((out.told, out.evidence)),
        Err(error) if error.is_data() => Err(out.why()),
        Err(_) => Err(Unread::NoJson),
    }
}

const STATUS: usize = position(learner::FIELDS, "status");

fn fill(ask: Ask, body: &str, out: &mut Out) -> serde_json::Result<()> {
    let table = match ask {
        Ask::SchoolInfo => return object(&mut Reader::new(&table::INFO, out), body),
        Ask::LearnerSubjects => return array(Takers::new(out), body),
        Ask::SubjectsPerTerm(learner) | Ask::SubjectMarks(learner) => {
            return array(Subjects::new(learner, out), body);
        }
        Ask::Marks { .. } => return object(&mut Marks::new(out), body),
        Ask::Learners { of, .. } => {
            let status = Value::Text(Cow::Borrowed(of.status()));
            return array(
                Reader::new(&table::LEARNER, out).telling(STATUS, status),
                body,
            );
        }
        Ask::School => &table::SCHOOL,
        Ask::Grades => &table::GRADE,
        Ask::Lookup(kind) => table::of_lookup(kind),
        Ask::Absences(..) => &table::ABSENTEE,
        Ask::Discipline(..) => &table::DISCIPLINE,
        Ask::Staff => &table::STAFF_MEMBER,
        Ask::Parents => &table::PARENT,
        Ask::Accounts { .. } => &table::ACCOUNT,
        Ask::Debtors { .. } => &table::ACCOUNTABLE_PERSON,
    };
    array(Reader::new(table, out), body)
}

fn array<'de>(mut members: impl Members<'de>, body: &'de str) -> serde_json::Result<()> {
    whole(ArrayOf(&mut members), body)
}

fn object<'de>(members: &mut impl Members<'de>, body: &'de str) -> serde_json::Result<()> {
    whole(ObjectOf(members), body)
}

fn whole<'de>(seed: impl DeserializeSeed<'de>, body: &'de str) -> serde_json::Result<()> {
    let mut json = serde_json::Deserializer::from_str(body);
    seed.deserialize(&mut json)?;
    json.end()
}
