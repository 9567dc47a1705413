//! A database file of `SQLite`.

use anyhow::Result;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, Params, Row};
use std::path::{Path, PathBuf};

/// An open database.
pub(super) struct Database {
    path: PathBuf,
    page_size: u32,
    pub(super) connection: Connection,
}

impl Database {
    /// Opens a database; this is the page size of a new one.
    pub(super) fn open(path: PathBuf, page_size: u32) -> Result<Database> {
        Ok(Database {
            connection: connect(&path, page_size)?,
            path,
            page_size,
        })
    }

    /// Closes it and opens it again.
    pub(super) fn reopen(&mut self) -> Result<()> {
        self.connection = Connection::open_in_memory()?;
        self.connection = connect(&self.path, self.page_size)?;
        Ok(())
    }

    /// Moves everything from the log to the database.
    pub(super) fn checkpoint(&self) -> Result<()> {
        let checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
        Ok(self.connection.execute_batch(checkpoint)?)
    }

    /// Runs a statement and something for each row of its result.
    #[inline]
    pub(super) fn each(
        &self,
        sql: &str,
        params: impl Params,
        mut each: impl FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query(params)?;
        while let Some(row) = rows.next()? {
            each(row)?;
        }
        Ok(())
    }
}

/// One connection has the file for itself, as an embedded store does: reading
/// then takes no locks, and statements that follow one another see one state.
fn connect(path: &Path, page_size: u32) -> Result<Connection> {
    let connection = Connection::open(path)?;
    connection.execute_batch(&format!(
        "PRAGMA page_size = {page_size};
         PRAGMA locking_mode = EXCLUSIVE;
         PRAGMA journal_mode = WAL;
         PRAGMA synchronous = FULL;
         PRAGMA cache_size = -32768;
         PRAGMA mmap_size = 1099511627776"
    ))?;
    // Otherwise a statement is planned anew whenever it is given other values.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}
