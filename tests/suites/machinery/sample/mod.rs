//! Tests of sample schools.

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

/// Returns a school without marks, which are most of its records.
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

/// Loads a dataset into an engine, which must accept it. Returns the number of its kinds of record.
/// No record may occur twice.
fn loaded(dataset: &[u8]) -> (Engine, usize) {
    let engine = Engine::memory(Options::default()).unwrap();
    let summary = engine.apply(dataset).unwrap();
    let lines = dataset.split(|byte| *byte == b'\n');
    let lines = lines.filter(|line| !line.is_empty()).count();
    assert_eq!(summary.total().added, u64::try_from(lines).unwrap());
    (engine, summary.kinds().count())
}

/// A record as the members of its line.
struct Record(Value);

impl Record {
    fn kind(&self) -> &str {
        self.0["type"].as_str().unwrap()
    }

    /// Returns the text of a field, which is empty if the line has no such field.
    fn text(&self, field: &str) -> String {
        match &self.0[field] {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        }
    }

    /// Returns the value of an integer field.
    fn number(&self, field: &str) -> u64 {
        self.text(field).parse().unwrap()
    }

    /// Returns the values of integer fields.
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
