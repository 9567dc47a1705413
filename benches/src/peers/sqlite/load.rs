//! Loading: lines of a dataset into rows.

use super::connect;
use super::record::{
    Absentee, AccountablePerson, ApiType, Assessment, ClientIntegration, Grade, Integrator,
    Learner, LearnerSubject, LearningOutcome, LearningProgram, Mark, Parent, Row, School, Subject,
    TABLES, Term, TermOf, Year,
};
use super::value::Integer;
use anyhow::{Context as _, Result, bail, ensure};
use rollbook_tests::sample::SampleSchool;
use rusqlite::{CachedStatement, Connection, TransactionBehavior, params};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// A database file and the connection that writes it.
pub struct Database {
    path: PathBuf,
    connection: Connection,
}

/// Makes a database of these schools in a folder: one transaction a school,
/// then the planner's statistics.
pub fn load(folder: &Path, schools: &[SampleSchool]) -> Result<Database> {
    let path = folder.join("rollbook.sqlite");
    ensure!(!path.exists(), "{} is there already", path.display());
    let connection = connect(&path)?;
    connection.execute_batch(include_str!("schema.sql"))?;
    let mut database = Database { path, connection };
    for school in schools {
        database.apply(school.lines())?;
    }
    database
        .connection
        .execute_batch("ANALYZE; PRAGMA wal_checkpoint(TRUNCATE);")?;
    Ok(database)
}

impl Database {
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds and replaces records in one transaction, which is on the disk when
    /// this returns. How many rows that changed.
    pub fn apply(&mut self, lines: impl Iterator<Item = String>) -> Result<u64> {
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut changed = 0;
        {
            let mut writer = Writer {
                connection: &transaction,
                upserts: std::array::from_fn(|_| None),
            };
            for line in lines {
                let rows = writer.line(&line).with_context(|| line.clone())?;
                changed += u64::try_from(rows)?;
            }
        }
        transaction.commit()?;
        Ok(changed)
    }
}

/// Holds the statements that have been used, since the next line often needs
/// one of them.
struct Writer<'c> {
    connection: &'c Connection,
    upserts: [Option<CachedStatement<'c>>; TABLES],
}

impl Writer<'_> {
    fn line(&mut self, line: &str) -> Result<usize> {
        match kind(line)? {
            "mark" => self.record::<Mark<'_>>(line),
            "absentee" => self.record::<Absentee<'_>>(line),
            "learner_subject" => self.learner_subject(line),
            "assessment" => self.record::<Assessment<'_>>(line),
            "parent" => self.record::<Parent<'_>>(line),
            "learner" => self.record::<Learner<'_>>(line),
            "accountable_person" => self.record::<AccountablePerson<'_>>(line),
            "learning_program" => self.record::<LearningProgram<'_>>(line),
            "subject" => self.record::<Subject<'_>>(line),
            "learning_outcome" => self.record::<LearningOutcome<'_>>(line),
            "grade" => self.record::<Grade<'_>>(line),
            "term" => self.record::<Term<'_>>(line),
            "year" => self.record::<Year<'_>>(line),
            "school" => self.record::<School<'_>>(line),
            "client_integration" => self.record::<ClientIntegration<'_>>(line),
            "api_type" => self.record::<ApiType<'_>>(line),
            "integrator" => self.record::<Integrator<'_>>(line),
            other => bail!("{other} is no kind"),
        }
    }

    fn record<'l, R: Row + Deserialize<'l>>(&mut self, line: &'l str) -> Result<usize> {
        let record: R = serde_json::from_str(line)?;
        self.put(&record)
    }

    fn put<R: Row>(&mut self, row: &R) -> Result<usize> {
        let place = self.upserts.get_mut(R::PLACE).context("no such table")?;
        let upsert = match place {
            Some(upsert) => upsert,
            None => place.insert(self.connection.prepare_cached(&R::upsert())?),
        };
        Ok(row.put(upsert)?)
    }

    /// A record and its terms; those that it lacks now go.
    fn learner_subject(&mut self, line: &str) -> Result<usize> {
        let subject: LearnerSubject<'_> = serde_json::from_str(line)?;
        let mut changed = self.put(&subject)?;
        for term in &subject.terms {
            changed += self.put(&TermOf(&subject, term))?;
        }
        let LearnerSubject {
            school_id,
            year,
            learner_id,
            subject_id,
            ..
        } = &subject;
        let key = params![school_id, year, learner_id, subject_id];
        let mut kept = self.connection.prepare_cached(
            "SELECT term FROM learner_subject_term
             WHERE school_id = ? AND year = ? AND learner_id = ? AND subject_id = ?",
        )?;
        let mut gone = Vec::new();
        let mut rows = kept.query(key)?;
        while let Some(row) = rows.next()? {
            let kept: i64 = row.get(0)?;
            if !subject.terms.iter().any(|term| term.term.0 == kept) {
                gone.push(Integer(kept));
            }
        }
        for term in gone {
            changed += self
                .connection
                .prepare_cached(
                    "DELETE FROM learner_subject_term WHERE school_id = ? AND year = ?
                     AND learner_id = ? AND subject_id = ? AND term = ?",
                )?
                .execute(params![school_id, year, learner_id, subject_id, term])?;
        }
        Ok(changed)
    }
}

/// The kind that a line names, mostly at its start.
fn kind(line: &str) -> Result<&str> {
    #[derive(Deserialize)]
    struct Head<'a> {
        r#type: &'a str,
    }
    let start = line.strip_prefix("{\"type\":\"");
    if let Some((kind, _)) = start.and_then(|rest| rest.split_once('"')) {
        return Ok(kind);
    }
    let head: Head<'_> = serde_json::from_str(line)?;
    Ok(head.r#type)
}
