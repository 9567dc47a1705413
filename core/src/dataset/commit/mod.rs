//! Staged records → the store, in one transaction.
//!
//! One walk over the entries, step by step. A record whose key decides its address is
//! merged at once (`direct`); others leave edits behind that are sorted by address first
//! (`deferred`): those that lie by date (`dated`), `assessments` by grade and year,
//! `marks` into rows. `clients` are rows of their own. `needs` finds schools that are
//! missing. `tally` counts what is changed. `removal` stages what no line names.

mod assessments;
mod clients;
mod dated;
mod deferred;
mod direct;
pub(crate) mod marks;
mod needs;
pub(crate) mod removal;
mod tally;

use super::render;
use super::staged::{Staged, Step};
use super::summary::Summary;
use crate::error::Fault;
use crate::error::{Error, Result};
use crate::record::Kind;
use crate::record::storage::Storage;
use crate::store::{Sorter, Write};
use deferred::Deferred;
use marks::Marks;
use needs::Needs;
use tally::Tally;

/// How many bytes of edits stay in memory; the rest goes to the store.
const RECORDS_BYTES: usize = 4 << 20;

/// Refuses records of schools that are synced, which are the service's to change.
#[derive(Default)]
struct Guard {
    /// The school that was looked at last, which is not synced.
    passed: Option<u64>,
}

impl Guard {
    fn check(&mut self, write: &Write<'_>, kind: Kind, school: u64) -> Result<()> {
        // Who may ask here is the app's to say.
        if kind == Kind::ClientIntegration || self.passed == Some(school) {
            return Ok(());
        }
        if write.is_synced(school)? {
            return Err(Error::Synced { school }.into());
        }
        self.passed = Some(school);
        Ok(())
    }
}

/// A commit under way.
pub(crate) struct Commit<'w, 't> {
    write: &'w mut Write<'t>,
    staged: Staged<'t>,
    tally: Tally,
    needs: Needs,
    guard: Option<Guard>,
    /// Edits of records that lie by date, or by grade and year.
    records: Deferred,
    marks: Marks,
}

impl<'w, 't> Commit<'w, 't> {
    pub(crate) fn new(write: &'w mut Write<'t>, sorter: Sorter) -> Result<Commit<'w, 't>> {
        let sorted = write.sorted(sorter)?;
        let tally = Tally::of(write);
        Ok(Commit {
            write,
            staged: Staged::new(sorted),
            tally,
            needs: Needs::default(),
            guard: None,
            records: Deferred::new("records", RECORDS_BYTES),
            marks: Marks::new(),
        })
    }

    /// Of a dataset of the app's: it is refused where it is of a school that is synced.
    pub(crate) fn of_dataset(write: &'w mut Write<'t>, sorter: Sorter) -> Result<Commit<'w, 't>> {
        let guard = write.has_synced()?.then(Guard::default);
        Ok(Commit {
            guard,
            ..Commit::new(write, sorter)?
        })
    }

    /// Merges everything, checks it, and counts.
    pub(crate) fn run(mut self) -> Result<Summary> {
        self.merge_all()?;
        if let Some(fault) = self.missing_schools(1)?.into_iter().next() {
            return Err(Error::BadDataset(fault).into());
        }
        Ok(self.counted())
    }

    /// The same, but for whether what needs a school has one.
    #[cfg(feature = "sync")]
    pub(crate) fn run_unchecked(mut self) -> Result<Summary> {
        self.merge_all()?;
        Ok(self.counted())
    }

    fn counted(self) -> Summary {
        for kind in Kind::ALL {
            let counts = self.tally.summary.of(kind);
            self.write.count(kind as u8, counts.added, counts.removed);
        }
        self.tally.summary
    }

    pub(crate) fn merge_all(&mut self) -> Result<()> {
        self.merge_staged(Step::Schools)?;
        self.merge_staged(Step::Records)?;
        self.merge_records()?;
        self.marks.merge_moves(self.write)?;
        self.merge_staged(Step::Marks)?;
        self.marks.merge(self.write, &mut self.tally)
    }

    /// Carries out the staged records of a step, or leaves edits behind.
    fn merge_staged(&mut self, step: Step) -> Result<()> {
        while let Some(head) = self.staged.head()? {
            let kind = head.kind;
            if Step::of(kind) != step {
                break;
            }
            if let Some(school) = head.school() {
                if let Some(guard) = &mut self.guard {
                    guard.check(self.write, kind, school)?;
                }
                render::ensure(self.write, school)?;
                self.tally.look_at(self.write, school)?;
            } else if let Storage::Global(_) = kind.storage() {
                render::ensure_all(self.write)?;
            }
            match kind.storage() {
                Storage::Integrators => self.integrator()?,
                Storage::Authorisations => self.client_integration()?,
                Storage::Dated { at, .. } => self.dated(kind, at)?,
                Storage::LearnerSubjects => {
                    let (write, staged) = (&mut *self.write, &mut self.staged);
                    self.marks
                        .learner_subjects(write, staged, &mut self.tally)?;
                }
                Storage::Assessments => self.assessment()?,
                Storage::Marks => {
                    let (write, staged) = (&mut *self.write, &mut self.staged);
                    self.marks.take(write, staged, &mut self.tally)?;
                }
                Storage::Global(_) | Storage::BySchool(_) | Storage::ByGradeAndYear(_) => {
                    self.direct()?;
                }
            }
        }
        Ok(())
    }

    /// The faults of the schools that are missing now, lowest line first.
    pub(crate) fn missing_schools(&mut self, limit: usize) -> Result<Vec<Fault>> {
        self.needs.faults(self.write, limit)
    }
}
