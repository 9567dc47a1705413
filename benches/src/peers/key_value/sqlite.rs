//! `SQLite` as a store of bytes by bytes.

use super::{KeyValue, Moment, Put, Table};
use crate::peers::sqlite_file::Database;
use anyhow::{Context, Result};
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

/// A run stands in one page, with its key.
const PAGE_SIZE: u32 = 65_536;

/// An open database.
pub struct Sqlite {
    database: Database,
    statements: Vec<Statements>,
}

/// The statements of a table.
struct Statements {
    get: String,
    first: String,
    scan: String,
}

impl Statements {
    fn of(table: Table) -> Statements {
        let name = table.name();
        let between = format!("SELECT key, value FROM {name} WHERE key BETWEEN ?1 AND ?2");
        Statements {
            get: format!("SELECT value FROM {name} WHERE key = ?1"),
            first: format!("{between} ORDER BY key LIMIT 1"),
            scan: format!("{between} ORDER BY key"),
        }
    }
}

impl KeyValue for Sqlite {
    const ROWS: &'static str = "SQLite rows of bytes";
    const RUNS: &'static str = "SQLite runs";
    type Moment<'a> = &'a Sqlite;

    fn create(folder: &Path) -> Result<Sqlite> {
        fs::create_dir(folder)?;
        let database = Database::open(folder.join("data.sqlite"), PAGE_SIZE)?;
        for table in Table::ALL {
            let name = table.name();
            // With its rowid: to find a key in a table without, large values
            // would be read along.
            database.connection.execute_batch(&format!(
                "CREATE TABLE {name} (key BLOB PRIMARY KEY NOT NULL, value BLOB NOT NULL) STRICT"
            ))?;
        }
        Ok(Sqlite {
            database,
            statements: Table::ALL.map(Statements::of).into(),
        })
    }

    fn append(&mut self, entries: &mut dyn FnMut(&mut Put<'_>) -> Result<()>) -> Result<()> {
        let transaction = self.database.connection.transaction()?;
        entries(&mut |table, key, value| {
            let name = table.name();
            let insert = format!("INSERT INTO {name} VALUES (?1, ?2)");
            transaction.prepare_cached(&insert)?.execute([key, value])?;
            Ok(())
        })?;
        transaction.commit()?;
        self.database.checkpoint()
    }

    #[inline]
    fn moment(&self) -> Result<&Sqlite> {
        Ok(self)
    }

    fn reopen(mut self) -> Result<Sqlite> {
        self.database.reopen()?;
        Ok(self)
    }
}

impl Moment for &Sqlite {
    #[inline]
    fn get<T>(
        &self,
        table: Table,
        key: &[u8],
        found: impl FnOnce(&[u8]) -> Result<T>,
    ) -> Result<Option<T>> {
        let mut statement = self
            .database
            .connection
            .prepare_cached(&self.of(table)?.get)?;
        let mut rows = statement.query([key])?;
        let row = rows.next()?;
        row.map(|row| found(row.get_ref(0)?.as_blob()?)).transpose()
    }

    #[inline]
    fn first<T>(
        &self,
        table: Table,
        from: &[u8],
        to: &[u8],
        found: impl FnOnce(&[u8]) -> Result<T>,
    ) -> Result<Option<T>> {
        let mut statement = self
            .database
            .connection
            .prepare_cached(&self.of(table)?.first)?;
        let mut rows = statement.query([from, to])?;
        let row = rows.next()?;
        row.map(|row| found(row.get_ref(1)?.as_blob()?)).transpose()
    }

    #[inline]
    fn scan(
        &self,
        table: Table,
        from: &[u8],
        to: &[u8],
        mut each: impl FnMut(&[u8], &[u8]) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        let mut statement = self
            .database
            .connection
            .prepare_cached(&self.of(table)?.scan)?;
        let mut rows = statement.query([from, to])?;
        while let Some(row) = rows.next()? {
            if each(row.get_ref(0)?.as_blob()?, row.get_ref(1)?.as_blob()?)?.is_break() {
                break;
            }
        }
        Ok(())
    }
}

impl Sqlite {
    fn of(&self, table: Table) -> Result<&Statements> {
        self.statements.get(table as usize).context("no such table")
    }
}
