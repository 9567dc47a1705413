//! Digests: which rows of a table belong together, so that none is missed that redb
//! no longer finds, and none is taken that an older commit left behind.
//!
//! A row of a digest has the sum of the checksums of: the directories of one school,
//! the integrators' rows, what the store says of itself, or the journal of one area. Where
//! no row is, the sum is 0. Rows that nothing adds up to are noticed by what they are the sum of.

use super::checksum::Digest;
use super::journal::Area;
use super::read::read_rows;
use super::records::EachRow;
use super::tables::Definition;
use crate::error::{Error, Failure, Result};
use redb::{ReadableTable, Table};
use std::collections::BTreeMap;

/// Digests by what they are the sum of.
pub(super) const DIGESTS: Definition = Definition::new("digests");

/// What a digest is the sum of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Scope {
    /// The directories of a school, and of school 0 those of all schools.
    School(u64),
    Integrators,
    Meta,
    /// What is noted of an area.
    Journal(Area),
}

const SCHOOL: u8 = b's';
const JOURNAL: u8 = b'j';

impl Scope {
    fn key(self) -> Vec<u8> {
        match self {
            Scope::School(school) => [[SCHOOL].as_slice(), &school.to_be_bytes()].concat(),
            Scope::Integrators => b"integrators".to_vec(),
            Scope::Meta => b"meta".to_vec(),
            Scope::Journal(area) => [[JOURNAL].as_slice(), &area.to_bytes()].concat(),
        }
    }

    /// What all keys of its rows begin with.
    fn prefix(self) -> Vec<u8> {
        match self {
            Scope::School(school) => school.to_be_bytes().to_vec(),
            Scope::Journal(area) => area.to_bytes().to_vec(),
            Scope::Integrators | Scope::Meta => Vec::new(),
        }
    }
}

type Rows<'a> = &'a dyn ReadableRows;

/// A table of bytes, behind a pointer: compiled once.
pub(super) trait ReadableRows {
    fn value(&self, key: &[u8]) -> Result<Option<Vec<u8>>>;
    fn each(&self, prefix: &[u8], each: &mut EachRow<'_>) -> Result<()>;
}

impl<T: ReadableTable<&'static [u8], &'static [u8]>> ReadableRows for T {
    fn value(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        Ok(self.get(key)?.map(|row| row.value().to_vec()))
    }

    fn each(&self, prefix: &[u8], each: &mut EachRow<'_>) -> Result<()> {
        read_rows(self, prefix, each)
    }
}

/// A table that is not there.
pub(super) struct NoRows;

impl ReadableRows for NoRows {
    fn value(&self, _: &[u8]) -> Result<Option<Vec<u8>>> {
        Ok(None)
    }

    fn each(&self, _: &[u8], _: &mut EachRow<'_>) -> Result<()> {
        Ok(())
    }
}

fn read(digests: Rows<'_>, scope: Scope) -> Result<Digest> {
    let Some(row) = digests.value(&scope.key())? else {
        return Ok(Digest::default());
    };
    let row = row.as_slice().try_into();
    row.map(Digest::decode).map_err(|_| damaged(scope))
}

/// Makes sure that the rows are those that the digest is the sum of, and that each
/// is found by its key: then one that is not found is not there.
pub(super) fn check(digests: Rows<'_>, rows: Rows<'_>, scope: Scope) -> Result<()> {
    let mut sum = Digest::default();
    rows.each(&scope.prefix(), &mut |key, value| {
        sum.add(key, value);
        match rows.value(key)? {
            Some(found) if found == value => Ok(()),
            _ => Err(damaged(scope)),
        }
    })?;
    if sum == read(digests, scope)? {
        Ok(())
    } else {
        Err(damaged(scope))
    }
}

/// The schools that have a digest.
pub(super) fn schools(digests: Rows<'_>) -> Result<Vec<u64>> {
    let mut schools = Vec::new();
    digests.each(&[SCHOOL], &mut |key, _| {
        let school = key.get(1..).and_then(|school| school.try_into().ok());
        schools.extend(school.map(u64::from_be_bytes));
        Ok(())
    })?;
    Ok(schools)
}

/// The areas whose journal has a digest.
pub(super) fn journals(digests: Rows<'_>) -> Result<Vec<Area>> {
    let mut areas = Vec::new();
    digests.each(&[JOURNAL], &mut |key, _| {
        areas.extend(key.get(1..).and_then(Area::from_bytes));
        Ok(())
    })?;
    Ok(areas)
}

fn damaged(scope: Scope) -> Failure {
    Error::corrupt(&match scope {
        Scope::School(school) => format!("the directories of school {school} are not all there"),
        Scope::Integrators => "the rows of integrators are not all there".to_owned(),
        Scope::Journal(Area::Global) => {
            "the journal of what is of no school is not all there".to_owned()
        }
        Scope::Journal(Area::School(school)) => {
            format!("the journal of school {school} is not all there")
        }
        Scope::Meta => "what the store says of itself is not all there".to_owned(),
    })
}

/// What a transaction adds to digests.
///
/// They are written in the order in which their rows lie, so that each page is read once.
#[derive(Debug, Default)]
pub(super) struct Added(BTreeMap<Scope, Digest>);

impl Added {
    /// A row came in the place of another, or one of both.
    pub(super) fn replaced(
        &mut self,
        scope: Scope,
        key: &[u8],
        old: Option<&[u8]>,
        new: Option<&[u8]>,
    ) {
        let added = self.0.entry(scope).or_default();
        if let Some(old) = old {
            added.remove(key, old);
        }
        if let Some(new) = new {
            added.add(key, new);
        }
    }

    /// Rows are not there that were counted in.
    pub(super) fn left_out(&mut self, scope: Scope, rows: Digest) {
        let added = self.0.entry(scope).or_default();
        *added = added.without(rows);
    }

    /// Writes the sums.
    pub(super) fn write(self, digests: &mut Table<'_, &'static [u8], &'static [u8]>) -> Result<()> {
        for (scope, added) in self.0 {
            let sum = read(digests, scope)?.with(added);
            let key = scope.key();
            if sum == Digest::default() {
                digests.remove(key.as_slice())?;
            } else {
                digests.insert(key.as_slice(), sum.encode().as_slice())?;
            }
        }
        Ok(())
    }
}
