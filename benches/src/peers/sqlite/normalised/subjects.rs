//! The subjects of learners, with their terms and term marks (4.3 to 4.5).

use super::row::{Array, Columns as _, owned};
use crate::peers::sqlite::each;
use crate::peers::wire::{
    LearnerSubject, Record as _, SubjectMarks, SubjectPerTerm, SubjectTerm, TermMark,
};
use anyhow::Result;
use rusqlite::{Connection, Params, Row};
use serde::Serialize;
use std::borrow::Cow;

const NAMES: &str = "
    SELECT subject_id, subject_name FROM subject WHERE school_id = ?1 ORDER BY subject_id";

const OF_SCHOOL: &str = "
    SELECT l.id, ls.subject_id, l.first_name, l.last_name
    FROM learner l
    CROSS JOIN learner_subject ls ON ls.school_id = l.school_id AND ls.learner_id = l.id
        AND ls.year = (SELECT current_year FROM school WHERE school_id = ?1)
    WHERE l.school_id = ?1 AND +l.status = 'current'
    ORDER BY l.id, ls.subject_id";

const PER_TERM: &str = "
    SELECT ls.year, ls.subject_id, s.subject_name, s.super_subject_id, s.super_subject_name,
        ls.grade_id, g.grade, t.term_id, lt.term, lt.subject_group_id, lt.subject_group_name,
        lt.classroom_id, lt.classroom_name, lt.subject_group_teacher_id
    FROM learner_subject ls
    LEFT JOIN subject s ON s.school_id = ls.school_id AND s.subject_id = ls.subject_id
    LEFT JOIN grade g ON g.school_id = ls.school_id AND g.grade_id = ls.grade_id
    LEFT JOIN learner_subject_term lt ON lt.school_id = ls.school_id AND lt.year = ls.year
        AND lt.learner_id = ls.learner_id AND lt.subject_id = ls.subject_id
    LEFT JOIN term t ON t.school_id = ls.school_id AND t.year = ls.year AND t.term = lt.term
    WHERE ls.school_id = ?1 AND ls.learner_id = ?2
        AND ls.year = (SELECT current_year FROM school WHERE school_id = ?1)
    ORDER BY ls.subject_id, lt.term";

const MARKS: &str = "
    SELECT ls.year, ls.subject_id, s.subject_name, ls.grade_id, g.grade, lt.term, lt.mark
    FROM learner_subject ls
    LEFT JOIN subject s ON s.school_id = ls.school_id AND s.subject_id = ls.subject_id
    LEFT JOIN grade g ON g.school_id = ls.school_id AND g.grade_id = ls.grade_id
    CROSS JOIN learner_subject_term lt ON lt.school_id = ls.school_id AND lt.year = ls.year
        AND lt.learner_id = ls.learner_id AND lt.subject_id = ls.subject_id
    WHERE ls.school_id = ?1 AND ls.learner_id = ?2
        AND ls.year = (SELECT current_year FROM school WHERE school_id = ?1)
        AND lt.mark IS NOT NULL
    ORDER BY ls.subject_id, lt.term";

/// Writes the subjects of all learners. The few subjects are read once, and a learner's names with
/// its first row.
pub(super) fn of_school(connection: &Connection, school: u64, out: &mut Vec<u8>) -> Result<()> {
    let transaction = connection.unchecked_transaction()?;
    let mut names: Vec<(i64, String)> = Vec::new();
    each(&transaction, NAMES, [school], |row| {
        names.push((row.number(0)?, row.text(1)?.to_owned()));
        Ok(())
    })?;
    let mut array = Array::open(out);
    let mut learner: Option<(i64, [Cow<'static, str>; 3])> = None;
    each(&transaction, OF_SCHOOL, [school], |row| {
        let id = row.number(0)?;
        let [learner_id, first_name, last_name] = match &mut learner {
            Some((last, texts)) if *last == id => texts,
            other => {
                let mut names = owned(row, 2);
                let texts = [id.to_string().into(), names()?, names()?];
                let (_, texts) = other.insert((id, texts));
                texts
            }
        };
        let subject = row.number(1)?;
        let known = names.binary_search_by_key(&subject, |(id, _)| *id);
        let name = known.ok().and_then(|place| names.get(place));
        array.push(&LearnerSubject {
            learner_id: (&**learner_id).into(),
            first_name: (&**first_name).into(),
            last_name: (&**last_name).into(),
            subject_id: subject.cast_unsigned(),
            subject_name: name.map_or("", |(_, name)| name).into(),
        })
    })?;
    array.close();
    Ok(transaction.commit()?)
}

/// Writes a learner's subjects by term.
pub(super) fn per_term(
    connection: &Connection,
    params: impl Params,
    out: &mut Vec<u8>,
) -> Result<()> {
    let begin = |row: &Row<'_>| SubjectPerTerm::read(owned(row, 0));
    grouped(connection, PER_TERM, params, out, begin, |subject, row| {
        if row.integer(8)?.is_some() {
            let mut term = SubjectTerm::read(owned(row, 8))?;
            term.term_id = row.number(7)?.cast_unsigned();
            subject.terms.push(term);
        }
        Ok(())
    })
}

/// Writes a learner's term marks.
pub(super) fn marks(connection: &Connection, params: impl Params, out: &mut Vec<u8>) -> Result<()> {
    let begin = |row: &Row<'_>| SubjectMarks::read(owned(row, 0));
    grouped(connection, MARKS, params, out, begin, |subject, row| {
        subject.terms.push(TermMark {
            term: row.number(5)?.to_string().into(),
            mark: row.decimal(6)?.into(),
        });
        Ok(())
    })
}

/// Writes a record for the consecutive rows of each subject.
fn grouped<R: Serialize>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    out: &mut Vec<u8>,
    begin: impl Fn(&Row<'_>) -> Result<R>,
    add: impl Fn(&mut R, &Row<'_>) -> Result<()>,
) -> Result<()> {
    let mut array = Array::open(out);
    let mut at_hand: Option<(i64, R)> = None;
    each(connection, sql, params, |row| {
        let subject = row.number(1)?;
        match &mut at_hand {
            Some((last, record)) if *last == subject => add(record, row),
            other => {
                if let Some((_, full)) = other.take() {
                    array.push(&full)?;
                }
                let (_, record) = other.insert((subject, begin(row)?));
                add(record, row)
            }
        }
    })?;
    if let Some((_, full)) = at_hand {
        array.push(&full)?;
    }
    array.close();
    Ok(())
}

#[cfg(test)]
pub(super) const STATEMENTS: &[&str] = &[NAMES, OF_SCHOOL, PER_TERM, MARKS];
