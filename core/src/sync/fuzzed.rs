//! What a fuzzer reads: any bytes as the answer to any question.

use super::ask::{Ask, LOOKUPS, Listing};
use super::read::read;
use crate::date::Date;
use crate::record::{Kind, Value};

/// Reads bytes as the answer to the question that the first of them chooses. What was
/// told comes back, and has every value that a record cannot be without.
pub(crate) fn fuzz(bytes: &[u8]) -> bool {
    let Some((which, body)) = bytes.split_first() else {
        return false;
    };
    let asks = asks();
    let ask = asks.get(usize::from(*which) % asks.len());
    let Some(Ok((told, evidence))) = ask.map(|ask| read(*ask, 1000, body)) else {
        return false;
    };
    let mut records = 0;
    for record in told.records(1000) {
        let record = record.expect("what was told comes back");
        records += 1;
        for (index, field) in record.kind.fields().iter().enumerate() {
            let is_told = record.told >> index & 1 == 1 && record.kind != Kind::Mark;
            let is_empty = record.values.get(index).is_none_or(Value::is_empty);
            assert!(!(field.required && is_told && is_empty), "{}", field.name);
        }
    }
    assert_eq!(records, evidence.records);
    true
}

fn asks() -> Vec<Ask> {
    let days = (Date::MIN, Date::MAX);
    let mut asks = vec![
        Ask::School,
        Ask::SchoolInfo,
        Ask::Grades,
        Ask::SubjectsPerTerm(1),
        Ask::SubjectMarks(1),
        Ask::Absences(days.0, days.1),
        Ask::Discipline(days.0, days.1),
        Ask::Staff,
        Ask::Parents,
        Ask::Accounts {
            all: true,
            parents: true,
        },
        Ask::Debtors { all: true },
    ];
    for structure in [false, true] {
        let (grade, year) = (9, None);
        asks.push(Ask::Marks {
            grade,
            year,
            structure,
        });
    }
    asks.extend(LOOKUPS.map(Ask::Lookup));
    asks.extend(Listing::ALL.map(|of| Ask::Learners { of, parents: true }));
    asks
}
