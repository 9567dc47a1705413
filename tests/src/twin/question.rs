//! What a request asks, once its parameters are read, and the rows that answer it.

use super::kinds::Kind;
use super::params::Fault;
use super::records::Store;
use super::render::Json;
use jiff::civil::Date;

/// What a query sees.
pub(crate) struct View<'a> {
    pub(crate) store: &'a Store,
    pub(crate) username: &'a str,
    /// The school asked; 4.6 and 4.7, which ask for more than one, do not read it.
    pub(crate) school: u64,
    /// The school's local date.
    pub(crate) today: Date,
    /// The current administrative year.
    pub(crate) year: Option<u64>,
}

impl View<'_> {
    /// A name looked up through a reference of this school.
    pub(crate) fn name(&self, kind: Kind, id: u64, field: &str) -> String {
        self.store.look_up(kind, &[self.school, id], field)
    }
}

/// A record as v1 answers it, and its place: the numbers that the order of its collection compares.
pub(crate) type Row = (Vec<u64>, Json);

/// Rows in ascending order of their places, or the fault of parameters that do not go together.
pub(crate) type Rows = Result<Vec<Row>, Fault>;

/// What is asked of an endpoint.
pub(crate) trait Question: std::fmt::Debug {
    /// Its rows as v1 has them.
    fn rows(&self, view: &View<'_>) -> Rows;

    /// Its rows as v2 has them, before they get their types.
    fn flat_rows(&self, view: &View<'_>) -> Rows {
        self.rows(view)
    }

    /// What is meant by it: the same for questions that mean the same, however they are spelled.
    fn meant(&self, _: &View<'_>) -> String {
        format!("{self:?}")
    }

    /// Asks for the record of an id that is found where others are not.
    fn by_id(&mut self, _id: u64) {}
}
