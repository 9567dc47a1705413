//! Tests the encoding of fetched records.

use crate::sync::fetched_records::*;

/// Tests a value of each form, and a bit for each field.
#[test]
fn records_are_decoded_as_they_were_encoded() -> Result<()> {
    for kind in Kind::ALL {
        if kind == Kind::Mark || kind.has_username() {
            continue;
        }
        let fields = kind.fields();
        assert!(fields.len() <= Fields::BITS as usize, "{kind:?}");
        let of_school = kind == Kind::School || kind.is_of_school();
        let values: Vec<Value<'_>> = fields.iter().map(|field| sample(field.form)).collect();
        let field_set = (1 << fields.len()) - 1 - Fields::from(of_school);
        let nothing = vec![Value::Empty; fields.len()];
        let mut all = FetchedRecords::default();
        all.push(kind, field_set, &values);
        all.push(kind, field_set, &nothing);
        all.push(kind, 0, &values);
        let expected = [
            (field_set, values),
            (field_set, nothing.clone()),
            (0, nothing),
        ];
        let expected = expected.map(|(field_set, mut values)| {
            if of_school && let Some(school) = values.first_mut() {
                *school = Value::Integer(7);
            }
            (kind, field_set, values)
        });
        let read = all
            .records(7)
            .map(|record| record.map(|record| (record.kind, record.fields, record.values)));
        assert_eq!(read.collect::<Result<Vec<_>>>()?, expected);
    }
    Ok(())
}

fn sample(form: FieldForm) -> Value<'static> {
    match form {
        FieldForm::Integer | FieldForm::Bit => Value::Integer(1),
        FieldForm::Date => Date::from_number(20_260_514).map_or(Value::Empty, Value::Date),
        FieldForm::Decimal => {
            PackedDecimal::parse("-1.250001").map_or(Value::Empty, Value::Decimal)
        }
        FieldForm::Terms => Value::Terms(vec![
            EnrolledTerm {
                term: 3,
                group: ["1", "", "ä", "", "9"].map(Cow::Borrowed),
                mark: PackedDecimal::parse("71.5"),
            },
            EnrolledTerm {
                term: 4,
                group: Default::default(),
                mark: None,
            },
        ]),
        _ => Value::Text(Cow::Borrowed("text")),
    }
}

#[test]
fn records_that_were_left_out_are_decoded_with_their_keys() -> Result<()> {
    let mut fetched = FetchedRecords::default();
    fetched.push_left_out(Kind::Mark, Some(&[77, 7]));
    fetched.push_left_out(Kind::LearnerSubject, Some(&[7, 2026, 101]));
    fetched.push_left_out(Kind::Gender, Some(&[3]));
    fetched.push_left_out(Kind::School, Some(&[]));
    fetched.push_left_out(Kind::Learner, None);
    fetched.push_emptied(Kind::Learner, 0b1000, &[7]);
    let read = fetched.records(1).map(|record| {
        let record = record?;
        let key = record.values.iter().filter_map(Value::integer);
        let key: Vec<u64> = key.collect();
        Ok((record.kind, record.state, record.fields, key))
    });
    let left_out = |kind, key: &[u64]| (kind, RecordState::LeftOut, 0, key.to_vec());
    let expected = [
        left_out(Kind::Mark, &[1, 77, 7]),
        left_out(Kind::LearnerSubject, &[1, 7, 2026, 101]),
        left_out(Kind::Gender, &[3]),
        left_out(Kind::School, &[1]),
        (Kind::Learner, RecordState::Unidentified, 0, vec![1]),
        (Kind::Learner, RecordState::Emptied, 0b1000, vec![1, 7]),
    ];
    assert_eq!(read.collect::<Result<Vec<_>>>()?, expected);
    Ok(())
}

#[test]
fn marks_are_decoded_and_truncated_records_are_detected() -> Result<()> {
    let mark = Mark {
        captured: true,
        absent: false,
        dtime: DateTime::parse(b"2026-05-14 08:00:00"),
        mark: PackedDecimal::parse("13.5"),
        percentage: PackedDecimal::parse("67.5"),
    };
    let mut fetched = FetchedRecords::default();
    fetched.push_mark(77, 7, &mark);
    fetched.push(Kind::Grade, 0b110, &[Value::Empty, Value::Integer(9)]);
    let read: Vec<_> = fetched.records(1).collect::<Result<_>>()?;
    let keys: Vec<_> = read
        .iter()
        .filter_map(|record| record.values.get(..3))
        .collect();
    let key = [1, 77, 7].map(Value::Integer);
    assert_eq!(keys.first(), Some(&key.as_slice()));
    assert_eq!(
        read.first().map(|record| Mark::from_values(&record.values)),
        Some(mark)
    );
    for length in 1..fetched.bytes.len() {
        let bytes = fetched.bytes.get(..length).unwrap_or_default().to_vec();
        let cut = FetchedRecords { bytes };
        assert!(cut.records(1).count() <= 2);
    }
    Ok(())
}
