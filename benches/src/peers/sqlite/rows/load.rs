//! Loads a school.

use crate::peers::rendered::{Rendered, Row, Table};
use anyhow::Result;
use rusqlite::{Connection, params};

/// Adds a school, each table in the order of its key.
pub(super) fn insert(connection: &Connection, rendered: &Rendered<'_>) -> Result<()> {
    let (school, year) = (rendered.school, rendered.year);
    connection.execute("INSERT INTO school VALUES (?, ?)", [school, year])?;
    let mut grade = connection.prepare("INSERT INTO grade VALUES (?, ?, ?, ?)")?;
    let mut programme = connection.prepare("INSERT INTO programme VALUES (?, ?, ?, ?, ?, ?)")?;
    for sheet in &rendered.sheets {
        grade.execute(params![school, year, sheet.grade, sheet.heading])?;
        for of in &sheet.programmes {
            let row = params![school, year, sheet.grade, of.term, of.subject, of.release];
            programme.execute(row)?;
        }
    }
    rendered.each_row(&mut |row| insert_row(connection, row))
}

/// Inserts a row. The first columns of a table are its key and its filter values, in this order.
fn insert_row(connection: &Connection, row: &Row<'_>) -> Result<()> {
    let found_by = row
        .partition
        .iter()
        .chain(row.key)
        .map(|number| Some(*number));
    let numbers: Vec<Option<u64>> = found_by.chain(row.tags.iter().copied()).collect();
    let mut texts = vec![row.json];
    if row.table == Table::Learners {
        texts.insert(0, row.name);
    }
    let values = vec!["?"; numbers.len() + texts.len()].join(", ");
    let insert = format!("INSERT INTO {} VALUES ({values})", row.table.name());
    let mut insert = connection.prepare_cached(&insert)?;
    for (place, number) in (1_usize..).zip(&numbers) {
        insert.raw_bind_parameter(place, number)?;
    }
    for (place, text) in (numbers.len() + 1..).zip(texts) {
        insert.raw_bind_parameter(place, text)?;
    }
    insert.raw_execute()?;
    Ok(())
}
