//! The subjects that learners take, with their terms and term marks (4.3 to
//! 4.5).

use super::row::{Array, Columns as _};
use crate::peers::sqlite::decimal;
use crate::peers::wire::{LearnerSubject, SubjectMarks, SubjectPerTerm, SubjectTerm, TermMark};
use anyhow::Result;
use rusqlite::{Connection, Params, Row};
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
    SELECT ls.subject_id, ls.year, s.subject_name, s.super_subject_id, s.super_subject_name,
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
    SELECT ls.subject_id, ls.year, s.subject_name, ls.grade_id, g.grade, lt.term, lt.mark
    FROM learner_subject ls
    LEFT JOIN subject s ON s.school_id = ls.school_id AND s.subject_id = ls.subject_id
    LEFT JOIN grade g ON g.school_id = ls.school_id AND g.grade_id = ls.grade_id
    CROSS JOIN learner_subject_term lt ON lt.school_id = ls.school_id AND lt.year = ls.year
        AND lt.learner_id = ls.learner_id AND lt.subject_id = ls.subject_id
    WHERE ls.school_id = ?1 AND ls.learner_id = ?2
        AND ls.year = (SELECT current_year FROM school WHERE school_id = ?1)
        AND lt.mark IS NOT NULL
    ORDER BY ls.subject_id, lt.term";

/// Who takes which subject. The few subjects are read once, and a learner's
/// names with its first row.
pub(super) fn of_school(connection: &Connection, school: i64, out: &mut Vec<u8>) -> Result<()> {
    let moment = connection.unchecked_transaction()?;
    let mut names: Vec<(i64, String)> = Vec::new();
    {
        let mut statement = moment.prepare_cached(NAMES)?;
        let mut rows = statement.query([school])?;
        while let Some(row) = rows.next()? {
            names.push((row.number(0)?, row.text(1)?.into_owned()));
        }
        let mut statement = moment.prepare_cached(OF_SCHOOL)?;
        let mut rows = statement.query([school])?;
        let mut array = Array::open(out);
        let mut learner: Option<(i64, [String; 3])> = None;
        while let Some(row) = rows.next()? {
            let id = row.number(0)?;
            let [learner_id, first_name, last_name] = match &mut learner {
                Some((last, texts)) if *last == id => texts,
                other => {
                    let texts = [number(row, 0)?, owned(row, 2)?, owned(row, 3)?];
                    let (_, texts) = other.insert((id, texts.map(Cow::into_owned)));
                    texts
                }
            };
            let subject = row.number(1)?;
            let known = names.binary_search_by_key(&subject, |(id, _)| *id);
            let name = known.ok().and_then(|place| names.get(place));
            array.push(&LearnerSubject {
                learner_id: learner_id.as_str().into(),
                first_name: first_name.as_str().into(),
                last_name: last_name.as_str().into(),
                subject_id: subject.cast_unsigned(),
                subject_name: name.map_or("", |(_, name)| name).into(),
            })?;
        }
        array.close();
    }
    Ok(moment.commit()?)
}

/// A learner's subjects by term: the rows of a subject follow each other.
pub(super) fn per_term(
    connection: &Connection,
    params: impl Params,
    out: &mut Vec<u8>,
) -> Result<()> {
    let mut statement = connection.prepare_cached(PER_TERM)?;
    let mut rows = statement.query(params)?;
    let mut array = Array::open(out);
    let mut at_hand: Option<(i64, SubjectPerTerm<'_>)> = None;
    while let Some(row) = rows.next()? {
        let id = row.number(0)?;
        if at_hand.as_ref().is_none_or(|(last, _)| *last != id) {
            if let Some((_, full)) = at_hand.take() {
                array.push(&full)?;
            }
            at_hand = Some((
                id,
                SubjectPerTerm {
                    year: number(row, 1)?,
                    subject_id: number(row, 0)?,
                    subject_name: owned(row, 2)?,
                    super_subject_id: owned(row, 3)?,
                    super_subject_name: owned(row, 4)?,
                    grade_id: number(row, 5)?,
                    grade: owned(row, 6)?,
                    terms: Vec::with_capacity(4),
                },
            ));
        }
        if let (Some((_, subject)), Some(_)) = (&mut at_hand, row.integer(8)?) {
            subject.terms.push(SubjectTerm {
                term_id: row.number(7)?.cast_unsigned(),
                term: number(row, 8)?,
                subject_group_id: owned(row, 9)?,
                subject_group_name: owned(row, 10)?,
                classroom_id: owned(row, 11)?,
                classroom_name: owned(row, 12)?,
                subject_group_teacher_id: owned(row, 13)?,
            });
        }
    }
    if let Some((_, full)) = at_hand {
        array.push(&full)?;
    }
    array.close();
    Ok(())
}

/// A learner's term marks: the rows of a subject follow each other.
pub(super) fn marks(connection: &Connection, params: impl Params, out: &mut Vec<u8>) -> Result<()> {
    let mut statement = connection.prepare_cached(MARKS)?;
    let mut rows = statement.query(params)?;
    let mut array = Array::open(out);
    let mut at_hand: Option<(i64, SubjectMarks<'_>)> = None;
    while let Some(row) = rows.next()? {
        let id = row.number(0)?;
        if at_hand.as_ref().is_none_or(|(last, _)| *last != id) {
            if let Some((_, full)) = at_hand.take() {
                array.push(&full)?;
            }
            at_hand = Some((
                id,
                SubjectMarks {
                    year: number(row, 1)?,
                    subject_id: number(row, 0)?,
                    subject_name: owned(row, 2)?,
                    grade_id: number(row, 3)?,
                    grade: owned(row, 4)?,
                    terms: Vec::with_capacity(4),
                },
            ));
        }
        if let Some((_, subject)) = &mut at_hand {
            let mut mark = String::new();
            decimal::push(&mut mark, row.number(6)?);
            subject.terms.push(TermMark {
                term: number(row, 5)?,
                mark: mark.into(),
            });
        }
    }
    if let Some((_, full)) = at_hand {
        array.push(&full)?;
    }
    array.close();
    Ok(())
}

/// A text that outlives its row.
fn owned(row: &Row<'_>, column: usize) -> Result<Cow<'static, str>> {
    Ok(row.text(column)?.into_owned().into())
}

/// A number's digits that outlive their row.
fn number(row: &Row<'_>, column: usize) -> Result<Cow<'static, str>> {
    let mut digits = itoa::Buffer::new();
    Ok(row.digits(column, &mut digits)?.into_owned().into())
}

#[cfg(test)]
pub(super) const STATEMENTS: &[&str] = &[NAMES, OF_SCHOOL, PER_TERM, MARKS];
