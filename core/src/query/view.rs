//! A snapshot of the store together with the time at which questions are answered from it.

use super::decoded::{self, school_facts::SchoolFacts, school_tables::Tables};
use crate::date::Date;
use crate::error::Result;
use crate::json::ApiVersion;
use crate::store::Snapshot;
use std::sync::Arc;

/// A snapshot, and the time at which a question is answered from it.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) snapshot: &'a Snapshot,
    /// The current time in seconds since 1970-01-01T00:00:00Z.
    pub(crate) now: i64,
    /// Replaces the school's own current administrative year, if present.
    pub(crate) year: Option<u64>,
}

impl<'a> View<'a> {
    pub(crate) fn new(snapshot: &'a Snapshot, now: i64) -> View<'a> {
        let year = None;
        View {
            snapshot,
            now,
            year,
        }
    }

    /// Returns the decoded facts of a school: its UTC offset and its current year.
    pub(crate) fn facts(&self, school: u64) -> Result<Arc<SchoolFacts>> {
        decoded::school_facts::read(self.snapshot, school)
    }

    /// Returns the small tables of a school, rendered for a version of the API.
    pub(crate) fn tables(&self, school: u64, version: ApiVersion) -> Result<Arc<Tables>> {
        decoded::school_tables::read(self.snapshot, school, version)
    }

    /// Returns the current administrative year of a school.
    pub(crate) fn current_year(&self, facts: &SchoolFacts) -> Option<u64> {
        self.year.or(facts.current_year)
    }

    /// Returns the current date at a school.
    pub(crate) fn today(&self, school: u64) -> Result<Date> {
        Ok(self.facts(school)?.today(self.now))
    }
}
