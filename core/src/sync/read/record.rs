//! Objects whose members are the fields of a record.

use super::Out;
use super::fields::{ArrayOf, Members, ObjectOf, Text};
use crate::record::field::{Field, Form};
use crate::record::{Kind, Value};
use serde::de::{Error, MapAccess};
use serde_json::value::RawValue;

/// Where a member goes whose name is not that of a field.
#[derive(Clone, Copy)]
pub(super) enum Goes {
    /// To the field of this name.
    To(&'static str),
    /// It holds records of this kind, in an array,
    Records(Kind),
    /// or alone.
    Record(Kind),
}

/// Reads objects as records of a kind.
pub(super) struct Reader<'o, 'de> {
    kind: Kind,
    renamed: &'static [(&'static str, Goes)],
    /// What is told of each record beside its members.
    beside: Vec<(usize, Value<'de>)>,
    values: Vec<Value<'de>>,
    /// The position behind the field that was read last: members mostly come in order.
    next: usize,
    out: &'o mut dyn Out,
}

impl<'o, 'de> Reader<'o, 'de> {
    pub(super) fn new(
        kind: Kind,
        renamed: &'static [(&'static str, Goes)],
        school: u64,
        out: &'o mut dyn Out,
    ) -> Reader<'o, 'de> {
        let mut reader = Reader {
            kind,
            renamed,
            beside: Vec::new(),
            values: vec![Value::Empty; kind.fields().len()],
            next: 0,
            out,
        };
        reader.tell("school_id", Value::Integer(school));
        reader
    }

    /// Tells a field of every record.
    pub(super) fn tell(&mut self, name: &str, value: Value<'de>) {
        let fields = self.kind.fields();
        if let Some(index) = fields.iter().position(|field| field.name == name) {
            if let Some(slot) = self.values.get_mut(index) {
                *slot = value.clone();
            }
            self.beside.push((index, value));
        }
    }

    /// The field of a member.
    fn field(&self, name: &str) -> Option<(usize, &'static Field)> {
        let fields = self.kind.fields();
        let named = |field: &Field| field.name == name;
        let index = match fields.get(self.next) {
            Some(field) if named(field) => self.next,
            _ => fields.iter().position(named)?,
        };
        Some((index, fields.get(index)?))
    }
}

impl<'de> Members<'de> for Reader<'_, 'de> {
    fn member<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<bool, A::Error> {
        let renamed = self.renamed.iter().find(|(renamed, _)| *renamed == name);
        let name = match renamed {
            None => name,
            Some((_, Goes::To(field))) => field,
            Some((_, Goes::Records(kind))) => {
                let mut inner = self.inner(*kind);
                map.next_value_seed(ArrayOf(&mut inner))?;
                return Ok(true);
            }
            Some((_, Goes::Record(kind))) => {
                let mut inner = self.inner(*kind);
                map.next_value_seed(ObjectOf(&mut inner))?;
                return Ok(true);
            }
        };
        let Some((index, field)) = self.field(name) else {
            return Ok(false);
        };
        self.next = index + 1;
        let value = if field.form == Form::Texts {
            let raw: &RawValue = map.next_value()?;
            crate::record::terms::value_from_json(field.form, raw.get()).ok()
        } else {
            let Text(text) = map.next_value()?;
            Value::from_text(field.form, text)
        };
        let wrong = || A::Error::custom(field.name);
        if let Some(slot) = self.values.get_mut(index) {
            *slot = value.ok_or_else(wrong)?;
        }
        Ok(true)
    }

    fn end(&mut self) -> Result<(), String> {
        let fields = self.kind.fields().iter().zip(&self.values);
        for (field, value) in fields.filter(|(field, _)| field.is_key()) {
            if value.is_empty() {
                return Err(field.name.to_owned());
            }
        }
        let mut values = vec![Value::Empty; self.values.len()];
        for (index, value) in &self.beside {
            if let Some(slot) = values.get_mut(*index) {
                *slot = value.clone();
            }
        }
        let values = std::mem::replace(&mut self.values, values);
        self.next = 0;
        self.out.record(self.kind, values);
        Ok(())
    }

    fn unknown(&mut self, name: &str) {
        self.out.unknown(self.kind.name(), name);
    }
}

impl<'de> Reader<'_, 'de> {
    fn inner(&mut self, kind: Kind) -> Reader<'_, 'de> {
        let school = self.values.first().and_then(Value::integer).unwrap_or(0);
        Reader::new(kind, &[], school, &mut *self.out)
    }
}
