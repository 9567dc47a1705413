//! Transactions on one school: replaces it, removes it, or erases a learner.

use std::collections::BTreeSet;

use super::Twin;
use super::apply::read_lines;
use super::kinds::Kind;
use super::line::Line;
use super::records::{Part, Record, Store};
use super::summary::{Summary, summary};

impl Line {
    /// Returns the school to which the record belongs.
    pub(crate) fn school(&self) -> Option<u64> {
        let mut keys = self.key.kind.fields().iter().filter(|field| field.key);
        let place = keys.position(|field| field.name == "school_id")?;
        match self.key.parts[place] {
            Part::Number(id) => Some(id),
            Part::Name(_) => None,
        }
    }
}

impl Twin {
    /// Replaces the records of a school by those of the dataset. API types and integrators of the
    /// dataset are applied; other ones remain.
    pub fn replace_school(&mut self, id: u64, lines: &[String]) -> Result<Summary, String> {
        let (lines, faults) = read_lines(lines, Some(id));
        let mut base = self.store.clone();
        base.records
            .retain(|_, record| record.number("school_id") != Some(id));
        self.commit(lines, faults, base)
    }

    /// Removes every record with this school id.
    pub fn remove_school(&mut self, id: u64) -> Summary {
        self.retain(|_, record| record.number("school_id") != Some(id))
    }

    /// Removes the learner with its `learner_subject`s, marks, absentees and discipline. Parents
    /// and accountable persons remain.
    pub fn erase_learner(&mut self, school: u64, learner: u64) -> Summary {
        self.retain(|kind, record| {
            let names_learner = match kind {
                Kind::Learner => record.number("id"),
                Kind::LearnerSubject | Kind::Mark | Kind::Absentee | Kind::Discipline => {
                    record.number("learner_id")
                }
                _ => None,
            };
            record.number("school_id") != Some(school) || names_learner != Some(learner)
        })
    }

    fn retain(&mut self, stays: impl Fn(Kind, &Record) -> bool) -> Summary {
        let mut store = Store::clone(&self.store);
        store.records.retain(|key, record| stays(key.kind, record));
        let summary = summary(&self.store, &store, &BTreeSet::new());
        self.store = store;
        summary
    }
}
