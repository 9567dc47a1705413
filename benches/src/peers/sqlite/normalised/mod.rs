//! Normalised tables: rows are read with prepared SQL, and written as the records of the API with
//! `serde_json`.
//!
//! - `schema.sql`: the tables. `load`: fills them. `decimal`: the decimals in them.
//! - `learners`, `subjects`, `marks`, `absentees`: the questions. `sheet`: the data for answers of
//!   marks. `row`: reads rows and writes arrays.

mod absentees;
mod decimal;
mod learners;
mod load;
mod marks;
mod row;
mod sheet;
mod subjects;

#[cfg(test)]
mod tests;

use super::{connect, reopen};
use crate::ask::{Ask, What};
use crate::peer::Peer;
use crate::peers::wire::{Learner, Parent, Record as _};
use crate::schools::Schools;
use anyhow::{Context as _, Result};
use load::Tables;
use rusqlite::{Connection, params};
use sheet::Sheet;
use std::path::Path;

/// Normalised tables, which are joined by SQL and written by `serde_json`.
pub(in crate::peers) struct Normalised {
    connection: Connection,
    sheet: Sheet,
}

impl Normalised {
    /// Loads the schools into a database in this folder, each in one transaction, then computes the
    /// statistics for the query planner.
    pub(in crate::peers) fn load(folder: &Path, schools: &Schools) -> Result<Normalised> {
        let mut peer = Normalised::create(folder)?;
        for school in &schools.all {
            peer.add(school.lines())?;
        }
        let finish = "ANALYZE; PRAGMA wal_checkpoint(TRUNCATE);";
        peer.connection.execute_batch(finish)?;
        Ok(peer)
    }

    fn create(folder: &Path) -> Result<Normalised> {
        let connection = connect(&folder.join("normalised.sqlite"), "")?;
        connection.execute_batch(&schema())?;
        Ok(Normalised {
            connection,
            sheet: Sheet::default(),
        })
    }

    /// Adds records in one transaction.
    fn add(&mut self, lines: impl Iterator<Item = String>) -> Result<()> {
        let transaction = self.connection.transaction()?;
        let tables = Tables::new(&transaction)?;
        for line in lines {
            tables
                .add(&transaction, &line)
                .with_context(|| line.clone())?;
        }
        Ok(transaction.commit()?)
    }
}

/// Returns the statements that create the tables.
fn schema() -> String {
    include_str!("schema.sql")
        .replace("{parent}", &columns(Parent::TEXTS))
        .replace("{learner}", &columns(Learner::TEXTS))
}

/// Returns a column for each of these fields.
fn columns(fields: &[&str]) -> String {
    let column = |field: &&str| match *field {
        "id" | "grade_id" | "parent1_id" | "parent2_id" | "gross_annual_income" => {
            format!("{field} INTEGER")
        }
        _ => format!("{field} TEXT NOT NULL"),
    };
    let columns = fields.iter().map(column);
    columns.collect::<Vec<_>>().join(", ")
}

impl Peer for Normalised {
    fn name(&self) -> &'static str {
        "SQLite normalised"
    }

    fn answer(&mut self, ask: &Ask, out: &mut Vec<u8>) -> Result<()> {
        out.clear();
        let connection = &self.connection;
        let school = ask.school;
        match ask.what {
            What::Learners => learners::answer(connection, &learners::CURRENT, [school], out),
            What::Learner(id) => learners::answer(connection, &learners::ONE, [school, id], out),
            What::Name(name) => {
                learners::answer(connection, &learners::NAMED, params![school, name], out)
            }
            What::Left { since, until } => {
                let params = params![school, since, until];
                learners::answer(connection, &learners::LEFT, params, out)
            }
            What::GradesWithParents([one, two]) => {
                learners::with_parents(connection, [school, one, two], out)
            }
            What::MarksOfLearner(_) | What::MarksOfGrade { .. } | What::MarksOfOutcome { .. } => {
                marks::answer(&mut self.sheet, connection, ask, out)
            }
            What::SubjectsPerTerm(id) => subjects::per_term(connection, [school, id], out),
            What::SubjectMarks(id) => subjects::marks(connection, [school, id], out),
            What::LearnerSubjects => subjects::of_school(connection, school, out),
            What::Absentees { from, to } => {
                absentees::answer(connection, params![school, from, to], out)
            }
        }
    }

    fn forget(&mut self) -> Result<()> {
        reopen(&mut self.connection, "")
    }
}
