//! What a sample school promises.

mod amounts;
mod calendar;
mod extremes;
mod form;
mod marks;
mod people;
mod references;

use rollbook::{Engine, Options};
use rollbook_tests::sample::SampleSchool;
use serde_json::Value;
use std::io::Read as _;

fn school(learners: u32) -> SampleSchool {
    SampleSchool {
        learners,
        ..SampleSchool::default()
    }
}

/// Without marks, which are most of the records.
fn without_marks(learners: u32) -> SampleSchool {
    SampleSchool {
        marks: false,
        ..school(learners)
    }
}

fn bytes(school: &SampleSchool) -> Vec<u8> {
    let mut bytes = Vec::new();
    school.reader().read_to_end(&mut bytes).unwrap();
    bytes
}

/// A dataset in an engine, which it must please, and how many kinds of record it has; no
/// record stands in it twice.
fn loaded(dataset: &[u8]) -> (Engine, usize) {
    let engine = Engine::memory(Options::default()).unwrap();
    let summary = engine.apply(dataset).unwrap();
    let lines = dataset.split(|byte| *byte == b'\n');
    let lines = lines.filter(|line| !line.is_empty()).count();
    assert_eq!(summary.total().added, u64::try_from(lines).unwrap());
    (engine, summary.kinds().count())
}

/// A record: the members of its line.
struct Record(Value);

impl Record {
    fn kind(&self) -> &str {
        self.0["type"].as_str().unwrap()
    }

    /// The text of a field, empty if the line has none.
    fn text(&self, field: &str) -> String {
        match &self.0[field] {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        }
    }

    /// The integer of a field that holds one.
    fn number(&self, field: &str) -> u64 {
        self.text(field).parse().unwrap()
    }

    /// The integers of fields that hold some.
    fn numbers<const N: usize>(&self, fields: [&str; N]) -> [u64; N] {
        fields.map(|field| self.number(field))
    }
}

fn records(school: &SampleSchool) -> Vec<Record> {
    let record = |line: String| Record(serde_json::from_str(&line).unwrap());
    school.lines().map(record).collect()
}

fn of_kind<'a>(records: &'a [Record], kind: &'a str) -> impl Iterator<Item = &'a Record> {
    records.iter().filter(move |record| record.kind() == kind)
}
