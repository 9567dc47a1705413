//! Assessment marks, nested by grade, year, term, learner, subject, learning outcome
//! and assessment (2.6), with marks or their structure alone.
//!
//! Nearly all of it is said again for each learner. So what is the same is told once, and
//! of each further learner compared; only the mark is read each time.

use super::super::ask::Ask;
use super::super::told::Fields;
use super::fields::{Members, ObjectOf, Text};
use super::leaf::{self, Leaf};
use super::level::{GRADE, LEARNER, LEVELS, SUBJECT, TERM, YEAR};
use super::out::{Out, Unread, unkeepable};
use crate::record::field::{Form, position};
use crate::record::value::integer;
use crate::record::{Kind, Value, assessment, learning_program};
use serde::de::{Error, MapAccess};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// The objects of a level, each under its id.
pub(super) struct Marks<'o, 'de> {
    /// The structure alone, without marks.
    pub(super) is_structure: bool,
    /// The ids of the objects at hand: grade, year, term, learner, subject, outcome.
    ids: [u64; LEVELS.len()],
    /// The ids that stood beside them already.
    beside: [BTreeSet<u64>; LEVELS.len()],
    level: usize,
    names: BTreeMap<(usize, u64), Cow<'de, str>>,
    /// Terms and subjects whose programmes were told.
    programmes: BTreeSet<(u64, u64)>,
    assessments: Vec<Known<'de>>,
    /// Where an assessment lies among them.
    places: BTreeMap<u64, usize>,
    /// Behind the assessment that was read last: they mostly come in one order.
    next: usize,
    pub(super) leaf: Leaf<'de>,
    pub(super) out: &'o mut Out,
}

/// An assessment as it was told, to be compared.
struct Known<'de> {
    id: u64,
    /// Term, subject and outcome.
    place: [u64; 3],
    /// Its name, date, weight and what marks are out of.
    texts: [Cow<'de, str>; 4],
    /// The object up to these but the last, as it was read.
    head: &'de str,
    /// The learner whose mark of it was read last.
    learner: Option<u64>,
}

impl<'o> Marks<'o, '_> {
    pub(super) fn new(out: &'o mut Out) -> Self {
        Marks {
            is_structure: matches!(
                out.ask,
                Ask::Marks {
                    structure: true,
                    ..
                }
            ),
            ids: [0; LEVELS.len()],
            beside: Default::default(),
            level: 0,
            names: BTreeMap::new(),
            programmes: BTreeSet::new(),
            assessments: Vec::new(),
            places: BTreeMap::new(),
            next: 0,
            leaf: Leaf::default(),
            out,
        }
    }
}

impl<'de> Marks<'_, 'de> {
    /// An object of this id begins.
    fn enter(&mut self, id: u64) -> Result<(), Unread> {
        if let Some(slot) = self.ids.get_mut(self.level) {
            *slot = id;
        }
        if let Some(below) = self.beside.get_mut(self.level + 1) {
            below.clear();
        }
        let beside = self.beside.get_mut(self.level);
        if beside.is_some_and(|beside| !beside.insert(id)) {
            return Err(Unread::Shape);
        }
        match (self.level, self.out.ask) {
            (GRADE, Ask::Marks { grade, .. }) if grade != id => Err(Unread::OutOfUnit),
            (YEAR, _) => self.out.year(id),
            (SUBJECT, _) => self.programme(),
            _ => Ok(()),
        }
    }

    /// That marks are shown is their release; the structure is shown in any case.
    fn programme(&mut self) -> Result<(), Unread> {
        let [grade, year, term, _, subject, _] = self.ids;
        if !self.programmes.insert((term, subject)) {
            return Ok(());
        }
        let told = if self.is_structure {
            PROGRAMME
        } else {
            PROGRAMME | RELEASED
        };
        let released = Value::Integer(1);
        let [grade, year, term, subject] = [grade, year, term, subject].map(Value::Integer);
        let values = [
            Value::Empty,
            grade,
            year,
            term,
            subject,
            Value::Empty,
            released,
        ];
        self.out.record(Kind::LearningProgram, told, &values)
    }

    /// Tells the name of the object at hand, unless it is known.
    fn name(&mut self, name: Cow<'de, str>) -> Result<(), Unread> {
        let id = self.ids.get(self.level).copied().unwrap_or_default();
        let named = LEVELS.get(self.level).and_then(|level| level.named);
        let known = self.names.get(&(self.level, id));
        let (Some((kind, key, field)), false) = (named, known == Some(&name)) else {
            return Ok(());
        };
        self.names.insert((self.level, id), name.clone());
        let mut values = vec![Value::Empty; kind.fields().len()];
        for (index, value) in [(key, Value::Integer(id)), (field, text(name))] {
            if let Some(slot) = values.get_mut(index) {
                *slot = value;
            }
        }
        self.out.record(kind, 1 << key | 1 << field, &values)
    }

    /// Where an assessment lies that was told before.
    fn find(&self, id: u64) -> Option<usize> {
        match self.assessments.get(self.next) {
            Some(known) if known.id == id => Some(self.next),
            _ => self.places.get(&id).copied(),
        }
    }

    /// Tells the mark at hand, and its assessment unless it is known. `raw` is the object.
    pub(super) fn assessment(&mut self, id: u64, raw: &'de str) -> Result<(), Unread> {
        let head = leaf::head(raw);
        let texts = std::mem::take(&mut self.leaf.texts).map(Option::unwrap_or_default);
        let [
            own_id,
            name,
            date,
            weight,
            dtime,
            percentage,
            mark,
            out_of,
            captured,
        ] = texts;
        if integer(&own_id) != Some(id) {
            return Err(Unread::Shape);
        }
        let [_, _, term, learner, subject, outcome] = self.ids;
        let place = [term, subject, outcome];
        let texts = [name, date, weight, out_of];
        let is_full = self.assessments.len() == MOST_ASSESSMENTS;
        let found = self.find(id);
        let known = found.and_then(|at| Some((at, self.assessments.get_mut(at)?)));
        match known {
            Some((at, known)) => {
                if known.place != place || known.learner.replace(learner) == Some(learner) {
                    return Err(Unread::Shape);
                }
                self.next = at + 1;
                known.head = head;
                if known.texts != texts {
                    known.texts.clone_from(&texts);
                    self.tell(id, &texts)?;
                }
            }
            None if is_full => return Err(Unread::TooMany),
            None => {
                self.tell(id, &texts)?;
                self.places.insert(id, self.assessments.len());
                let learner = Some(learner);
                self.assessments.push(Known {
                    id,
                    place,
                    texts,
                    head,
                    learner,
                });
                self.next = self.assessments.len();
            }
        }
        let mark = leaf::read_mark(&dtime, &percentage, &mark, &captured)?;
        self.out.mark(id, learner, &mark);
        Ok(())
    }

    /// Reads the mark of one more learner out of bytes that are otherwise those of the
    /// learner before, and says whether it could: what differs is read with more care.
    fn mark_of_known(&mut self, id: u64, raw: &'de str) -> bool {
        let [_, _, term, learner, subject, outcome] = self.ids;
        let found = self.find(id);
        let Some((at, known)) = found.and_then(|at| Some((at, self.assessments.get_mut(at)?)))
        else {
            return false;
        };
        let is_next = known.place == [term, subject, outcome] && known.learner != Some(learner);
        let Some(rest) = raw.strip_prefix(known.head).filter(|_| is_next) else {
            return false;
        };
        let out_of = known.texts.last().map_or("", AsRef::as_ref);
        let mark = if self.is_structure {
            (rest == "}").then(|| leaf::read_mark("", "", "", "").ok())
        } else {
            Some(leaf::plain_mark(rest, out_of))
        };
        let Some(Some(mark)) = mark else {
            return false;
        };
        known.learner = Some(learner);
        self.next = at + 1;
        self.out.mark(id, learner, &mark);
        true
    }

    fn tell(
        &mut self,
        id: u64,
        [name, date, weight, out_of]: &[Cow<'_, str>; 4],
    ) -> Result<(), Unread> {
        let [grade, year, term, _, subject, outcome] = self.ids;
        let numbers = [id, grade, year, term, subject, outcome].map(Value::Integer);
        let mut values = vec![Value::Empty];
        values.extend(numbers);
        let texts = [
            (name, Form::Text),
            (date, Form::Date),
            (weight, Form::Decimal),
            (out_of, Form::Decimal),
        ];
        for ((text, form), field) in texts.into_iter().zip(TEXTS) {
            let value = Value::from_text(form, Cow::Borrowed(text));
            values.push(value.ok_or(unkeepable(Kind::Assessment, field))?);
        }
        let told = if self.is_structure {
            STRUCTURE
        } else {
            ASSESSMENT
        };
        self.out.record(Kind::Assessment, told, &values)
    }
}

fn text(text: Cow<'_, str>) -> Value<'_> {
    if text.is_empty() {
        Value::Empty
    } else {
        Value::Text(text)
    }
}

/// No answer has more: each is kept at hand while it is read.
const MOST_ASSESSMENTS: usize = 100_000;

/// The fields behind the references of an assessment, in their order.
const TEXTS: [&str; 4] = [
    "assessment_name",
    "assessment_date",
    "weight",
    "mark_out_of",
];
/// All but the school; the structure does not tell what marks are out of.
const ASSESSMENT: Fields = (1 << assessment::FIELDS.len()) - 2;
const STRUCTURE: Fields = ASSESSMENT - (1 << position(assessment::FIELDS, "mark_out_of"));
/// The key, and whether it is released.
const PROGRAMME: Fields = 0b1_1110;
const RELEASED: Fields = 1 << position(learning_program::FIELDS, "released");

const _: () = {
    let mut rest: &[&str] = &TEXTS;
    let mut at = 7;
    while let [name, others @ ..] = rest {
        assert!(
            position(assessment::FIELDS, name) == at,
            "not in their order"
        );
        (at, rest) = (at + 1, others);
    }
};

impl<'de> Members<'de> for Marks<'_, 'de> {
    fn member<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<bool, A::Error> {
        let Some(id) = integer(name) else {
            return Err(self.out.refuse(Unread::Shape));
        };
        if self.level < LEVELS.len() {
            if let Err(why) = self.enter(id) {
                return Err(self.out.refuse(why));
            }
            let mut item = Item {
                marks: self,
                id,
                seen: 0,
            };
            map.next_value_seed(ObjectOf(&mut item))?;
            return Ok(true);
        }
        let raw: &'de RawValue = map.next_value()?;
        if !self.mark_of_known(id, raw.get()) {
            leaf::read(self, id, raw.get()).map_err(A::Error::custom)?;
        }
        Ok(true)
    }

    fn end(&mut self) -> Result<(), Unread> {
        Ok(())
    }

    fn what(&self) -> &'static str {
        "assessment marks"
    }

    fn out(&mut self) -> &mut Out {
        self.out
    }
}

/// One object above assessments.
struct Item<'m, 'o, 'de> {
    marks: &'m mut Marks<'o, 'de>,
    id: u64,
    /// Whether the objects below, the id and the name stood in it: a bit each.
    seen: u8,
}

impl<'de> Item<'_, '_, 'de> {
    /// Notes that a member stands in the object, which it may do once.
    fn see(&mut self, bit: u8) -> Result<(), Unread> {
        let is_twice = self.seen & bit != 0;
        self.seen |= bit;
        if is_twice { Err(Unread::Shape) } else { Ok(()) }
    }

    fn repeats(&self, text: &str) -> Result<(), Unread> {
        if integer(text) == Some(self.id) {
            Ok(())
        } else {
            Err(Unread::Shape)
        }
    }

    fn named(&mut self, name: Cow<'de, str>) -> Result<(), Unread> {
        self.see(4)?;
        self.marks.name(name)
    }
}

impl<'de> Members<'de> for Item<'_, '_, 'de> {
    fn member<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<bool, A::Error> {
        let Some(level) = LEVELS.get(self.marks.level) else {
            return Ok(false);
        };
        let taken = if name == level.below {
            let seen = self.see(1);
            if seen.is_ok() {
                self.marks.level += 1;
                let below = map.next_value_seed(ObjectOf(&mut *self.marks));
                self.marks.level -= 1;
                below?;
            }
            seen
        } else if name == level.id {
            let Text(text) = map.next_value()?;
            self.see(2).and_then(|()| self.repeats(&text))
        } else if name == level.name {
            let Text(text) = map.next_value()?;
            self.named(text)
        } else {
            return Ok(false);
        };
        match taken {
            Ok(()) => Ok(true),
            Err(why) => Err(self.marks.out.refuse(why)),
        }
    }

    fn end(&mut self) -> Result<(), Unread> {
        if self.seen & 1 == 0 {
            return Err(Unread::Shape);
        }
        Ok(())
    }

    fn what(&self) -> &'static str {
        match self.marks.level {
            LEARNER => "learner of marks",
            TERM => "term of marks",
            _ => "assessment marks",
        }
    }

    fn out(&mut self) -> &mut Out {
        self.marks.out
    }
}
