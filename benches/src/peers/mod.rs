//! What else an app could use.
//!
//! - `sqlite`, `lmdb`: stores. `rendered`: what most of them keep, a school as rows
//!   of finished JSON.
//! - `kept_json`: the service's answers, kept as they came.
//! - `wire`: the records of the API. `members`: the objects that they nest.
//! - `line`: a line of a dataset. `fold`: names as they are searched.

mod fold;
mod kept_json;
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

/// Makes the database of *`SQLite` rows* in this folder, `rows.sqlite`.
pub fn rows(folder: &Path, schools: &Schools) -> Result<()> {
    sqlite::Rows::load(folder, schools).map(drop)
}

/// All of them, in the order of the tables, given the data of these schools;
/// they are asked at these moments.
pub fn all(folder: &Path, schools: &Schools, moments: &[i64]) -> Result<Vec<Box<dyn Peer>>> {
    Ok(vec![
        Box::new(sqlite::Rows::load(folder, schools)?),
        Box::new(sqlite::Normalised::load(folder, schools)?),
        Box::new(lmdb::Rows::load(folder, schools)?),
        Box::new(lmdb::Runs::load(folder, schools)?),
        Box::new(kept_json::KeptJson::fetch(schools, moments)?),
    ])
}
