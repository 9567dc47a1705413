//! A school's records in `SQLite`, fully normalised.
//!
//! - `schema.sql`: the tables. `record`, `value`, `decimal`: what goes into
//!   them. `load`: how.
//! - `normalised`: the peer that joins rows and writes them by `serde_json`.
//! - `json`: the peer whose answers `SQLite` writes itself.

mod decimal;
mod json;
mod load;
mod normalised;
mod record;
mod value;

#[cfg(test)]
mod tests;

pub use json::JsonInSql;
pub use load::{Database, load};
pub use normalised::Normalised;

use anyhow::Result;
use rusqlite::Connection;
use rusqlite::config::DbConfig;
use std::path::Path;

/// Every statement of a connection stays prepared.
const STATEMENTS: usize = 64;

/// What each connection is set to: durable commits, 32 MiB of cache, and the
/// whole file mapped.
const SETTINGS: &str = "
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA cache_size = -32768;
    PRAGMA mmap_size = 2147418112;
    PRAGMA temp_store = MEMORY;
";

fn connect(path: &Path) -> Result<Connection> {
    let connection = Connection::open(path)?;
    connection.execute_batch(SETTINGS)?;
    // Without this a statement is prepared anew whenever it is given other
    // values, since the statistics hold samples of them.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    Ok(connection)
}
