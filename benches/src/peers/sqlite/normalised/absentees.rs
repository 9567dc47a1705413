//! Absences (4.9).

use super::row::{Array, Columns as _};
use crate::peers::wire::Absentee;
use anyhow::Result;
use rusqlite::{Connection, Params};

const BETWEEN: &str = "
    SELECT id, learner_id, absent_date, absent_reason FROM absentee
    WHERE school_id = ?1 AND absent_date BETWEEN ?2 AND ?3 ORDER BY absent_date, id";

pub(super) fn answer(
    connection: &Connection,
    params: impl Params,
    out: &mut Vec<u8>,
) -> Result<()> {
    let mut statement = connection.prepare_cached(BETWEEN)?;
    let mut rows = statement.query(params)?;
    let mut array = Array::open(out);
    let (mut id, mut learner) = (itoa::Buffer::new(), itoa::Buffer::new());
    while let Some(row) = rows.next()? {
        array.push(&Absentee {
            id: row.digits(0, &mut id)?,
            learner_id: row.digits(1, &mut learner)?,
            absent_date: row.text(2)?,
            absent_reason: row.text(3)?,
        })?;
    }
    array.close();
    Ok(())
}

#[cfg(test)]
pub(super) const STATEMENTS: &[&str] = &[BETWEEN];
