//! Commits staged records in one transaction.
//!
//! A commit reads the staged entries once, step by step. A record whose address follows from its
//! key is merged immediately (`direct`). Other records make edits that are first sorted by address
//! (`pending_edits`): records that are stored by date (`dated_records`), `assessments` by grade and
//! year, and `marks` in rows. `client_integrations` writes integrators, which are rows of their own.
//! `missing_schools` finds missing schools. `change_counter` counts the changes. `open_commit` is the
//! state that these steps share.

mod assessments;
mod change_counter;
mod client_integrations;
mod dated_records;
mod direct;
pub(crate) mod marks;
mod missing_schools;
mod open_commit;
mod pending_edits;

use self::pending_edits::PlainEdits;
use super::render;
use super::summary::Summary;
use crate::dataset::staging::staging_buffer::LoadStep;
use crate::error::{Error, Fault, Result};
use crate::record::Kind;
use crate::record::storage::Storage;
use crate::store::{SchoolOwner, Write};
pub(crate) use open_commit::Commit;

/// Fails if the app must not change a record of a school, or of a list that belongs to no school
/// (`None`).
fn check_owner(write: &Write<'_>, kind: Kind, school: Option<u64>) -> Result<()> {
    match school {
        // Client integrations belong to the app.
        Some(_) if kind == Kind::ClientIntegration => Ok(()),
        Some(school) if !write.owners().get(school).is_app() => {
            Err(Error::Synced { school }.into())
        }
        None if write.owners().any(SchoolOwner::is_upstream) => {
            let kind = kind.name();
            Err(Error::SyncedList { kind }.into())
        }
        _ => Ok(()),
    }
}

impl Commit<'_, '_> {
    /// Merges all records and returns the counts. Fails if a school is missing that a record needs.
    pub(crate) fn run(mut self) -> Result<Summary> {
        self.merge_all()?;
        if let Some(fault) = self.missing_schools(1)?.into_iter().next() {
            return Err(Error::BadDataset(fault).into());
        }
        Ok(self.counted())
    }

    /// Merges all records and returns the counts, without a check for missing schools.
    pub(crate) fn run_unchecked(mut self) -> Result<Summary> {
        self.merge_all()?;
        Ok(self.counted())
    }

    fn counted(self) -> Summary {
        for kind in Kind::ALL {
            let counts = self.counter.summary.get(kind);
            self.write.count(kind as u8, counts.added, counts.removed);
        }
        self.counter.summary
    }

    pub(crate) fn merge_all(&mut self) -> Result<()> {
        self.merge_staged(LoadStep::Schools)?;
        self.merge_staged(LoadStep::Records)?;
        self.merge_records()?;
        self.marks.merge_moves(self.write)?;
        self.merge_staged(LoadStep::Marks)?;
        self.marks.merge(self.write, &mut self.counter)
    }

    /// Merges the staged records of a step, or makes edits of them.
    fn merge_staged(&mut self, step: LoadStep) -> Result<()> {
        while let Some(head) = self.staged.head()? {
            let kind = head.kind;
            if LoadStep::for_kind(kind) != step {
                break;
            }
            if let Some(school) = head.school() {
                if self.is_of_app {
                    check_owner(self.write, kind, Some(school))?;
                }
                render::ensure(self.write, school)?;
                self.counter.check_school(self.write, school)?;
            } else if let Storage::Global(_) = kind.storage() {
                if self.is_of_app {
                    check_owner(self.write, kind, None)?;
                }
                render::ensure_all(self.write)?;
            }
            match kind.storage() {
                Storage::Integrators => self.integrator()?,
                Storage::Authorisations => self.client_integration()?,
                Storage::Dated { at, .. } => self.dated(kind, at)?,
                Storage::LearnerSubjects => {
                    let (write, staged) = (&mut *self.write, &mut self.staged);
                    self.marks
                        .learner_subjects(write, staged, &mut self.counter)?;
                }
                Storage::Assessments => self.assessment()?,
                Storage::Marks => {
                    let (write, staged) = (&mut *self.write, &mut self.staged);
                    self.marks.take(write, staged, &mut self.counter)?;
                }
                Storage::Global(_) | Storage::BySchool(_) | Storage::ByGradeAndYear(_) => {
                    self.direct()?;
                }
            }
        }
        Ok(())
    }

    /// Returns the faults of records whose school is missing so far, lowest line first.
    pub(crate) fn missing_schools(&mut self, limit: usize) -> Result<Vec<Fault>> {
        self.needs.faults(self.write, limit)
    }

    /// Applies the edits of records that are stored by date, or by grade and year.
    fn merge_records(&mut self) -> Result<()> {
        let mut edits = self.records.sorted(self.write)?;
        while let Some((partition, _)) = edits.address()? {
            let mut plain = PlainEdits {
                edits: &mut edits,
                partition,
            };
            self.write.merge(partition, &mut plain)?;
        }
        Ok(())
    }
}
