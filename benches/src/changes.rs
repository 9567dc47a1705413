//! Small changes of a school that apps often make.

use anyhow::{Result, ensure};
use rollbook::{Engine, SetState};
use rollbook_tests::sample::{SampleSchool, USERNAME};
use serde_json::{Value, json};

/// A change in two versions. Applying them alternately always writes.
pub struct Change {
    /// The name of the change in the tables.
    pub name: &'static str,
    school: u64,
    what: What,
}

enum What {
    /// Two datasets, and the number of their records.
    Records([String; 2], u64),
    State,
}

/// The number of marks that are handed in at once.
const SHEET: usize = 1000;

impl Change {
    /// Returns every change that is measured, for a school that has been loaded: one mark, the
    /// first 1,000 marks of its dataset, a renamed subject, a renamed parent, a state update.
    pub fn for_school(school: &SampleSchool) -> Result<Vec<Change>> {
        let marks = first(school, "mark", SHEET)?;
        let subject = first(school, "subject", 1)?;
        let parent = first(school, "parent", 1)?;
        let school = school.school_id;
        let records = |name, records: &[Value], field, values: [&str; 2]| Change {
            name,
            school,
            what: What::Records(
                values.map(|value| with(records, field, value)),
                records.len() as u64,
            ),
        };
        // No sample has such marks or names, and no two changes have the same result.
        let one = marks.get(..1).unwrap_or_default();
        Ok(vec![
            records("one mark", one, "mark", ["1.25", "2.75"]),
            records("1,000 marks", &marks, "mark", ["3.25", "4.75"]),
            records(
                "a subject renamed",
                &subject,
                "subject_name",
                ["Renamed", "Named anew"],
            ),
            records(
                "a parent renamed",
                &parent,
                "last_name",
                ["Renamed", "Named-Anew"],
            ),
            Change {
                name: "a state update",
                school,
                what: What::State,
            },
        ])
    }

    /// Applies one of the two versions, depending on whether `round` is even. Returns the number of
    /// changed records, which is 0 if this version was applied before.
    pub fn make(&self, engine: &Engine, round: usize) -> Result<u64> {
        match &self.what {
            What::Records([even, odd], _) => {
                let version = if round.is_multiple_of(2) { even } else { odd };
                let total = engine.apply(version.as_bytes())?.total();
                ensure!(total.added + total.removed == 0, "{}: {total:?}", self.name);
                Ok(total.changed)
            }
            What::State => {
                let set = SetState {
                    username: USERNAME,
                    school: self.school,
                    api_type_id: 8,
                    state: !round.is_multiple_of(2),
                };
                let code = engine.set_state(&set)?.status.code;
                ensure!(matches!(code, 200 | 204), "{}: {code}", self.name);
                Ok(u64::from(code == 200))
            }
        }
    }

    /// Applies the change like [`make`](Self::make), but fails unless every record was changed.
    pub fn write(&self, engine: &Engine, round: usize) -> Result<()> {
        let changed = self.make(engine, round)?;
        let expected = match &self.what {
            What::Records(_, records) => *records,
            What::State => 1,
        };
        ensure!(
            changed == expected,
            "{}: {changed} of {expected} were changed",
            self.name
        );
        Ok(())
    }
}

/// Returns the first records of a kind.
fn first(school: &SampleSchool, kind: &str, count: usize) -> Result<Vec<Value>> {
    let start = format!(r#"{{"type":"{kind}","#);
    let lines = school.lines().filter(|line| line.starts_with(&start));
    let records = lines.take(count).map(|line| serde_json::from_str(&line));
    Ok(records.collect::<Result<_, _>>()?)
}

/// Returns the lines of the records with a field set to a value.
fn with(records: &[Value], field: &str, value: &str) -> String {
    let mut lines = String::new();
    for record in records {
        let mut record = record.clone();
        if let Some(fields) = record.as_object_mut() {
            fields.insert(field.to_owned(), json!(value));
            // The percentage must not contradict the new mark.
            fields.remove("percentage");
        }
        lines.push_str(&record.to_string());
        lines.push('\n');
    }
    lines
}
