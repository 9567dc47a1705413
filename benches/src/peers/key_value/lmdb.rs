//! LMDB.

use super::{KeyValue, Moment, Put, Table};
use anyhow::{Context, Result};
use heed::types::Bytes;
use heed::{CommitOrAbort, Database, Env, EnvOpenOptions, PutFlags, RoTxn, WithTls};
use std::fs;
use std::ops::{Bound, ControlFlow};
use std::path::{Path, PathBuf};

/// Address space, not memory: far more than any data here.
const MAP_SIZE: usize = 64 << 30;

type Databases = [Database<'static, Bytes, Bytes>; Table::ALL.len()];

/// An open environment with a database a table.
pub struct Lmdb {
    folder: PathBuf,
    env: Env,
    databases: Databases,
}

/// A read transaction of LMDB.
pub struct Read<'a> {
    transaction: RoTxn<'a, WithTls>,
    databases: &'a Databases,
}

impl Lmdb {
    #[expect(unsafe_code, reason = "a file that is mapped may be changed by others")]
    fn open(folder: &Path) -> Result<Lmdb> {
        let mut options = EnvOpenOptions::new();
        let databases = u32::try_from(Table::ALL.len())?;
        options.map_size(MAP_SIZE).max_dbs(databases);
        // SAFETY: the folder is ours alone, and nothing else writes to its
        // files while they are mapped.
        let env = unsafe { options.open(folder)? };
        let transaction = env.write_txn()?;
        let created = env.create_databases_and_commit(transaction, |opener, transaction| {
            let mut databases = Vec::with_capacity(Table::ALL.len());
            for table in Table::ALL {
                databases.push(opener.create_database(transaction, Some(table.name()))?);
            }
            let databases: [Database<'_, Bytes, Bytes>; Table::ALL.len()] = databases
                .try_into()
                .map_err(|_| anyhow::anyhow!("a database is missing"))?;
            anyhow::Ok(CommitOrAbort::<_, ()>::Commit(databases))
        })?;
        Ok(Lmdb {
            folder: folder.to_owned(),
            databases: created.unwrap_commit(),
            env,
        })
    }
}

impl KeyValue for Lmdb {
    const ROWS: &'static str = "LMDB rows";
    const RUNS: &'static str = "LMDB runs";
    type Moment<'a> = Read<'a>;

    fn create(folder: &Path) -> Result<Lmdb> {
        fs::create_dir(folder)?;
        Lmdb::open(folder)
    }

    fn append(&mut self, entries: &mut dyn FnMut(&mut Put<'_>) -> Result<()>) -> Result<()> {
        let mut transaction = self.env.write_txn()?;
        entries(&mut |table, key, value| {
            let database = of(&self.databases, table)?;
            database.put_with_flags(&mut transaction, PutFlags::APPEND, key, value)?;
            Ok(())
        })?;
        Ok(transaction.commit()?)
    }

    #[inline]
    fn moment(&self) -> Result<Read<'_>> {
        Ok(Read {
            transaction: self.env.read_txn()?,
            databases: &self.databases,
        })
    }

    fn reopen(self) -> Result<Lmdb> {
        let folder = self.folder;
        self.env.prepare_for_closing().wait();
        Lmdb::open(&folder)
    }
}

impl Moment for Read<'_> {
    #[inline]
    fn get<T>(
        &self,
        table: Table,
        key: &[u8],
        found: impl FnOnce(&[u8]) -> Result<T>,
    ) -> Result<Option<T>> {
        let value = of(self.databases, table)?.get(&self.transaction, key)?;
        value.map(found).transpose()
    }

    #[inline]
    fn first<T>(
        &self,
        table: Table,
        from: &[u8],
        to: &[u8],
        found: impl FnOnce(&[u8]) -> Result<T>,
    ) -> Result<Option<T>> {
        let database = of(self.databases, table)?;
        let entry = database.get_greater_than_or_equal_to(&self.transaction, from)?;
        let value = entry.filter(|(key, _)| *key <= to).map(|(_, value)| value);
        value.map(found).transpose()
    }

    #[inline]
    fn scan(
        &self,
        table: Table,
        from: &[u8],
        to: &[u8],
        mut each: impl FnMut(&[u8], &[u8]) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        let bounds = (Bound::Included(from), Bound::Unbounded);
        for entry in of(self.databases, table)?.range(&self.transaction, &bounds)? {
            let (key, value) = entry?;
            if key > to || each(key, value)?.is_break() {
                break;
            }
        }
        Ok(())
    }
}

#[inline]
fn of(databases: &Databases, table: Table) -> Result<&Database<'static, Bytes, Bytes>> {
    databases.get(table as usize).context("no such database")
}
