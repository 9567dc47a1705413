//! The values of one line.

use crate::record::field::FieldForm;
use crate::record::kinds::integrator;
use crate::record::{Kind, Value};
use std::fmt;

/// A record as a line contains it.
#[derive(PartialEq, Eq)]
pub(crate) struct Line<'a> {
    pub(crate) kind: Kind,
    /// Whether the record is removed. If it is, only the values of its key are present.
    pub(crate) deleted: bool,
    /// The values, in the order of the fields of the kind.
    pub(crate) values: Vec<Value<'a>>,
}

impl fmt::Debug for Line<'_> {
    /// Omits secret values.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = f.debug_struct(self.kind.name());
        line.field("deleted", &self.deleted);
        for (field, value) in self.kind.fields().iter().zip(&self.values) {
            let value: &dyn fmt::Debug = if field.form.is_secret() {
                &"..."
            } else {
                value
            };
            line.field(field.name, value);
        }
        line.finish()
    }
}

impl<'a> Line<'a> {
    /// Returns a record to be stored, or a description of its fault.
    pub(crate) fn whole(kind: Kind, values: Vec<Value<'a>>) -> Result<Line<'a>, String> {
        let fields = kind.fields().iter().zip(&values);
        let mut missing = fields.filter(|(field, value)| field.is_required() && value.is_empty());
        if let Some((field, _)) = missing.next() {
            return Err(format!("{}: {}: is missing", kind.name(), field.name));
        }
        let mut line = Line {
            kind,
            deleted: false,
            values,
        };
        line.check()?;
        Ok(line)
    }
}

impl Line<'_> {
    /// Checks the rules that concern several fields. Values that mean the same as no value are
    /// replaced by [`Value::Empty`], so that equal records are stored equally.
    pub(crate) fn check(&mut self) -> Result<(), String> {
        if self.username().len() > integrator::USERNAME_BYTES {
            return Err("username: is longer than 256 bytes".to_owned());
        }
        if self.deleted {
            return Ok(());
        }
        let row = self.kind.row();
        (row.rules)(&self.values)?;
        (row.canonical)(&mut self.values);
        for (field, value) in row.fields.iter().zip(&mut self.values) {
            if field.default == Some(value.text()) {
                *value = Value::Empty;
            }
        }
        Ok(())
    }

    /// Returns the user name, if it is part of the key, or an empty text.
    pub(crate) fn username(&self) -> &str {
        let mut fields = self.kind.fields().iter().zip(&self.values);
        let name = fields.find(|(field, _)| field.form == FieldForm::Username);
        name.map_or("", |(_, value)| value.text())
    }

    /// Returns the numbers of the key, in the order of its fields.
    pub(crate) fn key(&self) -> impl Iterator<Item = u64> {
        let fields = self.kind.fields().iter().zip(&self.values);
        fields
            .filter(|(field, _)| field.is_key())
            .filter_map(|(_, value)| value.integer())
    }

    /// Returns the school of the record, if its kind belongs to schools.
    pub(crate) fn school(&self) -> Option<u64> {
        let school = self.kind.is_of_school().then(|| self.key().next());
        school.flatten()
    }
}
