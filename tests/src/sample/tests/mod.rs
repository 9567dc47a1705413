//! What a sample school promises.

mod amounts;
mod extremes;
mod form;
mod meaning;

use std::collections::BTreeSet;
use std::io::Read as _;

use super::SampleSchool;
use super::dataset::{Checked, check};

fn school(learners: u32) -> SampleSchool {
    SampleSchool {
        learners,
        ..SampleSchool::default()
    }
}

fn bytes(school: &SampleSchool) -> Vec<u8> {
    let mut bytes = Vec::new();
    school.reader().read_to_end(&mut bytes).unwrap();
    bytes
}

/// All lines, each held against the format and against those before it.
fn records(school: &SampleSchool) -> Vec<Checked> {
    let records: Vec<_> = school.lines().map(|line| check(&line)).collect();
    let mut keys = BTreeSet::new();
    for record in &records {
        let fresh = keys.insert((&record.kind, &record.key));
        assert!(fresh, "{} {:?} stands twice", record.kind, record.key);
    }
    records
}

fn of_kind<'a>(records: &'a [Checked], kind: &'a str) -> impl Iterator<Item = &'a Checked> {
    records.iter().filter(move |record| record.kind == kind)
}
