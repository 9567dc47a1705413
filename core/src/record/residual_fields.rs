//! Residual fields: the values of a record that its pre-rendered JSON lacks. Each has the
//! number of its field, so a version with more fields can read what a version with fewer wrote.
//!
//! ```text
//! length of all residual fields, as a varint
//! for each: number of the field u8 · length as a varint · bytes
//! ```
//!
//! A field without a residual field is empty, or has its value in the pre-rendered JSON.

use crate::error::{Error, Result};
use crate::record::field::{Field, Role};
use crate::record::values::value::Value;
use crate::varint;

/// Appends the residual fields of these values.
pub(crate) fn push(fields: &[Field], values: &[Value<'_>], out: &mut Vec<u8>) {
    let mut residual_fields = Vec::new();
    let mut bytes = Vec::new();
    for (field, value) in fields.iter().zip(values) {
        let is_in_rendering = field.role != Role::Residual && is_exact_in_rendering(value);
        let Some(number) = field
            .residual_field
            .filter(|_| !is_in_rendering && !value.is_empty())
        else {
            continue;
        };
        bytes.clear();
        value.push_exact(&mut bytes);
        residual_fields.push(number);
        varint::push_bytes(&mut residual_fields, &bytes);
    }
    varint::push_bytes(out, &residual_fields);
}

/// Returns true if two decimals represent the value exactly.
fn is_exact_in_rendering(value: &Value<'_>) -> bool {
    value
        .decimal()
        .is_none_or(|decimal| decimal.hundredths().is_some())
}

/// An iterator over residual fields, which returns each with its number and its escaped text.
pub(crate) struct ResidualFields<'a>(&'a [u8]);

/// Splits the residual fields off the front of the column.
#[inline]
pub(crate) fn take<'a>(column: &mut &'a [u8]) -> Result<ResidualFields<'a>> {
    varint::take_bytes(column).map(ResidualFields)
}

impl<'a> Iterator for ResidualFields<'a> {
    type Item = Result<(u8, &'a [u8])>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (number, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(varint::take_bytes(&mut self.0).map(|bytes| (*number, bytes)))
    }
}

/// Returns the index of the field with this residual field.
pub(crate) fn field(fields: &[Field], number: u8) -> Result<usize> {
    let found = fields
        .iter()
        .position(|field| field.residual_field == Some(number));
    found.ok_or_else(|| {
        let known = fields.iter().filter_map(|field| field.residual_field).max();
        Error::newer("field", u32::from(number), u32::from(known.unwrap_or(0)))
    })
}

#[cfg(test)]
mod tests {
    use crate::record::Kind;
    use crate::record::residual_fields::*;

    #[test]
    fn an_unknown_residual_field_belongs_to_a_newer_version() {
        let fields = Kind::Learner.fields();
        let known = field(fields, 1).map(|index| fields.get(index).map(|field| field.name));
        assert_eq!(known, Ok(Some("status")));
        let unknown = field(fields, 200).map_err(|error| error.code());
        assert_eq!(unknown, Err("newer_format"));
    }
}
