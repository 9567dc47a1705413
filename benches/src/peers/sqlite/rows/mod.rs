//! `SQLite` with one pre-rendered row per record.

mod load;

use super::{connect, each, reopen};
use crate::ask::{Ask, What};
use crate::peer::Peer;
use crate::peers::rendered::{
    MarksAnswer, OutcomeFilter, Place, Rendered, array, day, push_family, push_row,
};
use crate::schools::Schools;
use anyhow::Result;
use rusqlite::{Connection, Params, params};
use std::path::Path;

/// A row of marks has 1.8 KB: several fit into a page of this size, while smaller pages would need
/// overflow pages. One connection locks the file exclusively, as an embedded store does; then reads
/// need no further locks, and consecutive statements read the same state.
const SETTINGS: &str = "PRAGMA page_size = 16384; PRAGMA locking_mode = EXCLUSIVE;";

const CURRENT_LEARNERS: &str =
    "SELECT json FROM learner WHERE school = ?1 AND status = 0 ORDER BY id";
const LEARNER: &str = "SELECT json FROM learner WHERE school = ?1 AND id = ?2 AND status = 0";
const NAMED: &str = "SELECT json FROM learner
    WHERE school = ?1 AND status = 0 AND instr(name, ?2) ORDER BY id";
const LEFT: &str = "SELECT json FROM learner
    WHERE school = ?1 AND status = 1 AND transfer_day BETWEEN ?2 AND ?3 ORDER BY id";
const FAMILIES: &str = "SELECT learner.json, one.json, two.json FROM learner
    LEFT JOIN parent one ON one.school = learner.school AND one.id = learner.parent1
    LEFT JOIN parent two ON two.school = learner.school AND two.id = learner.parent2
    WHERE learner.school = ?1 AND status = 0 AND grade IN (?2, ?3) ORDER BY learner.id";
const ABSENTEES: &str = "SELECT json FROM absentee
    WHERE school = ?1 AND day BETWEEN ?2 AND ?3 ORDER BY day, id";
const LEARNER_SUBJECTS: &str = "SELECT json FROM school
    JOIN learner_subject ON school = school.id AND year = current_year
    WHERE school.id = ?1 AND status = 0 ORDER BY learner, subject";
const SUBJECTS_PER_TERM: &str = "SELECT json FROM school
    JOIN subject_per_term ON school = school.id AND year = current_year
    WHERE school.id = ?1 AND learner = ?2 ORDER BY subject";
const SUBJECT_MARKS: &str = "SELECT json FROM school
    JOIN subject_mark ON school = school.id AND year = current_year
    WHERE school.id = ?1 AND learner = ?2 ORDER BY subject";
const YEAR: &str = "SELECT current_year FROM school WHERE id = ?1";
const HEADING: &str = "SELECT heading FROM grade WHERE school = ?1 AND year = ?2 AND grade = ?3";
const RELEASED: &str = "SELECT term, subject FROM programme
    WHERE school = ?1 AND year = ?2 AND grade = ?3 AND release_day <= ?4
    ORDER BY term, subject";
const MARKS_OF_GRADE: &str = "SELECT learner, subject, json FROM mark
    WHERE school = ?1 AND year = ?2 AND grade = ?3 AND term = ?4 ORDER BY learner, subject";
const PLACES: &str = "SELECT DISTINCT grade, term FROM mark
    WHERE school = ?1 AND year = ?2 AND learner = ?3 ORDER BY grade, term";
const MARKS_OF_LEARNER: &str = "SELECT subject, json FROM mark
    WHERE school = ?1 AND year = ?2 AND grade = ?3 AND term = ?4 AND learner = ?5
    ORDER BY subject";

/// Pre-rendered rows in tables of `SQLite`.
pub(in crate::peers) struct Rows {
    connection: Connection,
    release: Release,
    narrowed: Vec<u8>,
}

/// The released marks of a grade, and the heading of their answer.
#[derive(Default)]
struct Release {
    grade: Option<u64>,
    heading: Vec<u8>,
    /// The terms and subjects whose marks are released, in ascending order.
    released: Vec<(u64, u64)>,
}

impl Rows {
    /// Loads the schools into a database in this folder, each in one transaction.
    pub(in crate::peers) fn load(folder: &Path, schools: &Schools) -> Result<Rows> {
        let mut connection = connect(&folder.join("rows.sqlite"), SETTINGS)?;
        connection.execute_batch(include_str!("schema.sql"))?;
        for school in &schools.all {
            let rendered = Rendered::new(schools, school)?;
            let transaction = connection.transaction()?;
            load::insert(&transaction, &rendered)?;
            transaction.commit()?;
        }
        connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")?;
        Ok(Rows {
            connection,
            release: Release::default(),
            narrowed: Vec::new(),
        })
    }

    /// Fills the buffer with an array of the rows that a statement returns.
    fn list(&self, sql: &str, params: impl Params, out: &mut Vec<u8>) -> Result<()> {
        array(out, |out| {
            each(&self.connection, sql, params, |row| {
                push_row(row.get_ref(0)?.as_bytes()?, out);
                Ok(())
            })
        })
    }

    fn families(&self, school: u64, [one, two]: [u64; 2], out: &mut Vec<u8>) -> Result<()> {
        array(out, |out| {
            let grades = [school, one, two];
            each(&self.connection, FAMILIES, grades, |row| {
                push_family(row.get_ref(0)?.as_bytes()?, out, |out| {
                    for column in [1, 2] {
                        if let Some(parent) = row.get_ref(column)?.as_bytes_or_null()? {
                            push_row(parent, out);
                        }
                    }
                    Ok(())
                })
            })
        })
    }

    fn marks_of_learner(&mut self, ask: &Ask, learner: u64, out: &mut Vec<u8>) -> Result<()> {
        let (connection, release) = (&self.connection, &mut self.release);
        let mut answer = MarksAnswer::new(out);
        let year = year(connection, ask.school)?;
        release.grade = None;
        each(connection, PLACES, [ask.school, year, learner], |row| {
            let place = Place {
                grade: row.get(0)?,
                term: row.get(1)?,
                learner,
            };
            release.set(connection, ask, year, place.grade)?;
            let key = [ask.school, year, place.grade, place.term, learner];
            each(connection, MARKS_OF_LEARNER, key, |row| {
                if release.is_released(place.term, row.get(0)?) {
                    answer.push(&release.heading, place, row.get_ref(1)?.as_bytes()?);
                }
                Ok(())
            })
        })?;
        answer.finish();
        Ok(())
    }

    fn marks_of_grade(
        &mut self,
        ask: &Ask,
        grade: u64,
        term: u64,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let (connection, release, narrowed) =
            (&self.connection, &mut self.release, &mut self.narrowed);
        let filter = OutcomeFilter::for_question(ask.what);
        let mut answer = MarksAnswer::new(out);
        let year = year(connection, ask.school)?;
        release.grade = None;
        release.set(connection, ask, year, grade)?;
        let key = [ask.school, year, grade, term];
        each(connection, MARKS_OF_GRADE, key, |row| {
            if !release.is_released(term, row.get(1)?) {
                return Ok(());
            }
            let place = Place {
                grade,
                term,
                learner: row.get(0)?,
            };
            let json = row.get_ref(2)?.as_bytes()?;
            match &filter {
                None => answer.push(&release.heading, place, json),
                Some(filter) => {
                    if filter.narrow(json, narrowed)? {
                        answer.push(&release.heading, place, narrowed);
                    }
                }
            }
            Ok(())
        })?;
        answer.finish();
        Ok(())
    }
}

impl Peer for Rows {
    fn name(&self) -> &'static str {
        "SQLite rows"
    }

    #[inline]
    fn answer(&mut self, ask: &Ask, out: &mut Vec<u8>) -> Result<()> {
        let school = ask.school;
        match ask.what {
            What::Learners => self.list(CURRENT_LEARNERS, [school], out),
            What::GradesWithParents(grades) => self.families(school, grades, out),
            What::Learner(id) => self.list(LEARNER, [school, id], out),
            What::Name(name) => self.list(NAMED, params![school, name], out),
            What::Left { since, until } => {
                self.list(LEFT, params![school, day(since)?, day(until)?], out)
            }
            What::SubjectsPerTerm(learner) => self.list(SUBJECTS_PER_TERM, [school, learner], out),
            What::SubjectMarks(learner) => self.list(SUBJECT_MARKS, [school, learner], out),
            What::LearnerSubjects => self.list(LEARNER_SUBJECTS, [school], out),
            What::Absentees { from, to } => {
                self.list(ABSENTEES, params![school, day(from)?, day(to)?], out)
            }
            What::MarksOfLearner(learner) => self.marks_of_learner(ask, learner, out),
            What::MarksOfGrade { grade, term } | What::MarksOfOutcome { grade, term, .. } => {
                self.marks_of_grade(ask, grade, term, out)
            }
        }
    }

    fn forget(&mut self) -> Result<()> {
        reopen(&mut self.connection, SETTINGS)
    }
}

impl Release {
    /// Loads the release of a grade, unless it is loaded already.
    fn set(&mut self, connection: &Connection, ask: &Ask, year: u64, grade: u64) -> Result<()> {
        if self.grade == Some(grade) {
            return Ok(());
        }
        self.grade = Some(grade);
        self.heading.clear();
        self.released.clear();
        each(connection, HEADING, [ask.school, year, grade], |row| {
            self.heading.extend_from_slice(row.get_ref(0)?.as_bytes()?);
            Ok(())
        })?;
        let today = day(ask.today)?;
        each(
            connection,
            RELEASED,
            [ask.school, year, grade, today],
            |row| {
                self.released.push((row.get(0)?, row.get(1)?));
                Ok(())
            },
        )
    }

    #[inline]
    fn is_released(&self, term: u64, subject: u64) -> bool {
        self.released.binary_search(&(term, subject)).is_ok()
    }
}

/// Returns the current year of a school.
fn year(connection: &Connection, school: u64) -> Result<u64> {
    let mut year = 0;
    each(connection, YEAR, [school], |row| {
        year = row.get(0)?;
        Ok(())
    })?;
    Ok(year)
}
