//! A learner's subjects: by term (2.4), and with their marks (2.5).

use super::fields::{ArrayOf, Members, Text};
use super::{Out, values};
use crate::record::decimal::Decimal;
use crate::record::value::{EnrolledTerm, integer};
use crate::record::{Kind, Value};
use serde::de::MapAccess;
use std::borrow::Cow;

const NAMES: [&str; 7] = [
    "year",
    "subject_id",
    "subject_name",
    "super_subject_id",
    "super_subject_name",
    "grade_id",
    "grade",
];

const TERM_NAMES: [&str; 8] = [
    "term_id",
    "term",
    "subject_group_id",
    "subject_group_name",
    "classroom_id",
    "classroom_name",
    "subject_group_teacher_id",
    "mark",
];

pub(super) struct Subjects<'o, 'de> {
    school: u64,
    learner: u64,
    texts: [Cow<'de, str>; NAMES.len()],
    terms: Terms<'de>,
    out: &'o mut dyn Out,
}

impl<'o> Subjects<'o, '_> {
    pub(super) fn new(school: u64, learner: u64, out: &'o mut dyn Out) -> Self {
        Subjects {
            school,
            learner,
            texts: Default::default(),
            terms: Terms::default(),
            out,
        }
    }
}

impl<'de> Members<'de> for Subjects<'_, 'de> {
    fn member<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<bool, A::Error> {
        if name == "terms" {
            map.next_value_seed(ArrayOf(&mut self.terms))?;
            return Ok(true);
        }
        take(&NAMES, &mut self.texts, name, map)
    }

    fn end(&mut self) -> Result<(), String> {
        let [year, subject, name, above, above_name, grade, grade_name] =
            std::mem::take(&mut self.texts);
        let number = |name: &str, text: &str| integer(text).ok_or_else(|| name.to_owned());
        let of_school = ("school_id", Value::Integer(self.school));
        let year = ("year", Value::Integer(number("year", &year)?));
        let subject = (
            "subject_id",
            Value::Integer(number("subject_id", &subject)?),
        );
        let grade = ("grade_id", Value::Integer(number("grade_id", &grade)?));
        let mut tell = |kind, values| self.out.record(kind, values);

        let current = ("current_year", year.1.clone());
        tell(
            Kind::School,
            values(Kind::School, [of_school.clone(), current]),
        );
        let told = [
            of_school.clone(),
            subject.clone(),
            ("subject_name", text(name)),
            ("super_subject_id", text(above)),
            ("super_subject_name", text(above_name)),
        ];
        tell(Kind::Subject, values(Kind::Subject, told));
        if !grade_name.is_empty() {
            let told = [
                of_school.clone(),
                grade.clone(),
                ("grade", text(grade_name)),
            ];
            tell(Kind::Grade, values(Kind::Grade, told));
        }
        // No term has the id 0: it stands for none.
        let terms = std::mem::take(&mut self.terms);
        for (term, id) in terms.ids.into_iter().filter(|(_, id)| *id != 0) {
            let told = [
                of_school.clone(),
                year.clone(),
                ("term", Value::Integer(term)),
                ("term_id", Value::Integer(id)),
            ];
            tell(Kind::Term, values(Kind::Term, told));
        }
        let told = [
            of_school,
            ("learner_id", Value::Integer(self.learner)),
            year,
            subject,
            grade,
            ("terms", Value::Terms(terms.taken)),
        ];
        tell(Kind::LearnerSubject, values(Kind::LearnerSubject, told));
        Ok(())
    }

    fn unknown(&mut self, name: &str) {
        self.out.unknown("learner_subject", name);
    }
}

/// The terms of a subject.
#[derive(Default)]
struct Terms<'de> {
    texts: [Cow<'de, str>; TERM_NAMES.len()],
    taken: Vec<EnrolledTerm<'de>>,
    ids: Vec<(u64, u64)>,
}

impl<'de> Members<'de> for Terms<'de> {
    fn member<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<bool, A::Error> {
        take(&TERM_NAMES, &mut self.texts, name, map)
    }

    fn end(&mut self) -> Result<(), String> {
        let [id, term, a, b, c, d, e, mark] = std::mem::take(&mut self.texts);
        let term = integer(&term).ok_or("term")?;
        if !id.is_empty() {
            self.ids.push((term, integer(&id).ok_or("term_id")?));
        }
        let mark = match &*mark {
            "" => None,
            mark => Some(Decimal::parse(mark).ok_or("mark")?),
        };
        let group = [a, b, c, d, e];
        self.taken.push(EnrolledTerm { term, group, mark });
        Ok(())
    }

    fn unknown(&mut self, _: &str) {}
}

/// Takes a text by its name.
fn take<'de, A: MapAccess<'de>>(
    names: &[&str],
    texts: &mut [Cow<'de, str>],
    name: &str,
    map: &mut A,
) -> Result<bool, A::Error> {
    let index = names.iter().position(|known| *known == name);
    let Some(slot) = index.and_then(|index| texts.get_mut(index)) else {
        return Ok(false);
    };
    let Text(text) = map.next_value()?;
    *slot = text;
    Ok(true)
}

fn text(text: Cow<'_, str>) -> Value<'_> {
    if text.is_empty() {
        Value::Empty
    } else {
        Value::Text(text)
    }
}
