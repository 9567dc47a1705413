//! Baking: a record as the JSON that it will be answered with, the facts that
//! this JSON lacks beside it, and the way back.
//!
//! Only what depends on the one record is baked, so baked bytes never go stale
//! because another record changed. The rendering is an object of strings in
//! the order of the kind's fields; the facts are the kept fields and the
//! decimals that two places cannot hold. Behind them stand the spans of fields that
//! have them, and what v2 makes of the values.

use super::facts;
use super::field::Field;
use super::fold::fold;
use super::kind::{Kind, newest_rendering};
use super::lanes::{FACTS, NAMES, RENDERING};
use super::typed::ConversionsBuffer;
use super::value::Value;
use super::varint;
use crate::error::{Error, Failure, Result};
use crate::json::{self, Members};
use crate::store::{Item, ItemBuffer};
use std::ops::Range;

/// The last change of how JSON, facts or tags are made of the same fields.
const MANNER: u32 = 2;

/// The number of what this version makes of records: a school's are rendered again when
/// theirs have a lower one. It rises with each field that is added, and with whatever
/// else changes the bytes, so a higher one is a newer version's.
pub(crate) const RENDER_VERSION: u32 = {
    let newest = newest_rendering();
    if newest > MANNER { newest } else { MANNER }
};

/// Makes what is kept of a record out of its values.
pub(crate) fn bake(kind: Kind, values: &[Value<'_>], item: &mut ItemBuffer) {
    item.clear();
    let fields = kind.fields();
    let mut rendering = std::mem::take(&mut item.lanes[RENDERING]);
    let mut spans = Vec::new();
    let conversions = render(fields, values, &mut rendering, |field, span| {
        if field.spanned {
            varint::push(&mut spans, span.start as u64);
            varint::push(&mut spans, span.len() as u64);
        }
        if let Some(tag) = field.end_tag {
            item.set_tag(usize::from(tag), Some(span.end as u64 + 1));
        }
    });
    item.lanes[RENDERING] = rendering;
    let behind = &mut item.lanes[FACTS];
    facts::push(fields, values, behind);
    behind.extend_from_slice(&spans);
    conversions.finish(behind);
    for (field, value) in fields.iter().zip(values) {
        if let Some(tag) = field.tag {
            item.set_tag(usize::from(tag), value.tag(field.form));
        }
    }
    push_names(fields, values, &mut item.lanes[NAMES]);
}

/// Adds what a search for a name looks through.
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

/// Writes the rendering; says what v2 makes of it. `each` is told where the value of
/// each field stands that is answered, without its quotes.
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

/// The values of a kept record; `key` are those of its key fields.
pub(crate) fn values<'a>(kind: Kind, key: &[u64], item: &Item<'a>) -> Result<Vec<Value<'a>>> {
    let fields = kind.fields();
    let mut values = vec![Value::Empty; fields.len()];
    let [rendering, mut behind, _] = item.lanes;
    // A fact is exact, so what the rendering says beside it does not count.
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
    for fact in facts::take(&mut behind)? {
        let (number, escaped) = fact?;
        set(facts::field(fields, number)?, escaped)?;
    }
    let mut expected = 0;
    for member in Members::of(rendering) {
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
    use super::*;
    use crate::record::learner;
    use std::borrow::Cow;

    fn baked<'a>(
        kind: Kind,
        values: &[Value<'_>],
        buffer: &'a mut ItemBuffer,
    ) -> Result<(String, Vec<Value<'a>>)> {
        bake(kind, values, buffer);
        let keys: Vec<u64> = values.iter().filter_map(Value::integer).take(2).collect();
        let read = super::values(kind, &keys, &buffer.item())?;
        Ok((
            String::from_utf8_lossy(&buffer.lanes[RENDERING]).into_owned(),
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
    fn a_record_comes_back_from_what_is_kept() -> Result<()> {
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
        let (rendering, read) = baked(Kind::Parent, &parent, &mut buffer)?;
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
        assert_eq!(baked(Kind::Learner, &learner, &mut buffer)?.1, learner);
        Ok(())
    }

    #[test]
    fn a_rendering_of_other_order_is_read_by_name() -> Result<()> {
        let item = Item {
            lanes: [br#"{"absent_reason":"Flu","id":"9"}"#, &[0], b""],
            ..Item::default()
        };
        let values = values(Kind::Absentee, &[1, 9], &item)?;
        assert_eq!(values.last(), Some(&Value::Text("Flu".into())));
        Ok(())
    }

    #[test]
    fn tags_of_a_learner() {
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
        bake(Kind::Learner, &parsed(Kind::Learner, &texts), &mut buffer);
        let item = buffer.item();
        assert_eq!(item.tag(learner::STATUS_TAG), Some(2));
        assert_eq!(item.tag(learner::GRADE_TAG), Some(9));
        assert_eq!(item.tag(learner::FAMILY_TAG), None);
        assert_eq!(item.tag(learner::PARENT1_TAG), Some(40));
        assert_eq!(item.tag(learner::PARENT2_TAG), None);
        let end = usize::try_from(item.tag(learner::NAMES_END_TAG).unwrap_or(0)).unwrap_or(0);
        let names = item.lanes[RENDERING]
            .get(learner::RENDERING_START.len()..end)
            .unwrap_or_default();
        let expected = r#""7","first_name":"Zoë","last_name":"\",\"mobile_calling_code\":\"""#;
        assert_eq!(String::from_utf8_lossy(names), expected);
        assert_eq!(
            item.lanes[NAMES],
            "zoe \",\"mobile_calling_code\":\"".as_bytes()
        );
    }
}
