//! The alternatives for an app.
//!
//! - `sqlite`, `lmdb`: stores. `rendered`: a school as rows of finished JSON, which most of them
//!   store.
//! - `cached_json`: a cache of the service's answers.
//! - `wire`: the records of the API. `members`: the nested objects in them.
//! - `line`: a line of a dataset. `fold`: folded names.

mod cached_json;
mod fold;
mod line;
mod lmdb;
mod members;
mod rendered;
mod sqlite;
mod wire;

use crate::peer::Peer;
use crate::schools::Schools;
use anyhow::Result;
use std::path::Path;

/// Creates the database of *`SQLite` rows* in this folder, `rows.sqlite`.
pub fn rows(folder: &Path, schools: &Schools) -> Result<()> {
    sqlite::Rows::load(folder, schools).map(drop)
}

/// Returns all peers in the order of the tables, with the data of these schools. They can be asked
/// at these times.
pub fn all(folder: &Path, schools: &Schools, times: &[i64]) -> Result<Vec<Box<dyn Peer>>> {
    Ok(vec![
        Box::new(sqlite::Rows::load(folder, schools)?),
        Box::new(sqlite::Normalised::load(folder, schools)?),
        Box::new(lmdb::Rows::load(folder, schools)?),
        Box::new(lmdb::Runs::load(folder, schools)?),
        Box::new(cached_json::CachedJson::fetch(schools, times)?),
    ])
}
