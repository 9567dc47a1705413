//! `SQLite`, in which a school is kept in two ways.
//!
//! - `rows`: rendered rows.
//! - `normalised`: tables of fields.

mod normalised;
mod rows;

pub(super) use normalised::Normalised;
pub(super) use rows::Rows;

use anyhow::{Context as _, Result};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, Params, Row};
use std::path::Path;

/// Durable commits, 32 MiB of cache, and the whole file mapped.
const SETTINGS: &str = "
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA cache_size = -32768;
    PRAGMA mmap_size = 2147418112;
    PRAGMA temp_store = MEMORY;
";

/// Opens a database; its own settings come before those that all have.
fn connect(path: &Path, own: &str) -> Result<Connection> {
    let connection = Connection::open(path)?;
    connection.execute_batch(own)?;
    connection.execute_batch(SETTINGS)?;
    // Otherwise a statement is planned anew whenever it is given other values.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// Closes a database and opens it again.
fn reopen(connection: &mut Connection, own: &str) -> Result<()> {
    let path = connection.path().context("it is in no file")?.to_owned();
    // One that has the file for itself keeps the next from opening it.
    *connection = Connection::open_in_memory()?;
    *connection = connect(path.as_ref(), own)?;
    Ok(())
}

/// Runs a statement and something for each row of its result.
#[inline]
fn each(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    mut each: impl FnMut(&Row<'_>) -> Result<()>,
) -> Result<()> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    while let Some(row) = rows.next()? {
        each(row)?;
    }
    Ok(())
}
