//! The peer whose answers `SQLite` writes itself: one statement a question,
//! which gives the JSON as one text.
//!
//! - `learners`, `subjects`, `marks`: the statements. `text`: what they are
//!   made of.

#[macro_use]
mod text;
mod learners;
mod marks;
mod subjects;

use crate::ask::{Ask, What};
use crate::peer::Peer;
use anyhow::Result;
use rusqlite::{Connection, Params, params};
use std::path::{Path, PathBuf};

/// Normalised tables whose rows become JSON within SQL.
pub struct JsonInSql {
    path: PathBuf,
    connection: Connection,
}

impl JsonInSql {
    /// Opens what has been loaded.
    pub fn open(path: &Path) -> Result<JsonInSql> {
        Ok(JsonInSql {
            path: path.to_owned(),
            connection: super::connect(path)?,
        })
    }

    /// Copies the text that a statement gives, if it gives one.
    fn copy(&self, sql: &str, params: impl Params, out: &mut Vec<u8>) -> Result<()> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query(params)?;
        if let Some(row) = rows.next()?
            && let Some(text) = row.get_ref(0)?.as_bytes_or_null()?
        {
            out.extend_from_slice(text);
        }
        Ok(())
    }
}

impl Peer for JsonInSql {
    fn name(&self) -> &'static str {
        "SQLite, JSON in SQL"
    }

    fn answer(&mut self, ask: &Ask, out: &mut Vec<u8>) -> Result<()> {
        out.clear();
        let school = i64::try_from(ask.school)?;
        let today = ask.today;
        let number = u64::cast_signed;
        match ask.what {
            What::Learners => self.copy(learners::CURRENT, [school], out),
            What::Learner(id) => self.copy(learners::ONE, [school, number(id)], out),
            What::Name(name) => self.copy(learners::NAMED, params![school, name], out),
            What::Left { since, until } => {
                self.copy(learners::LEFT, params![school, since, until], out)
            }
            What::GradesWithParents([one, two]) => self.copy(
                learners::WITH_PARENTS,
                [school, number(one), number(two)],
                out,
            ),
            What::MarksOfLearner(id) => {
                self.copy(marks::OF_LEARNER, params![school, today, number(id)], out)
            }
            What::MarksOfGrade { grade, term } => self.copy(
                marks::OF_GRADE,
                params![school, today, number(grade), number(term)],
                out,
            ),
            What::MarksOfOutcome {
                grade,
                term,
                outcome,
            } => self.copy(
                marks::OF_OUTCOME,
                params![school, today, number(grade), number(term), number(outcome)],
                out,
            ),
            What::SubjectsPerTerm(id) => self.copy(subjects::PER_TERM, [school, number(id)], out),
            What::SubjectMarks(id) => self.copy(subjects::MARKS, [school, number(id)], out),
            What::LearnerSubjects => self.copy(subjects::OF_SCHOOL, [school], out),
            What::Absentees { from, to } => {
                self.copy(subjects::ABSENTEES, params![school, from, to], out)
            }
        }
    }

    fn forget(&mut self) -> Result<()> {
        self.connection = super::connect(&self.path)?;
        Ok(())
    }
}

/// Every statement.
#[cfg(test)]
pub(super) const STATEMENTS: [&str; 12] = [
    learners::CURRENT,
    learners::ONE,
    learners::NAMED,
    learners::LEFT,
    learners::WITH_PARENTS,
    marks::OF_LEARNER,
    marks::OF_GRADE,
    marks::OF_OUTCOME,
    subjects::PER_TERM,
    subjects::MARKS,
    subjects::OF_SCHOOL,
    subjects::ABSENTEES,
];
