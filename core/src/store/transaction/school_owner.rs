//! The owners of the records of each school. They are one row of the table `meta`.
//!
//! ```text
//! for each school that the app does not own: the number of its owner, 1 byte · its id, 8 bytes
//! ```

use crate::error::{Error, Result};
use crate::store::rows::table_definitions::OWNERS_KEY;
use redb::{AccessGuard, ReadableTable};
use std::collections::BTreeMap;

/// The owner of the records of a school. Only the owner changes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum SchoolOwner {
    /// The app. The store has all data of the school.
    App = 0,
    /// The service, because the school is synced. The store has the data that its coverage names.
    Service = 1,
    /// The store that this store follows.
    Upstream = 2,
    /// The store that this store follows, which has only a part of the data, and has sent its
    /// coverage.
    PartialUpstream = 3,
}

impl SchoolOwner {
    pub(crate) const fn is_app(self) -> bool {
        matches!(self, SchoolOwner::App)
    }

    pub(crate) const fn is_upstream(self) -> bool {
        matches!(self, SchoolOwner::Upstream | SchoolOwner::PartialUpstream)
    }

    /// Returns whether data that the coverage of the school does not name is unknown.
    pub(crate) const fn has_coverage(self) -> bool {
        matches!(self, SchoolOwner::Service | SchoolOwner::PartialUpstream)
    }
}

/// The schools that the app does not own, with their owners.
#[derive(Default)]
pub(crate) struct SchoolOwners(BTreeMap<u64, SchoolOwner>);

impl SchoolOwners {
    pub(crate) fn read(
        meta: &impl ReadableTable<&'static [u8], &'static [u8]>,
    ) -> Result<SchoolOwners> {
        let mut owners = SchoolOwners::default();
        let row = meta.get(OWNERS_KEY)?;
        let row = row.as_ref().map_or(&[][..], AccessGuard::value);
        let (rows, rest) = row.as_chunks::<9>();
        for [number, school @ ..] in rows {
            let owner = match number {
                1 => SchoolOwner::Service,
                2 => SchoolOwner::Upstream,
                3 => SchoolOwner::PartialUpstream,
                _ => return Err(Error::corrupt("the owner of a school is unknown")),
            };
            owners.set(u64::from_le_bytes(*school), owner);
        }
        if !rest.is_empty() {
            return Err(Error::corrupt("the list of owners of schools is truncated"));
        }
        Ok(owners)
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut row = Vec::new();
        for (school, owner) in &self.0 {
            row.push(*owner as u8);
            row.extend(school.to_le_bytes());
        }
        row
    }

    /// Sets the owner of a school, and returns whether it was another one before.
    pub(crate) fn set(&mut self, school: u64, owner: SchoolOwner) -> bool {
        let before = match owner {
            SchoolOwner::App => self.0.remove(&school),
            _ => self.0.insert(school, owner),
        };
        before.unwrap_or(SchoolOwner::App) != owner
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn get(&self, school: u64) -> SchoolOwner {
        self.0.get(&school).copied().unwrap_or(SchoolOwner::App)
    }

    /// Returns the schools that the app does not own, in ascending order.
    pub(crate) fn schools(&self) -> impl Iterator<Item = u64> {
        self.0.keys().copied()
    }

    /// Returns whether any school has an owner for which `predicate` returns true.
    pub(crate) fn any(&self, predicate: impl Fn(SchoolOwner) -> bool) -> bool {
        self.0.values().copied().any(predicate)
    }
}
