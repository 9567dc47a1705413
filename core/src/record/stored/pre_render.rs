//! Pre-rendering: the conversion of a record to the JSON that answers contain and the residual
//! fields that this JSON lacks, and back.
//!
//! Only values of the record itself are pre-rendered, so a change of another record never makes
//! these bytes wrong. The JSON is an object of strings in the order of the kind's fields. The
//! residual fields are those declared as such, and the decimals that two places do not
//! represent exactly. The spans of fields and the conversions for v2 follow them.

use super::columns::{NAMES, RENDERING, RESIDUAL_FIELDS};
use super::conversions::ConversionsBuffer;
use crate::error::{Error, Failure, Result};
use crate::json::{self, TextMembers};
use crate::record::field::Field;
use crate::record::kind::{Kind, newest_rendering};
use crate::record::residual_fields;
use crate::record::values::fold::fold;
use crate::record::values::value::Value;
use crate::store::{Item, ItemBuffer};
use crate::varint;
use std::ops::Range;

/// The last version that changed how JSON, residual fields or filter columns are made of the
/// same fields.
const RENDER_CODEC_VERSION: u32 = 1;

/// The version of pre-rendered records. The records of a school are rendered again if theirs is
/// lower. It increases when a field is added or the bytes change for any other reason, so a
/// higher number belongs to a newer version of the library.
pub(crate) const RENDER_VERSION: u32 = {
    let newest = newest_rendering();
    if newest > RENDER_CODEC_VERSION {
        newest
    } else {
        RENDER_CODEC_VERSION
    }
};

/// Converts the values of a record to its stored form.
pub(crate) fn pre_render(kind: Kind, values: &[Value<'_>], item: &mut ItemBuffer) {
    item.clear();
    let fields = kind.fields();
    let mut rendering = std::mem::take(&mut item.columns[RENDERING]);
    let mut spans = Vec::new();
    let conversions = render(fields, values, &mut rendering, |field, span| {
        if field.spanned {
            varint::push(&mut spans, span.start as u64);
            varint::push(&mut spans, span.len() as u64);
        }
        if let Some(filter_column) = field.end_column {
            item.set_filter_column(usize::from(filter_column), Some(span.end as u64 + 1));
        }
    });
    item.columns[RENDERING] = rendering;
    let behind = &mut item.columns[RESIDUAL_FIELDS];
    residual_fields::push(fields, values, behind);
    behind.extend_from_slice(&spans);
    conversions.finish(behind);
    for (field, value) in fields.iter().zip(values) {
        if let Some(filter_column) = field.filter_column {
            item.set_filter_column(usize::from(filter_column), value.filter_column(field.form));
        }
    }
    push_names(fields, values, &mut item.columns[NAMES]);
}

/// Appends the text that a search by name uses.
fn push_names(fields: &[Field], values: &[Value<'_>], names: &mut Vec<u8>) {
    let searched = fields
        .iter()
        .zip(values)
        .filter(|(field, _)| field.searched);
    for (index, (_, name)) in searched.enumerate() {
        if index > 0 {
            names.push(b' ');
        }
        fold(name.text(), names);
    }
}

/// Writes the JSON and returns its conversions for v2. `each` receives the position of each
/// answered value, without its quotes.
fn render(
    fields: &[Field],
    values: &[Value<'_>],
    out: &mut Vec<u8>,
    mut each: impl FnMut(&Field, Range<usize>),
) -> ConversionsBuffer {
    let mut conversions = ConversionsBuffer::default();
    let mut before = b'{';
    for (field, value) in fields.iter().zip(values) {
        if field.is_answered() {
            out.extend_from_slice(&[before, b'"']);
            out.extend_from_slice(field.name.as_bytes());
            out.extend_from_slice(b"\":\"");
            let start = out.len();
            value.push_answered(out);
            conversions.add(field.form, out, start..out.len());
            each(field, start..out.len());
            out.push(b'"');
            before = b',';
        }
    }
    if before == b'{' {
        out.push(b'{');
    }
    out.push(b'}');
    conversions
}

/// Returns the values of a stored record. `key` contains the values of its key fields.
pub(crate) fn values<'a>(kind: Kind, key: &[u64], item: &Item<'a>) -> Result<Vec<Value<'a>>> {
    let fields = kind.fields();
    let mut values = vec![Value::Empty; fields.len()];
    let [rendering, mut behind, _] = item.columns;
    // A residual field is exact, so it takes precedence over the value in the JSON.
    let mut set = |index: usize, escaped: &'a [u8]| -> Result<()> {
        let (Some(field), Some(value)) = (fields.get(index), values.get_mut(index)) else {
            return Err(damaged());
        };
        if value.is_empty() {
            let text = json::unescape(escaped)?;
            *value = Value::from_text(field.form, text).ok_or_else(damaged)?;
        }
        Ok(())
    };
    for residual_field in residual_fields::take(&mut behind)? {
        let (number, escaped) = residual_field?;
        set(residual_fields::field(fields, number)?, escaped)?;
    }
    let mut expected = 0;
    for member in TextMembers::new(rendering) {
        let (name, escaped) = member?;
        let named = |field: &Field| field.name.as_bytes() == name;
        let index = match fields.get(expected) {
            Some(field) if named(field) => expected,
            _ => fields.iter().position(named).ok_or_else(damaged)?,
        };
        expected = index + 1;
        set(index, escaped)?;
    }
    let keys = fields
        .iter()
        .zip(&mut values)
        .filter(|(field, _)| field.is_key());
    for ((_, value), number) in keys.zip(key) {
        *value = Value::Integer(*number);
    }
    Ok(values)
}

fn damaged() -> Failure {
    Error::corrupt("a record does not fit its kind")
}

#[cfg(test)]
mod tests {
    use crate::record::kinds::learner;
    use crate::record::stored::pre_render::*;
    use std::borrow::Cow;

    fn pre_rendered<'a>(
        kind: Kind,
        values: &[Value<'_>],
        buffer: &'a mut ItemBuffer,
    ) -> Result<(String, Vec<Value<'a>>)> {
        pre_render(kind, values, buffer);
        let keys: Vec<u64> = values.iter().filter_map(Value::integer).take(2).collect();
        let read = super::values(kind, &keys, &buffer.item())?;
        Ok((
            String::from_utf8_lossy(&buffer.columns[RENDERING]).into_owned(),
            read,
        ))
    }

    fn parsed(kind: Kind, texts: &[(&'static str, &'static str)]) -> Vec<Value<'static>> {
        let of = |field: &Field| {
            let text = texts.iter().find(|(name, _)| *name == field.name);
            let text = text.map_or("", |(_, text)| text);
            Value::from_text(field.form, Cow::Borrowed(text)).unwrap_or(Value::Empty)
        };
        kind.fields().iter().map(of).collect()
    }

    #[test]
    fn a_stored_record_is_decoded_unchanged() -> Result<()> {
        let parent = parsed(
            Kind::Parent,
            &[
                ("school_id", "1"),
                ("id", "40"),
                ("last_name", "O\"Neil\u{0}"),
                ("date_of_birth", "1967-02-14"),
                ("gross_annual_income", "120000.005"),
                ("postal_address", "a\r\nb"),
            ],
        );
        let mut buffer = ItemBuffer::default();
        let (rendering, read) = pre_rendered(Kind::Parent, &parent, &mut buffer)?;
        assert_eq!(read, parent);
        assert!(
            rendering.starts_with(
                r#"{"id":"40","title":"","first_name":"","last_name":"O\"Neil\u0000","#
            )
        );
        assert!(rendering.ends_with(r#""gross_annual_income":"120000.01"}"#));

        let learner = parsed(
            Kind::Learner,
            &[
                ("school_id", "1"),
                ("id", "18446744073709551615"),
                ("status", "left"),
                ("transfer_date", "2026-05-01"),
                ("family_code", "007"),
                ("debtor_code", "x"),
            ],
        );
        assert_eq!(
            pre_rendered(Kind::Learner, &learner, &mut buffer)?.1,
            learner
        );
        Ok(())
    }

    #[test]
    fn a_rendering_in_another_order_is_read_by_name() -> Result<()> {
        let item = Item {
            columns: [br#"{"absent_reason":"Flu","id":"9"}"#, &[0], b""],
            ..Item::default()
        };
        let values = values(Kind::Absentee, &[1, 9], &item)?;
        assert_eq!(values.last(), Some(&Value::Text("Flu".into())));
        Ok(())
    }

    #[test]
    fn filter_columns_of_a_learner() {
        let mut buffer = ItemBuffer::default();
        let texts = [
            ("id", "7"),
            ("first_name", "Zoë"),
            ("last_name", "\",\"mobile_calling_code\":\""),
            ("status", "waitlist"),
            ("grade_id", "09"),
            ("family_code", "18446744073709551616"),
            ("parent1_id", "0040"),
            ("parent2_id", "x"),
        ];
        pre_render(Kind::Learner, &parsed(Kind::Learner, &texts), &mut buffer);
        let item = buffer.item();
        assert_eq!(item.filter_column(learner::STATUS_COLUMN), Some(2));
        assert_eq!(item.filter_column(learner::GRADE_COLUMN), Some(9));
        assert_eq!(item.filter_column(learner::FAMILY_COLUMN), None);
        assert_eq!(item.filter_column(learner::PARENT1_COLUMN), Some(40));
        assert_eq!(item.filter_column(learner::PARENT2_COLUMN), None);
        let end = usize::try_from(item.filter_column(learner::NAMES_END_COLUMN).unwrap_or(0))
            .unwrap_or(0);
        let names = item.columns[RENDERING]
            .get(learner::RENDERING_START.len()..end)
            .unwrap_or_default();
        let expected = r#""7","first_name":"Zoë","last_name":"\",\"mobile_calling_code\":\"""#;
        assert_eq!(String::from_utf8_lossy(names), expected);
        assert_eq!(
            item.columns[NAMES],
            "zoe \",\"mobile_calling_code\":\"".as_bytes()
        );
    }
}
