//! The schools of the comparison: sample schools of 1,000 learners with the marks of a year.

use crate::ask::{Ask, QUESTIONS, What, found};
use anyhow::Result;
use rollbook::{Engine, Options};
use rollbook_tests::sample::{SampleSchool, federation};
use std::path::Path;

/// Sample schools, and the engine that has loaded them.
pub struct Schools {
    /// The schools. Each is a dataset of its own.
    pub all: Vec<SampleSchool>,
    /// The engine, with default options.
    pub engine: Engine,
}

impl Schools {
    /// Loads this number of schools of 1,000 learners into a store in this folder.
    pub fn load(count: u32, folder: &Path) -> Result<Schools> {
        let all = federation(count, &SampleSchool::default());
        let engine = Engine::open(folder.join("rollbook.redb"), Options::default())?;
        for school in &all {
            engine.apply(school.reader())?;
        }
        Ok(Schools { all, engine })
    }

    /// Returns the asks of a question to one school that have a non-empty answer.
    pub fn asks(&self, school: &SampleSchool, things: fn(&[u64]) -> Vec<What>) -> Result<Vec<Ask>> {
        let things = things(&school.grade_ids());
        found(&self.engine, school.school_id, things, &mut Vec::new())
    }

    /// Returns every ask of every question and school, each of them also in the middle of the year.
    /// A peer must answer all of them like the engine.
    pub fn every_ask(&self) -> Result<Vec<Ask>> {
        let mut asks = Vec::new();
        for school in &self.all {
            for (_, things) in QUESTIONS {
                let now = self.asks(school, things)?;
                asks.extend(now.iter().map(Ask::at_midyear));
                asks.extend(now);
            }
        }
        Ok(asks)
    }
}
