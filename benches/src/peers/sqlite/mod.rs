//! `SQLite`, with two ways of storing a school.
//!
//! - `rows`: pre-rendered rows.
//! - `normalised`: tables of fields.

mod normalised;
mod rows;

pub(super) use normalised::Normalised;
pub(super) use rows::Rows;

use anyhow::{Context as _, Result};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, Params, Row};
use std::path::Path;

/// Settings for durable commits, a cache of 32 MiB, and a memory map of the whole file.
const SETTINGS: &str = "
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA cache_size = -32768;
    PRAGMA mmap_size = 2147418112;
    PRAGMA temp_store = MEMORY;
";

/// Opens a database. Its own settings are applied before the common ones.
fn connect(path: &Path, own: &str) -> Result<Connection> {
    let connection = Connection::open(path)?;
    connection.execute_batch(own)?;
    connection.execute_batch(SETTINGS)?;
    // Otherwise a statement is planned again whenever its parameters change.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// Closes a database and opens it again.
fn reopen(connection: &mut Connection, own: &str) -> Result<()> {
    let path = connection.path().context("it is in no file")?.to_owned();
    // A connection with an exclusive lock prevents the next one from opening the file.
    *connection = Connection::open_in_memory()?;
    *connection = connect(path.as_ref(), own)?;
    Ok(())
}

/// Runs a statement and a callback for each row of its result.
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
