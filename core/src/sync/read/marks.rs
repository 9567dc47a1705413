//! Assessment marks, nested by grade, year, term, learner, subject, learning outcome
//! and assessment (2.6), with marks or their structure alone.

use super::fields::{Members, ObjectOf, Text};
use super::{Out, values};
use crate::record::field::Form;
use crate::record::value::integer;
use crate::record::{Kind, Value};
use serde::de::{Error, IgnoredAny, MapAccess};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// What holds the objects of the level below, by level.
const BELOW: [&str; 6] = [
    "years",
    "terms",
    "learners",
    "subjects",
    "learning_outcomes",
    "assessments",
];

/// What an object of a level repeats of its key, and its name.
const REPEATED: [&str; 6] = [
    "",
    "year",
    "term",
    "learner_id",
    "subject_id",
    "learning_outcome_id",
];
const NAMED: [&str; 6] = [
    "grade",
    "year_name",
    "",
    "",
    "subject_name",
    "learning_outcome_name",
];

const ASSESSMENT: [(&str, Form); 9] = [
    ("assessment_id", Form::Integer),
    ("assessment_name", Form::Text),
    ("assessment_date", Form::Date),
    ("weight", Form::Decimal),
    ("dtime", Form::DateTime),
    ("percentage", Form::Percentage),
    ("mark", Form::Decimal),
    ("mark_out_of", Form::Decimal),
    ("captured", Form::Bit),
];

/// The objects of a level, each under its id.
pub(super) struct Marks<'o> {
    school: u64,
    /// Whether marks are told, so that they are released.
    is_released: bool,
    /// The ids of the objects at hand: grade, year, term, learner, subject, outcome.
    ids: [u64; 6],
    level: usize,
    /// Kinds and ids that were told already: the same for all learners.
    told: BTreeSet<(Kind, [u64; 4])>,
    out: &'o mut dyn Out,
}

impl<'o> Marks<'o> {
    pub(super) fn new(school: u64, is_released: bool, out: &'o mut dyn Out) -> Marks<'o> {
        Marks {
            school,
            is_released,
            ids: [0; 6],
            level: 0,
            told: BTreeSet::new(),
            out,
        }
    }

    /// Tells a record once.
    fn tell<const N: usize>(&mut self, kind: Kind, ids: [u64; 4], told: [(&str, Value<'_>); N]) {
        if self.told.insert((kind, ids)) {
            let mut values = values(kind, told);
            if let Some(school) = values.first_mut() {
                *school = Value::Integer(self.school);
            }
            self.out.record(kind, values);
        }
    }

    fn name(&mut self, id: u64, name: Cow<'_, str>) {
        if name.is_empty() {
            return;
        }
        let (id, name, ids) = (Value::Integer(id), Value::Text(name), [id, 0, 0, 0]);
        match self.level {
            0 => self.tell(Kind::Grade, ids, [("grade_id", id), ("grade", name)]),
            1 => self.tell(Kind::Year, ids, [("year", id), ("year_name", name)]),
            4 => self.tell(
                Kind::Subject,
                ids,
                [("subject_id", id), ("subject_name", name)],
            ),
            _ => {
                let told = [("learning_outcome_id", id), ("learning_outcome_name", name)];
                self.tell(Kind::LearningOutcome, ids, told);
            }
        }
    }

    fn assessment(&mut self, id: u64, told: [Value<'_>; ASSESSMENT.len()]) {
        let [
            _,
            name,
            date,
            weight,
            dtime,
            percentage,
            mark,
            out_of,
            captured,
        ] = told;
        let number = Value::Integer;
        let [grade, year, term, learner, subject, outcome] = self.ids;
        let program = [
            ("grade_id", number(grade)),
            ("year", number(year)),
            ("term", number(term)),
            ("subject_id", number(subject)),
            ("released", number(u64::from(self.is_released))),
        ];
        self.tell(Kind::LearningProgram, [grade, year, term, subject], program);
        let assessment = [
            ("assessment_id", number(id)),
            ("grade_id", number(grade)),
            ("year", number(year)),
            ("term", number(term)),
            ("subject_id", number(subject)),
            ("learning_outcome_id", number(outcome)),
            ("assessment_name", name),
            ("assessment_date", date),
            ("weight", weight),
            ("mark_out_of", out_of),
        ];
        self.tell(Kind::Assessment, [id, 0, 0, 0], assessment);
        // Without marks nothing is told of this one but that it may be there.
        let captured = match captured {
            Value::Integer(1) => Value::Empty,
            _ => number(0),
        };
        let mark = [
            ("school_id", number(self.school)),
            ("assessment_id", number(id)),
            ("learner_id", number(learner)),
            ("mark", mark),
            ("percentage", percentage),
            ("captured", captured),
            ("dtime", dtime),
        ];
        self.out.record(Kind::Mark, values(Kind::Mark, mark));
    }
}

impl<'de> Members<'de> for Marks<'_> {
    fn member<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<bool, A::Error> {
        let id = integer(name).ok_or_else(|| A::Error::custom("an id"))?;
        if let Some(slot) = self.ids.get_mut(self.level) {
            *slot = id;
            map.next_value_seed(ObjectOf(&mut Item { marks: self, id }))?;
        } else {
            let mut leaf = Leaf::default();
            map.next_value_seed(ObjectOf(&mut leaf))?;
            self.assessment(id, leaf.values);
            for name in leaf.unknown {
                self.out.unknown("assessment", &name);
            }
        }
        Ok(true)
    }

    fn end(&mut self) -> Result<(), String> {
        Ok(())
    }

    fn unknown(&mut self, _: &str) {}
}

/// One object above assessments.
struct Item<'m, 'o> {
    marks: &'m mut Marks<'o>,
    id: u64,
}

impl<'de> Members<'de> for Item<'_, '_> {
    fn member<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<bool, A::Error> {
        let level = self.marks.level;
        let is = |names: &[&str; 6]| names.get(level) == Some(&name);
        if is(&BELOW) {
            self.marks.level += 1;
            let below = map.next_value_seed(ObjectOf(&mut *self.marks));
            self.marks.level -= 1;
            below?;
        } else if is(&NAMED) {
            let Text(name) = map.next_value()?;
            self.marks.name(self.id, name);
        } else if is(&REPEATED) {
            map.next_value::<IgnoredAny>()?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn end(&mut self) -> Result<(), String> {
        Ok(())
    }

    fn unknown(&mut self, name: &str) {
        self.marks.out.unknown("assessment marks", name);
    }
}

/// An assessment, with a mark or without.
#[derive(Default)]
struct Leaf<'de> {
    values: [Value<'de>; ASSESSMENT.len()],
    unknown: Vec<String>,
}

impl<'de> Members<'de> for Leaf<'de> {
    fn member<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<bool, A::Error> {
        let mut known = ASSESSMENT.iter().zip(&mut self.values);
        let Some(((_, form), slot)) = known.find(|((known, _), _)| *known == name) else {
            return Ok(false);
        };
        let Text(text) = map.next_value()?;
        let value = Value::from_text(*form, text);
        *slot = value.ok_or_else(|| A::Error::custom("a value"))?;
        Ok(true)
    }

    fn end(&mut self) -> Result<(), String> {
        Ok(())
    }

    fn unknown(&mut self, name: &str) {
        self.unknown.push(name.to_owned());
    }
}
