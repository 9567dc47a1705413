//! Staged records → the store, in one transaction.
//!
//! One walk over the entries in the order of their kinds. A record whose key
//! decides its place is merged at once (`direct`); others leave edits behind
//! that are sorted by place first (`deferred`): absentees by date, assessments
//! by grade and year, marks into rows. `needs` finds schools that are missing.

mod absentees;
mod assessments;
mod clients;
mod deferred;
mod direct;
mod enrolment;
pub(crate) mod erase;
mod marks;
mod moves;
mod needs;
mod rows;
pub(crate) mod seats;
mod slots;

use super::render;
use super::staged::Staged;
use super::summary::Summary;
use crate::Fault;
use crate::error::{Error, Result};
use crate::record::Kind;
use crate::store::{Sorter, Write};
use deferred::Deferred;
use needs::Needs;
pub(crate) use needs::needs_school;

/// How many bytes of edits stay in memory; the rest goes to the store.
const ROWS_BYTES: usize = 12 << 20;
const PLACES_BYTES: usize = 4 << 20;
const SEATS_BYTES: usize = 2 << 20;
const MOVES_BYTES: usize = 2 << 20;

/// A commit under way.
pub(crate) struct Commit<'w, 't> {
    write: &'w mut Write<'t>,
    staged: Staged<'t>,
    summary: Summary,
    needs: Needs,
    /// Edits of records that lie by date, or by grade and year.
    places: Deferred,
    /// Edits of mark rows and waiting marks.
    rows: Deferred,
    /// Assessments whose marks leave a slot.
    moves: Deferred,
    slots: slots::Slots,
}

impl<'w, 't> Commit<'w, 't> {
    pub(crate) fn new(write: &'w mut Write<'t>, sorter: Sorter) -> Result<Commit<'w, 't>> {
        let sorted = write.sorted(sorter)?;
        Ok(Commit {
            write,
            staged: Staged::new(sorted),
            summary: Summary::default(),
            needs: Needs::default(),
            places: Deferred::new("places", PLACES_BYTES),
            rows: Deferred::new("rows", ROWS_BYTES),
            moves: Deferred::new("moves", MOVES_BYTES),
            slots: slots::Slots::default(),
        })
    }

    /// Merges everything, checks it, and counts.
    pub(crate) fn run(mut self) -> Result<Summary> {
        self.merge_all()?;
        if let Some(fault) = self.missing_schools(1)?.into_iter().next() {
            return Err(Error::BadDataset(fault).into());
        }
        for kind in Kind::ALL {
            let counts = self.summary.of(kind);
            self.write
                .count(kind as usize, counts.added, counts.removed);
        }
        Ok(self.summary)
    }

    pub(crate) fn merge_all(&mut self) -> Result<()> {
        while let Some(head) = self.staged.head()? {
            let kind = head.kind;
            if let Some(school) = head.school() {
                render::ensure(self.write, school)?;
            }
            match kind {
                Kind::Integrator => self.integrator()?,
                Kind::ClientIntegration => self.client_integration()?,
                Kind::Absentee => self.absentee()?,
                Kind::LearnerSubject => self.learner_subjects()?,
                Kind::Assessment => self.assessment()?,
                Kind::Mark => {
                    // Marks are placed by where the assessments lie now.
                    self.merge_places()?;
                    self.merge_moves()?;
                    self.marks()?;
                }
                _ => self.direct()?,
            }
        }
        self.merge_places()?;
        self.merge_moves()?;
        self.merge_rows()
    }

    /// The faults of the schools that are missing now, lowest line first.
    pub(crate) fn missing_schools(&mut self, limit: usize) -> Result<Vec<Fault>> {
        self.needs.faults(self.write, limit)
    }
}
