//! The schools that are asked: sample schools of 1,000 learners with a year's
//! marks.

use crate::ask::{Ask, QUESTIONS, What, found};
use anyhow::Result;
use rollbook::{Engine, Options};
use rollbook_tests::sample::{SampleSchool, federation};
use std::path::Path;

/// Sample schools, and the engine that has loaded them.
pub struct Schools {
    /// Each a dataset of its own.
    pub all: Vec<SampleSchool>,
    /// The engine, with default options.
    pub engine: Engine,
}

impl Schools {
    /// As many schools of 1,000 learners, loaded into a store in this folder.
    pub fn load(count: u32, folder: &Path) -> Result<Schools> {
        let all = federation(count, &SampleSchool::default());
        let engine = Engine::open(folder.join("rollbook.redb"), Options::default())?;
        for school in &all {
            engine.apply(school.reader())?;
        }
        Ok(Schools { all, engine })
    }

    /// What to ask one school for a question: whatever is answered with
    /// something.
    pub fn asks(&self, school: &SampleSchool, things: fn(&[u64]) -> Vec<What>) -> Result<Vec<Ask>> {
        let things = things(&school.grade_ids());
        found(&self.engine, school.school_id, things, &mut Vec::new())
    }

    /// Every ask of every question and school, and each in the middle of the
    /// year: what a peer must answer as the engine does.
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
