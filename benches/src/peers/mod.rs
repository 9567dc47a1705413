//! What else an app could use.
//!
//! - `wire`: the records of the API.
//! - `kept_json`: the service's answers, kept as they came.
//! - `sqlite`: `SQLite`, normalised.
//! - `rendered`: rows of finished JSON. `sqlite_rows`, `key_value`: kept in
//!   tables and in ordered bytes. `fold`: names as they are searched.

mod fold;
pub mod kept_json;
pub mod key_value;
pub mod rendered;
pub mod sqlite;
mod sqlite_file;
pub mod sqlite_rows;
pub mod wire;

use crate::peer::Peer;
use crate::schools::Schools;
use anyhow::Result;
use kept_json::{Kept, KeptJson, SerdeJson, SimdJson, SonicRs};
use key_value::{Lmdb, Redb, Rows, Runs, Sqlite};
use sqlite_rows::SqliteRows;
use std::path::Path;
use std::rc::Rc;

/// All of them, in the order of the tables, given the data of these schools;
/// they are asked at these moments.
pub fn all(folder: &Path, schools: &Schools, moments: &[i64]) -> Result<Vec<Box<dyn Peer>>> {
    let kept = Rc::new(Kept::fetch(&schools.engine, &schools.all, moments)?);
    let normalised = sqlite::load(folder, &schools.all)?;
    Ok(vec![
        Box::new(sqlite::Normalised::open(normalised.path())?),
        Box::new(sqlite::JsonInSql::open(normalised.path())?),
        Box::new(SqliteRows::load(folder, schools)?),
        Box::new(Runs::<Sqlite>::load(folder, schools)?),
        Box::new(Rows::<Lmdb>::load(folder, schools)?),
        Box::new(Runs::<Lmdb>::load(folder, schools)?),
        Box::new(Rows::<Redb>::load(folder, schools)?),
        Box::new(KeptJson::<SerdeJson>::new(kept.clone())),
        Box::new(KeptJson::<SonicRs>::new(kept.clone())),
        Box::new(KeptJson::<SimdJson>::new(kept)),
    ])
}
