//! The normalised peer: rows by prepared SQL, written as the records of the
//! API by `serde_json`.
//!
//! - `learners`, `subjects`, `marks`, `absentees`: the questions. `sheet`:
//!   what marks are answered from. `row`: how rows are read and written.

mod absentees;
mod learners;
mod marks;
mod row;
mod sheet;
mod subjects;

use crate::ask::{Ask, What};
use crate::peer::Peer;
use anyhow::Result;
use rusqlite::{Connection, params};
use sheet::Sheet;
use std::path::{Path, PathBuf};

/// Normalised tables, joined by SQL and written by `serde_json`.
pub struct Normalised {
    path: PathBuf,
    connection: Connection,
    sheet: Sheet,
}

impl Normalised {
    /// Opens what has been loaded.
    pub fn open(path: &Path) -> Result<Normalised> {
        Ok(Normalised {
            path: path.to_owned(),
            connection: super::connect(path)?,
            sheet: Sheet::default(),
        })
    }
}

impl Peer for Normalised {
    fn name(&self) -> &'static str {
        "SQLite normalised + serde_json"
    }

    fn answer(&mut self, ask: &Ask, out: &mut Vec<u8>) -> Result<()> {
        out.clear();
        let connection = &self.connection;
        let school = i64::try_from(ask.school)?;
        let number = u64::cast_signed;
        match ask.what {
            What::Learners => learners::answer(connection, learners::CURRENT, [school], out),
            What::Learner(id) => {
                learners::answer(connection, learners::ONE, [school, number(id)], out)
            }
            What::Name(name) => {
                learners::answer(connection, learners::NAMED, params![school, name], out)
            }
            What::Left { since, until } => learners::answer(
                connection,
                learners::LEFT,
                params![school, since, until],
                out,
            ),
            What::GradesWithParents([one, two]) => {
                learners::with_parents(connection, [school, number(one), number(two)], out)
            }
            What::MarksOfLearner(_) | What::MarksOfGrade { .. } | What::MarksOfOutcome { .. } => {
                marks::answer(&mut self.sheet, connection, ask, out)
            }
            What::SubjectsPerTerm(id) => subjects::per_term(connection, [school, number(id)], out),
            What::SubjectMarks(id) => subjects::marks(connection, [school, number(id)], out),
            What::LearnerSubjects => subjects::of_school(connection, school, out),
            What::Absentees { from, to } => {
                absentees::answer(connection, params![school, from, to], out)
            }
        }
    }

    fn forget(&mut self) -> Result<()> {
        self.connection = super::connect(&self.path)?;
        self.sheet = Sheet::default();
        Ok(())
    }
}

/// Every statement.
#[cfg(test)]
pub(super) fn statements() -> Vec<&'static str> {
    [
        learners::STATEMENTS,
        subjects::STATEMENTS,
        sheet::STATEMENTS,
        absentees::STATEMENTS,
    ]
    .concat()
}
