//! An ordered map of byte strings.

use crate::peers::rendered::{Rendered, Table};
use crate::schools::Schools;
use anyhow::{Context, Result};
use heed::types::Bytes;
use heed::{CommitOrAbort, Database, Env, EnvOpenOptions, PutFlags, RoTxn, WithTls};
use std::fs;
use std::ops::{Bound, ControlFlow};
use std::path::Path;

type Databases = [Database<'static, Bytes, Bytes>; Table::COUNT];

/// An open environment with one database per table.
pub(super) struct Store {
    /// The environment. It is `None` only while it is opened again.
    env: Option<Env>,
    databases: Databases,
}

/// Writes the entries of a transaction. Those of a table must be written in order.
pub(super) type Put<'a> = dyn FnMut(Table, &[u8], &[u8]) -> Result<()> + 'a;

impl Store {
    /// The size of the address space (not memory), far more than any data here.
    const MAP_SIZE: usize = 64 << 30;

    /// Loads the schools into a store in a new folder, each in one transaction.
    pub(super) fn load(
        folder: &Path,
        schools: &Schools,
        put_school: impl Fn(&Rendered<'_>, &mut Put<'_>) -> Result<()>,
    ) -> Result<Store> {
        fs::create_dir(folder)?;
        let store = Store::open(folder)?;
        for school in &schools.all {
            let rendered = Rendered::new(schools, school)?;
            let mut transaction = store.env()?.write_txn()?;
            put_school(&rendered, &mut |table, key, value| {
                let database = find(&store.databases, table)?;
                database.put_with_flags(&mut transaction, PutFlags::APPEND, key, value)?;
                Ok(())
            })?;
            transaction.commit()?;
        }
        Ok(store)
    }

    #[expect(unsafe_code, reason = "a file that is mapped may be changed by others")]
    fn open(folder: &Path) -> Result<Store> {
        let mut options = EnvOpenOptions::new();
        let databases = u32::try_from(Table::COUNT)?;
        options.map_size(Store::MAP_SIZE).max_dbs(databases);
        // SAFETY: no other program uses the folder, so nothing else writes to its files while they
        // are mapped.
        let env = unsafe { options.open(folder)? };
        let transaction = env.write_txn()?;
        let created = env.create_databases_and_commit(transaction, |opener, transaction| {
            let mut databases = Vec::with_capacity(Table::COUNT);
            for place in 0..Table::COUNT {
                databases.push(opener.create_database(transaction, Some(&place.to_string()))?);
            }
            let databases: [Database<'_, Bytes, Bytes>; Table::COUNT] = databases
                .try_into()
                .map_err(|_| anyhow::anyhow!("a database is missing"))?;
            anyhow::Ok(CommitOrAbort::<_, ()>::Commit(databases))
        })?;
        Ok(Store {
            databases: created.unwrap_commit(),
            env: Some(env),
        })
    }

    /// Closes the environment and opens it again.
    pub(super) fn reopen(&mut self) -> Result<()> {
        let env = self.env.take().context("closed")?;
        let folder = env.path().to_owned();
        env.prepare_for_closing().wait();
        *self = Store::open(&folder)?;
        Ok(())
    }

    #[inline]
    fn env(&self) -> Result<&Env> {
        self.env.as_ref().context("closed")
    }

    /// Begins a read transaction.
    #[inline]
    pub(super) fn snapshot(&self) -> Result<Snapshot<'_>> {
        Ok(Snapshot {
            transaction: self.env()?.read_txn()?,
            databases: &self.databases,
        })
    }
}

/// A read transaction, which reads one state of a store.
pub(super) struct Snapshot<'a> {
    transaction: RoTxn<'a, WithTls>,
    databases: &'a Databases,
}

impl Snapshot<'_> {
    /// Returns the value of a key.
    #[inline]
    pub(super) fn get(&self, table: Table, key: &[u8]) -> Result<Option<&[u8]>> {
        Ok(find(self.databases, table)?.get(&self.transaction, key)?)
    }

    /// Returns the value of the first entry between two keys, both included.
    #[inline]
    pub(super) fn first(&self, table: Table, from: &[u8], to: &[u8]) -> Result<Option<&[u8]>> {
        let database = find(self.databases, table)?;
        let entry = database.get_greater_than_or_equal_to(&self.transaction, from)?;
        Ok(entry.filter(|(key, _)| *key <= to).map(|(_, value)| value))
    }

    /// Calls `each` for all entries between two keys, both included, until it returns `Break`.
    #[inline]
    pub(super) fn scan(
        &self,
        table: Table,
        from: &[u8],
        to: &[u8],
        mut each: impl FnMut(&[u8], &[u8]) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        let bounds = (Bound::Included(from), Bound::Unbounded);
        for entry in find(self.databases, table)?.range(&self.transaction, &bounds)? {
            let (key, value) = entry?;
            if key > to || each(key, value)?.is_break() {
                break;
            }
        }
        Ok(())
    }
}

#[inline]
fn find(databases: &Databases, table: Table) -> Result<&Database<'static, Bytes, Bytes>> {
    databases.get(table as usize).context("no such database")
}
