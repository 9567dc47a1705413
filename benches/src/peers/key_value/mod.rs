//! Ordered keys and values, bytes by bytes: what several stores offer, and two
//! ways to keep rendered rows in it.
//!
//! - `lmdb`, `redb`, `sqlite`: the stores.
//! - `rows`: one rendered row a key.
//! - `runs`: many packed in a value. `run`: such a value. `packing`, `span`: how
//!   they are made and found. `families`: learners with their parents.
//! - `shared`: what both ways keep alike.

mod families;
mod lmdb;
mod packing;
mod redb;
mod rows;
mod run;
mod runs;
mod shared;
mod span;
mod sqlite;

pub use lmdb::Lmdb;
pub use redb::Redb;
pub use rows::Rows;
pub use runs::Runs;
pub use sqlite::Sqlite;

use anyhow::Result;
use std::ops::{ControlFlow, Deref};
use std::path::Path;

/// A part of a store with an order of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the records of the dataset")]
pub enum Table {
    Schools,
    Sheets,
    Learners,
    Parents,
    Absentees,
    LearnerSubjects,
    SubjectsPerTerm,
    SubjectMarks,
    Marks,
    MarkPlaces,
}

impl Table {
    /// Every table, in the order of their numbers.
    pub const ALL: [Table; 10] = [
        Table::Schools,
        Table::Sheets,
        Table::Learners,
        Table::Parents,
        Table::Absentees,
        Table::LearnerSubjects,
        Table::SubjectsPerTerm,
        Table::SubjectMarks,
        Table::Marks,
        Table::MarkPlaces,
    ];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Table::Schools => "school",
            Table::Sheets => "sheet",
            Table::Learners => "learner",
            Table::Parents => "parent",
            Table::Absentees => "absentee",
            Table::LearnerSubjects => "learner_subject",
            Table::SubjectsPerTerm => "subject_per_term",
            Table::SubjectMarks => "subject_mark",
            Table::Marks => "mark",
            Table::MarkPlaces => "mark_place",
        }
    }
}

/// Numbers as bytes that sort as they do.
#[derive(Clone, Copy)]
struct Key {
    bytes: [u8; Key::MOST * 8],
    length: usize,
}

impl Key {
    /// The most numbers of a key.
    const MOST: usize = 6;

    #[inline]
    fn of(numbers: &[u64]) -> Key {
        let empty = Key {
            bytes: [0; Key::MOST * 8],
            length: 0,
        };
        empty.with(numbers)
    }

    /// The key with more numbers behind.
    #[inline]
    fn with(mut self, numbers: &[u64]) -> Key {
        let free = self.bytes.get_mut(self.length..).unwrap_or_default();
        for (slot, number) in free.as_chunks_mut().0.iter_mut().zip(numbers) {
            *slot = number.to_be_bytes();
            self.length += 8;
        }
        self
    }

    /// The numbers that a key ends in.
    #[inline]
    fn last<const N: usize>(key: &[u8]) -> [u64; N] {
        let (_, numbers) = key.as_rchunks();
        let mut last = [0; N];
        for (last, number) in last.iter_mut().rev().zip(numbers.iter().rev()) {
            *last = u64::from_be_bytes(*number);
        }
        last
    }
}

impl Deref for Key {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

/// Takes the entries of a transaction; those of a table come in order.
pub type Put<'a> = dyn FnMut(Table, &[u8], &[u8]) -> Result<()> + 'a;

/// An ordered store of bytes by bytes.
pub trait KeyValue: Sized {
    /// What the tables call the store with a row a key.
    const ROWS: &'static str;
    /// What the tables call the store with packed rows.
    const RUNS: &'static str;
    /// A read transaction.
    type Moment<'a>: Moment
    where
        Self: 'a;

    /// A new store in an empty folder.
    fn create(folder: &Path) -> Result<Self>;

    /// Adds entries behind all others of their tables, in one transaction.
    fn append(&mut self, entries: &mut dyn FnMut(&mut Put<'_>) -> Result<()>) -> Result<()>;

    /// Begins to read.
    fn moment(&self) -> Result<Self::Moment<'_>>;

    /// Closes the store and opens it again.
    fn reopen(self) -> Result<Self>;
}

/// One state of a store.
pub trait Moment {
    /// The value of a key.
    fn get<T>(
        &self,
        table: Table,
        key: &[u8],
        found: impl FnOnce(&[u8]) -> Result<T>,
    ) -> Result<Option<T>>;

    /// The first entry between two keys, both included.
    fn first<T>(
        &self,
        table: Table,
        from: &[u8],
        to: &[u8],
        found: impl FnOnce(&[u8]) -> Result<T>,
    ) -> Result<Option<T>>;

    /// All entries between two keys, both included, until there are enough.
    fn scan(
        &self,
        table: Table,
        from: &[u8],
        to: &[u8],
        each: impl FnMut(&[u8], &[u8]) -> Result<ControlFlow<()>>,
    ) -> Result<()>;
}
