//! The question of a request, after its parameters are read, and the rows of the answer.

use super::kinds::Kind;
use super::params::Fault;
use super::records::Store;
use super::render::Json;
use jiff::civil::Date;

/// The data that a query can read.
pub(crate) struct View<'a> {
    pub(crate) store: &'a Store,
    pub(crate) username: &'a str,
    /// The school of the request. 4.6 and 4.7, which are for several schools, do not read it.
    pub(crate) school: u64,
    /// The school's local date.
    pub(crate) today: Date,
    /// The current administrative year.
    pub(crate) year: Option<u64>,
}

impl View<'_> {
    /// Returns a name that a reference of this school leads to.
    pub(crate) fn name(&self, kind: Kind, id: u64, field: &str) -> String {
        self.store.look_up(kind, &[self.school, id], field)
    }
}

/// A record in the form of v1, and its place: the numbers that determine the order of its
/// collection.
pub(crate) type Row = (Vec<u64>, Json);

/// Rows in ascending order of their places, or the fault of parameters that are invalid in
/// combination.
pub(crate) type Rows = Result<Vec<Row>, Fault>;

/// The question that a request asks of an endpoint.
pub(crate) trait Question: std::fmt::Debug {
    /// Returns the rows in the form of v1.
    fn rows(&self, view: &View<'_>) -> Rows;

    /// Returns the rows in the form of v2, before their values get their types.
    fn flat_rows(&self, view: &View<'_>) -> Rows {
        self.rows(view)
    }

    /// Returns a text that is the same for questions with the same meaning, in whatever way they
    /// are spelled.
    fn canonical_text(&self, _: &View<'_>) -> String {
        format!("{self:?}")
    }

    /// Selects the record of an id, which is found even if the collection would not contain it.
    fn by_id(&mut self, _id: u64) {}
}
