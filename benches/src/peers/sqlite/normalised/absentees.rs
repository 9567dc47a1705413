//! Absences (4.9).

use super::row::{Array, texts};
use crate::peers::sqlite::each;
use crate::peers::wire::{Absentee, Record as _};
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
    let mut array = Array::open(out);
    each(connection, BETWEEN, params, |row| {
        array.push(&Absentee::read(texts(row, &mut [itoa::Buffer::new(); 2]))?)
    })?;
    array.close();
    Ok(())
}

#[cfg(test)]
pub(super) const STATEMENTS: &[&str] = &[BETWEEN];
