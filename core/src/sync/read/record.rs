//! Decodes objects whose members are the fields of a record.

use super::answer_builder::{AnswerBuilder, DecodeError, shape};
use super::fields::{ArrayOf, Members};
use super::scalar::Scalar;
use crate::record::Value;
use crate::sync::fetched_records::Fields;
use crate::sync::resources::member_table::{MemberTable, To};
use serde::de::MapAccess;

/// Decodes objects into records of a kind.
pub(super) struct RecordDecoder<'o, 'de> {
    table: &'static MemberTable,
    /// A field, and its value in every record, that the objects do not contain.
    constant: Option<(usize, Value<'de>)>,
    field_set: Fields,
    values: Vec<Value<'de>>,
    /// The fields of the current object whose values cannot be used.
    unusable: Fields,
    /// The members that have already occurred in the object, one bit each.
    seen: u64,
    /// The index of the member that is expected next, because members usually occur in order.
    next: usize,
    out: &'o mut AnswerBuilder,
}

impl<'o, 'de> RecordDecoder<'o, 'de> {
    pub(super) fn new(
        table: &'static MemberTable,
        out: &'o mut AnswerBuilder,
    ) -> RecordDecoder<'o, 'de> {
        let others = table.others.iter().filter_map(|(_, to)| match to {
            To::Field(index) => Some(index),
            _ => None,
        });
        let field_set = table.own.iter().chain(others);
        RecordDecoder {
            table,
            constant: None,
            field_set: field_set.fold(0, |field_set, index| field_set | 1 << index),
            values: vec![Value::Empty; table.kind.fields().len()],
            unusable: 0,
            seen: 0,
            next: 0,
            out,
        }
    }

    /// Sets a field of every record to a value.
    pub(super) fn with(self, field: usize, value: Value<'de>) -> RecordDecoder<'o, 'de> {
        RecordDecoder {
            constant: Some((field, value)),
            field_set: self.field_set | 1 << field,
            ..self
        }
    }

    /// Returns the number of a member with this name, and its target.
    fn find(&mut self, name: &str) -> Option<(usize, To)> {
        let (own, others) = (self.table.own, self.table.others);
        let fields = self.table.kind.fields();
        let is_own = |at: usize| {
            let field = own.get(at).and_then(|index| fields.get(*index));
            field.is_some_and(|field| field.name == name)
        };
        let at = if is_own(self.next) {
            Some(self.next)
        } else {
            (0..own.len()).find(|at| is_own(*at))
        };
        if let Some(at) = at {
            self.next = at + 1;
            return own.get(at).map(|index| (at, To::Field(*index)));
        }
        let at = others.iter().position(|(other, _)| *other == name)?;
        others.get(at).map(|(_, to)| (own.len() + at, *to))
    }

    fn value<A: MapAccess<'de>>(&mut self, index: usize, map: &mut A) -> Result<(), A::Error> {
        let scalar = Scalar::read(map)?;
        let field = self.table.kind.fields().get(index);
        let value = field.and_then(|field| scalar.value(field.form));
        match (self.values.get_mut(index), value) {
            (Some(slot), Some(value)) => *slot = value,
            _ => self.unusable |= 1 << index,
        }
        Ok(())
    }

    /// Reads the id of the school, which must be the requested one.
    fn school<A: MapAccess<'de>>(&mut self, map: &mut A) -> Result<(), A::Error> {
        let reason = match Scalar::read(map)?.integer() {
            Some(school) if school == self.out.school => return Ok(()),
            Some(_) => DecodeError::OtherSchool,
            None => DecodeError::NoRecord {
                of: self.table.kind.name(),
                field: "school_id",
            },
        };
        Err(self.out.refuse(reason))
    }
}

impl<'de> Members<'de> for RecordDecoder<'_, 'de> {
    fn member<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<bool, A::Error> {
        let Some((number, to)) = self.find(name) else {
            return Ok(false);
        };
        if self.seen >> number & 1 == 1 {
            let twice = DecodeError::Shape {
                of: self.what(),
                member: "",
            };
            return Err(self.out.refuse(twice));
        }
        self.seen |= 1 << number;
        match to {
            To::Field(index) => self.value(index, map)?,
            To::School => self.school(map)?,
            To::Records(table) => {
                let mut inner = RecordDecoder::new(table, &mut *self.out);
                map.next_value_seed(ArrayOf(&mut inner))?;
            }
        }
        Ok(true)
    }

    fn end(&mut self) -> Result<(), DecodeError> {
        let is_missing = |field: usize| {
            let at = self.table.own.iter().position(|own| *own == field);
            at.is_none_or(|at| self.seen >> at & 1 == 0)
        };
        if self.table.needed.is_some_and(is_missing) {
            return Err(shape(self.table.kind, ""));
        }
        if let Some((index, value)) = &self.constant
            && let Some(slot) = self.values.get_mut(*index)
        {
            *slot = value.clone();
        }
        let added = self
            .out
            .record(self.table.kind, self.field_set, &self.values, self.unusable);
        self.values.fill(Value::Empty);
        (self.unusable, self.seen, self.next) = (0, 0, 0);
        added
    }

    fn skip(&mut self) {
        self.out.unidentified(self.table.kind);
        self.out.note(self.table.kind, "", true, None);
    }

    fn what(&self) -> &'static str {
        self.table.kind.name()
    }

    fn out(&mut self) -> &mut AnswerBuilder {
        self.out
    }
}
