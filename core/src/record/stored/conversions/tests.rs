//! Tests of `conversions`.

use crate::record::Kind;
use crate::record::stored::conversions::*;
use crate::record::values::terms;

fn typed(values: &[(FieldForm, &str)], part: Option<&Range<usize>>) -> Result<String> {
    let mut rendering = b"before,".to_vec();
    let start = rendering.len();
    let mut record = b"{".to_vec();
    let mut conversions = ConversionsBuffer::default();
    for (form, value) in values {
        record.extend_from_slice(b"\"x\":\"");
        let at = record.len();
        record.extend_from_slice(value.as_bytes());
        conversions.add(*form, &record, at..record.len());
        record.extend_from_slice(b"\",");
    }
    rendering.extend_from_slice(&record);
    let span = start..rendering.len();
    let mut residual_fields = b"residual_fields".to_vec();
    conversions.finish(&mut residual_fields);
    let conversions = Conversions::read(&residual_fields)?;
    let mut written = [Vec::new(), Vec::new()];
    for (out, behind) in written.iter_mut().zip([0, 2 * SOURCE_SLACK]) {
        let mut column = rendering.clone();
        column.resize(column.len() + behind, b',');
        let out = &mut OutputBuffer::new(out);
        match part {
            None => {
                push_whole(&column, span.clone(), conversions, out)?;
                out.pop();
            }
            Some(part) => push_part(&column, &span, part.clone(), conversions, out)?,
        }
    }
    let [alone, among_others] = written;
    assert_eq!(alone, among_others);
    Ok(String::from_utf8(alone).unwrap_or_default())
}

#[test]
fn every_form_in_its_type() -> Result<()> {
    for (form, value, expected) in [
        (
            FieldForm::Integer,
            "18446744073709551615",
            "18446744073709551615",
        ),
        (FieldForm::Decimal, "-1000000000000.00", "-1000000000000.00"),
        (FieldForm::Decimal, "", "null"),
        (FieldForm::Reference, "40", "40"),
        (FieldForm::Reference, "040", "\"040\""),
        (
            FieldForm::Reference,
            "18446744073709551616",
            "\"18446744073709551616\"",
        ),
        (FieldForm::Reference, "", "null"),
        (FieldForm::YesNo, "Yes", "true"),
        (FieldForm::YesNo, "No", "false"),
        (FieldForm::YesNo, "", "null"),
        (FieldForm::Text, "7", "\"7\""),
        (FieldForm::Text, "a \\\" quote", "\"a \\\" quote\""),
        (FieldForm::Text, "", "null"),
        (FieldForm::Date, "2026-05-14", "\"2026-05-14\""),
    ] {
        assert_eq!(
            typed(&[(form, value)], None)?,
            format!("{{\"x\":{expected},")
        );
    }
    Ok(())
}

#[test]
fn texts_of_every_length_between() -> Result<()> {
    for length in 0..400 {
        let text = "t".repeat(length);
        let values = [
            (FieldForm::Integer, "1"),
            (FieldForm::Text, &text),
            (FieldForm::Text, ""),
            (FieldForm::Reference, "2"),
            (FieldForm::Text, &text),
        ];
        let text = if length == 0 {
            "null".to_owned()
        } else {
            format!("\"{text}\"")
        };
        let expected = format!("{{\"x\":1,\"x\":{text},\"x\":null,\"x\":2,\"x\":{text},");
        assert_eq!(typed(&values, None)?, expected);
    }
    Ok(())
}

#[test]
fn a_part_has_the_conversions_within_it() -> Result<()> {
    let values = [
        (FieldForm::Integer, "1"),
        (FieldForm::Text, ""),
        (FieldForm::Integer, "23"),
    ];
    // {"x":"1","x":"","x":"23",
    assert_eq!(typed(&values, Some(&(5..15)))?, "1,\"x\":null");
    assert_eq!(typed(&values, Some(&(9..25)))?, "\"x\":null,\"x\":23,");
    assert_eq!(typed(&values, Some(&(0..4)))?, "{\"x\"");
    Ok(())
}

#[test]
fn damaged_conversions_never_panic_and_never_answer_old_bytes_of_the_buffer() {
    let mut column = br#"{"a":"1","b":"","c":"Yes"}"#.to_vec();
    column.resize(3 * SOURCE_SLACK, b',');
    for first in 0..=255 {
        for second in 0..=255 {
            let residual_fields = [7, first, second, first, second, second, first, 3];
            let Ok(conversions) = Conversions::read(&residual_fields) else {
                continue;
            };
            for record in [0..26, 7..26, 0..2 * SOURCE_SLACK, 26..column.len() + 9] {
                let mut out = vec![b'~'; 4096];
                let mut output = OutputBuffer::over(&mut out);
                let whole = push_whole(&column, record.clone(), conversions, &mut output);
                let part = push_part(&column, &record, 0..26, conversions, &mut output);
                drop(output);
                let has_old_bytes = out.contains(&b'~');
                assert!(
                    !has_old_bytes || whole.is_err() || part.is_err(),
                    "{residual_fields:?}"
                );
            }
        }
    }
    let conversions = Conversions::read(&[0]);
    let beyond = |end| {
        let conversions = conversions.as_ref().map_err(Clone::clone)?;
        let mut out = Vec::new();
        push_part(
            &column,
            &(7..26),
            6..end,
            *conversions,
            &mut OutputBuffer::new(&mut out),
        )
    };
    assert!(beyond(19).is_ok() && beyond(20).is_err() && beyond(usize::MAX).is_err());
    assert!(Conversions::read(&[]).is_err() && Conversions::read(&[1, 2, 2]).is_err());
}

/// Returns the names in the cells of a row of the guide's table: numbers, ids and flags.
fn row_of(record: &str) -> [Vec<&'static str>; 3] {
    let guide = include_str!("../../../../docs/v2.md");
    let start = format!("| {record}");
    let row = guide.lines().find(|line| line.starts_with(&start));
    let mut cells = row.unwrap_or_default().split('|').skip(2);
    std::array::from_fn(|_| {
        let cell = cells.next().unwrap_or_default();
        cell.split('`').skip(1).step_by(2).collect()
    })
}

#[test]
fn the_guide_names_the_type_of_every_field() {
    for (record, fields) in [
        ("learner (2.1)", Kind::Learner.fields()),
        ("parent (2.2)", Kind::Parent.fields()),
        ("absentee (2.7)", Kind::Absentee.fields()),
        ("school (2.8)", Kind::School.fields()),
        ("accountable person", Kind::AccountablePerson.fields()),
        ("staff member", Kind::StaffMember.fields()),
        ("discipline", Kind::Discipline.fields()),
        ("lookup", Kind::EthnicGroup.fields()),
    ] {
        let named = |typed: &dyn Fn(FieldForm) -> bool| -> Vec<&str> {
            let answered = fields.iter().filter(|field| field.is_answered());
            let typed = answered.filter(|field| typed(field.form));
            typed.map(|field| field.name).collect()
        };
        let numbers = named(&|form| {
            matches!(
                form,
                FieldForm::Integer | FieldForm::Signed | FieldForm::Decimal
            )
        });
        let references = named(&|form| form == FieldForm::Reference);
        let flags = named(&|form| form == FieldForm::YesNo);
        assert_eq!(row_of(record), [numbers, references, flags], "{record}");
    }
    let group = terms::FIELDS.get(terms::GROUP_FIELDS).unwrap_or_default();
    let references = group
        .iter()
        .filter(|field| field.form == FieldForm::Reference);
    let references: Vec<_> = references.map(|field| field.name).collect();
    let [_, ids, _] = row_of("– its terms");
    assert_eq!(ids, references);
}
