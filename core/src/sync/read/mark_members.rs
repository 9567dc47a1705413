//! Decodes the members of the objects in assessment marks, from the grade down to the mark.

use super::answer_builder::{AnswerBuilder, DecodeError, shape};
use super::fields::{Members, ObjectOf};
use super::leaf::{LEAF, OF_STRUCTURE};
use super::level::{LEARNER, LEVELS, TERM};
use super::marks::MarksDecoder;
use super::scalar::Scalar;
use crate::record::Kind;
use crate::record::values::value::integer;
use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess};
use serde_json::value::RawValue;

impl<'de> Members<'de> for MarksDecoder<'_, 'de> {
    fn member<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<bool, A::Error> {
        let Some(id) = integer(name) else {
            map.next_value::<IgnoredAny>()?;
            self.skip();
            return Ok(true);
        };
        if self.level < LEVELS.len() {
            if let Err(reason) = self.enter(id) {
                return Err(self.out.refuse(reason));
            }
            let mut item = MarkMembers {
                marks: self,
                id,
                seen: 0,
            };
            map.next_value_seed(ObjectOf(&mut item))?;
            return Ok(true);
        }
        let raw: &'de RawValue = map.next_value()?;
        if !self.mark_of_known(id, raw.get()) {
            read_leaf(self, id, raw.get()).map_err(A::Error::custom)?;
        }
        Ok(true)
    }

    fn end(&mut self) -> Result<(), DecodeError> {
        Ok(())
    }

    fn skip(&mut self) {
        let (kind, field) = match LEVELS.get(self.level) {
            Some(level) => (level.kind, level.id),
            None => (Kind::Assessment, "assessment_id"),
        };
        self.skip_objects(kind, field);
    }

    fn what(&self) -> &'static str {
        "assessment marks"
    }

    fn out(&mut self) -> &mut AnswerBuilder {
        self.out
    }
}

/// An object above the level of assessments.
struct MarkMembers<'m, 'o, 'de> {
    marks: &'m mut MarksDecoder<'o, 'de>,
    id: u64,
    /// Whether the objects below, the id and the name have occurred in the object, one bit each.
    seen: u8,
}

impl<'de> MarkMembers<'_, '_, 'de> {
    /// Records that a member has occurred in the object. Fails if it has occurred before.
    fn mark_seen(&mut self, bit: u8) -> Result<(), DecodeError> {
        let is_twice = self.seen & bit != 0;
        self.seen |= bit;
        if is_twice { Err(self.shape()) } else { Ok(()) }
    }

    /// Checks the id in the object, which repeats the name of the object. If it cannot be used, the
    /// name is used.
    fn check_id(&mut self, scalar: &Scalar<'_>) -> Result<(), DecodeError> {
        self.mark_seen(2)?;
        match scalar.integer() {
            Some(id) if id != self.id => Err(self.shape()),
            None if !scalar.is_empty() => {
                if let Some(level) = LEVELS.get(self.marks.level) {
                    let out = &mut *self.marks.out;
                    out.note(level.kind, level.id, false, Some(&[self.id]));
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn add_name(&mut self, name: Scalar<'de>) -> Result<(), DecodeError> {
        self.mark_seen(4)?;
        self.marks.name(name)
    }

    fn shape(&self) -> DecodeError {
        let member = LEVELS.get(self.marks.level).map_or("", |level| level.below);
        shape(Kind::Mark, member)
    }
}

impl<'de> Members<'de> for MarkMembers<'_, '_, 'de> {
    fn member<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<bool, A::Error> {
        let Some(level) = LEVELS.get(self.marks.level) else {
            return Ok(false);
        };
        let outcome = if name == level.below {
            let seen = self.mark_seen(1);
            if seen.is_ok() {
                self.marks.level += 1;
                let below = map.next_value_seed(ObjectOf(&mut *self.marks));
                self.marks.level -= 1;
                below?;
            }
            seen
        } else if name.is_empty() {
            // A level without an id or a name has an empty one in the table.
            return Ok(false);
        } else if name == level.id {
            let id = Scalar::read(map)?;
            self.check_id(&id)
        } else if name == level.name {
            let name = Scalar::read(map)?;
            self.add_name(name)
        } else {
            return Ok(false);
        };
        match outcome {
            Ok(()) => Ok(true),
            Err(reason) => Err(self.marks.out.refuse(reason)),
        }
    }

    fn end(&mut self) -> Result<(), DecodeError> {
        // An object without any member is an empty one. Any other object must have objects below.
        if self.seen != 0
            && self.seen & 1 == 0
            && let Some(level) = LEVELS.get(self.marks.level)
        {
            self.marks.skip_objects(level.kind, level.below);
        }
        Ok(())
    }

    fn skip(&mut self) {
        self.marks.skip();
    }

    fn what(&self) -> &'static str {
        match self.marks.level {
            LEARNER => "learner of marks",
            TERM => "term of marks",
            _ => "assessment marks",
        }
    }

    fn out(&mut self) -> &mut AnswerBuilder {
        self.marks.out
    }
}

/// Decodes the object of an assessment, with members in any order.
fn read_leaf<'de>(
    marks: &mut MarksDecoder<'_, 'de>,
    id: u64,
    raw: &'de str,
) -> serde_json::Result<()> {
    let mut json = serde_json::Deserializer::from_str(raw);
    ObjectOf(&mut LeafOf { marks, id, raw }).deserialize(&mut json)
}

struct LeafOf<'m, 'o, 'de> {
    marks: &'m mut MarksDecoder<'o, 'de>,
    id: u64,
    raw: &'de str,
}

impl<'de> Members<'de> for LeafOf<'_, '_, 'de> {
    fn member<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<bool, A::Error> {
        let leaf = &mut self.marks.leaf;
        let at = match LEAF.get(leaf.next) {
            Some(expected) if *expected == name => Some(leaf.next),
            _ => LEAF.iter().position(|known| *known == name),
        };
        let Some((at, slot)) = at.and_then(|at| Some((at, leaf.scalars.get_mut(at)?))) else {
            return Ok(false);
        };
        if self.marks.is_structure && at >= OF_STRUCTURE {
            return Ok(false);
        }
        leaf.next = at + 1;
        match slot.replace(Scalar::read(map)?) {
            None => Ok(true),
            Some(_) => Err(self.marks.out.refuse(shape(Kind::Assessment, ""))),
        }
    }

    fn end(&mut self) -> Result<(), DecodeError> {
        self.marks.leaf.next = 0;
        self.marks.assessment(self.id, self.raw)
    }

    fn skip(&mut self) {
        self.marks.skip_objects(Kind::Assessment, "");
    }

    fn what(&self) -> &'static str {
        Kind::Assessment.name()
    }

    fn out(&mut self) -> &mut AnswerBuilder {
        self.marks.out
    }
}
