//! Reading answers back into records (v1). Each answer tells some fields of some kinds;
//! `gather` merges what several tell of one record.
//!
//! - `fields`: objects, member by member. `record`: those that are records.
//! - `subjects`: a learner's subjects and their marks. `marks`: assessments and marks.

mod fields;
mod marks;
mod record;
mod subjects;

use super::asked::Asked;
use crate::record::{Kind, Value};
use fields::{ArrayOf, Members, ObjectOf};
use record::{Goes, Reader};
use serde::de::DeserializeSeed;
use std::borrow::Cow;

/// What takes that which answers tell.
pub(super) trait Out {
    /// Some fields of a record, those of its key among them.
    fn record(&mut self, kind: Kind, values: Vec<Value<'_>>);

    /// A member of a record of a kind that is not known.
    fn unknown(&mut self, of: &str, name: &str);
}

/// Why an answer could not be read. It shows nothing of the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unread {
    /// It is no JSON, or was cut: to be asked for again.
    NoJson,
    /// It is JSON of another shape, or a value has a form that its field has not.
    Other,
}

const LEARNER: &[(&str, Goes)] = &[("parents", Goes::Records(Kind::Parent))];

const ACCOUNT: &[(&str, Goes)] = &[
    ("learner_id", Goes::To("id")),
    ("accountable_person", Goes::Record(Kind::AccountablePerson)),
    ("parents", Goes::Records(Kind::Parent)),
];

/// Reads an answer.
pub(super) fn read(
    asked: Asked,
    school: u64,
    body: &[u8],
    out: &mut dyn Out,
) -> Result<(), Unread> {
    let text = |text: &'static str| Value::Text(Cow::Borrowed(text));
    match asked {
        Asked::School => array(Reader::new(Kind::School, &[], school, out), body),
        Asked::SchoolInfo => {
            let mut reader = Reader::new(Kind::School, &[], school, out);
            object(&mut reader, body)
        }
        Asked::Grades => {
            const GRADE: &[(&str, Goes)] = &[("id", Goes::To("grade_id"))];
            array(Reader::new(Kind::Grade, GRADE, school, out), body)
        }
        Asked::Lookup(kind) => array(Reader::new(kind, &[], school, out), body),
        Asked::Learners(status) => {
            let mut reader = Reader::new(Kind::Learner, LEARNER, school, out);
            reader.tell("status", text(status));
            array(reader, body)
        }
        Asked::SubjectsPerTerm(learner) | Asked::SubjectMarks(learner) => {
            array(subjects::Subjects::new(school, learner, out), body)
        }
        Asked::Marks(_) => object(&mut marks::Marks::new(school, true, out), body),
        Asked::Structure(_) => object(&mut marks::Marks::new(school, false, out), body),
        Asked::Absences(..) => array(Reader::new(Kind::Absentee, &[], school, out), body),
        Asked::Discipline(..) => array(Reader::new(Kind::Discipline, &[], school, out), body),
        Asked::Staff => array(Reader::new(Kind::StaffMember, &[], school, out), body),
        Asked::Parents => array(Reader::new(Kind::Parent, &[], school, out), body),
        Asked::Accounts { all } => {
            let mut reader = Reader::new(Kind::Learner, ACCOUNT, school, out);
            reader.tell("account", text(if all { "closed" } else { "open" }));
            array(reader, body)
        }
        Asked::Debtors { all } => {
            let mut reader = Reader::new(Kind::AccountablePerson, &[], school, out);
            reader.tell("account", text(if all { "closed" } else { "open" }));
            array(reader, body)
        }
    }
}

fn array<'de>(mut members: impl Members<'de>, body: &'de [u8]) -> Result<(), Unread> {
    whole(ArrayOf(&mut members), body)
}

fn object<'de>(members: &mut impl Members<'de>, body: &'de [u8]) -> Result<(), Unread> {
    whole(ObjectOf(members), body)
}

fn whole<'de>(seed: impl DeserializeSeed<'de>, body: &'de [u8]) -> Result<(), Unread> {
    let body = std::str::from_utf8(body).map_err(|_| Unread::NoJson)?;
    let mut json = serde_json::Deserializer::from_str(body);
    let read = seed.deserialize(&mut json).map(drop);
    read.and_then(|()| json.end())
        .map_err(|error| match error.classify() {
            serde_json::error::Category::Data => Unread::Other,
            _ => Unread::NoJson,
        })
}

/// Values of a kind by the names of its fields.
fn values<'a, const N: usize>(kind: Kind, told: [(&str, Value<'a>); N]) -> Vec<Value<'a>> {
    let mut values = vec![Value::Empty; kind.fields().len()];
    for (name, value) in told {
        let index = kind.fields().iter().position(|field| field.name == name);
        if let Some(slot) = index.and_then(|index| values.get_mut(index)) {
            *slot = value;
        }
    }
    values
}
