//! Learners without and with their parents (4.1).

use super::row::{Array, Columns as _, texts};
use crate::peers::sqlite::each;
use crate::peers::wire::{Learner, Parent, Record};
use anyhow::Result;
use rusqlite::{Connection, Params};
use std::sync::LazyLock;

// Nearly all learners are current, so the plus makes SQLite read the table itself, not an index.
pub(super) static CURRENT: LazyLock<String> = LazyLock::new(|| {
    learners("learner l WHERE l.school_id = ?1 AND +l.status = 'current' ORDER BY l.id")
});

pub(super) static ONE: LazyLock<String> = LazyLock::new(|| {
    learners("learner l WHERE l.school_id = ?1 AND l.id = ?2 AND l.status = 'current'")
});

// The names are searched first, in the narrow index; only the learners that are found are read.
pub(super) static NAMED: LazyLock<String> = LazyLock::new(|| {
    learners(
        "learner r CROSS JOIN learner l ON l.school_id = r.school_id AND l.id = r.id
         WHERE r.school_id = ?1 AND r.status = 'current' AND instr(r.folded_name, ?2) > 0
         ORDER BY r.id",
    )
});

pub(super) static LEFT: LazyLock<String> = LazyLock::new(|| {
    learners(
        "learner r CROSS JOIN learner l ON l.school_id = r.school_id AND l.id = r.id
         WHERE r.school_id = ?1 AND r.status = 'left' AND r.transfer_date BETWEEN ?2 AND ?3
         ORDER BY r.id",
    )
});

static WITH_PARENTS: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT {}, {}, {}
         FROM learner r CROSS JOIN learner l ON l.school_id = r.school_id AND l.id = r.id
         LEFT JOIN parent p1 ON p1.school_id = l.school_id AND p1.id = l.parent1_id
         LEFT JOIN parent p2 ON p2.school_id = l.school_id AND p2.id = l.parent2_id
         WHERE r.school_id = ?1 AND r.status = 'current' AND r.grade_id IN (?2, ?3)
         ORDER BY r.id",
        columns("l", Learner::TEXTS),
        columns("p1", Parent::TEXTS),
        columns("p2", Parent::TEXTS),
    )
});

fn learners(from: &str) -> String {
    format!("SELECT {} FROM {from}", columns("l", Learner::TEXTS))
}

fn columns(table: &str, names: &[&str]) -> String {
    let columns = names.iter().map(|name| format!("{table}.{name}"));
    columns.collect::<Vec<_>>().join(", ")
}

/// Writes the learners that a statement finds.
pub(super) fn answer(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    out: &mut Vec<u8>,
) -> Result<()> {
    let mut array = Array::open(out);
    each(connection, sql, params, |row| {
        array.push(&Learner::read(texts(row, &mut [itoa::Buffer::new(); 4]))?)
    })?;
    array.close();
    Ok(())
}

/// Writes the learners of two grades, each with its parents.
pub(super) fn with_parents(
    connection: &Connection,
    params: impl Params,
    out: &mut Vec<u8>,
) -> Result<()> {
    let incomes = [1, 2].map(|parents| Learner::TEXTS.len() + parents * Parent::TEXTS.len() - 1);
    let mut array = Array::open(out);
    each(connection, &WITH_PARENTS, params, |row| {
        let mut digits = [itoa::Buffer::new(); 8];
        let mut texts = texts(row, &mut digits);
        let mut learner = Learner::read(&mut texts)?;
        let mut parents = Vec::with_capacity(2);
        for income in incomes {
            let mut parent = Parent::read(&mut texts)?;
            if !parent.id.is_empty() {
                parent.gross_annual_income = row.decimal(income)?.into();
                parents.push(parent);
            }
        }
        learner.parents = Some(parents);
        array.push(&learner)
    })?;
    array.close();
    Ok(())
}

#[cfg(test)]
pub(super) fn statements() -> [&'static str; 5] {
    [&CURRENT, &ONE, &NAMED, &LEFT, &WITH_PARENTS].map(|sql| sql.as_str())
}
