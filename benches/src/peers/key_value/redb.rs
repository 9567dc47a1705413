//! redb.

use super::{KeyValue, Moment, Put, Table};
use anyhow::{Context, Result};
use redb::{Database, ReadOnlyTable, ReadableDatabase, ReadableTable, TableDefinition};
use std::fs;
use std::ops::{Bound, ControlFlow};
use std::path::{Path, PathBuf};

const CACHE_SIZE: usize = 32 << 20;

type Tables = Vec<ReadOnlyTable<&'static [u8], &'static [u8]>>;

/// An open database, and its last state with its tables open.
pub struct Redb {
    path: PathBuf,
    tables: Tables,
    database: Database,
}

impl Redb {
    fn open(path: PathBuf) -> Result<Redb> {
        let mut builder = Database::builder();
        Ok(Redb {
            database: builder.set_cache_size(CACHE_SIZE).create(&path)?,
            path,
            tables: Vec::new(),
        })
    }

    /// Reads from the last state.
    fn renew(&mut self) -> Result<()> {
        let transaction = self.database.begin_read()?;
        let tables = Table::ALL.map(|table| transaction.open_table(definition(table)));
        self.tables = tables.into_iter().collect::<Result<_, _>>()?;
        Ok(())
    }
}

fn definition(table: Table) -> TableDefinition<'static, &'static [u8], &'static [u8]> {
    TableDefinition::new(table.name())
}

impl KeyValue for Redb {
    const ROWS: &'static str = "redb rows";
    const RUNS: &'static str = "redb runs";
    type Moment<'a> = &'a Redb;

    fn create(folder: &Path) -> Result<Redb> {
        fs::create_dir(folder)?;
        let mut redb = Redb::open(folder.join("data.redb"))?;
        // Makes the tables.
        redb.append(&mut |_| Ok(()))?;
        Ok(redb)
    }

    fn append(&mut self, entries: &mut dyn FnMut(&mut Put<'_>) -> Result<()>) -> Result<()> {
        let transaction = self.database.begin_write()?;
        {
            let tables = Table::ALL.map(|table| transaction.open_table(definition(table)));
            let mut tables = tables.into_iter().collect::<Result<Vec<_>, _>>()?;
            let ends = tables
                .iter_mut()
                .map(|table| table.upper_bound_mut(Bound::Unbounded::<&[u8]>));
            let mut ends = ends.collect::<Result<Vec<_>, _>>()?;
            entries(&mut |table, key, value| {
                let end = ends.get_mut(table as usize).context("no such table")?;
                Ok(end.insert_before(key, value)?)
            })?;
            for end in ends {
                end.close()?;
            }
        }
        transaction.commit()?;
        self.renew()
    }

    #[inline]
    fn moment(&self) -> Result<&Redb> {
        Ok(self)
    }

    fn reopen(self) -> Result<Redb> {
        let Redb {
            path,
            tables,
            database,
        } = self;
        drop(tables);
        drop(database);
        let mut redb = Redb::open(path)?;
        redb.renew()?;
        Ok(redb)
    }
}

impl Moment for &Redb {
    #[inline]
    fn get<T>(
        &self,
        table: Table,
        key: &[u8],
        found: impl FnOnce(&[u8]) -> Result<T>,
    ) -> Result<Option<T>> {
        let value = of(&self.tables, table)?.get(key)?;
        value.map(|value| found(value.value())).transpose()
    }

    #[inline]
    fn first<T>(
        &self,
        table: Table,
        from: &[u8],
        to: &[u8],
        found: impl FnOnce(&[u8]) -> Result<T>,
    ) -> Result<Option<T>> {
        let mut cursor = of(&self.tables, table)?.lower_bound(Bound::Included(from))?;
        let entry = cursor.next()?.filter(|(key, _)| key.value() <= to);
        entry.map(|(_, value)| found(value.value())).transpose()
    }

    #[inline]
    fn scan(
        &self,
        table: Table,
        from: &[u8],
        to: &[u8],
        mut each: impl FnMut(&[u8], &[u8]) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        let mut cursor = of(&self.tables, table)?.lower_bound(Bound::Included(from))?;
        while let Some((key, value)) = cursor.next()? {
            if key.value() > to || each(key.value(), value.value())?.is_break() {
                break;
            }
        }
        Ok(())
    }
}

#[inline]
fn of(tables: &Tables, table: Table) -> Result<&ReadOnlyTable<&'static [u8], &'static [u8]>> {
    tables.get(table as usize).context("no such table")
}
