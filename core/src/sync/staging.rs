//! The ledger of a sync: an answer is kept as soon as it is read, so that whoever starts again
//! asks only for the rest.

use super::ask::Ask;
use super::options::SyncOptions;
use super::told::{MANNER, Told};
use crate::dataset::coverage::Erased;
use crate::dataset::ledger::{self, Rows};
use crate::dataset::outbox;
use crate::error::Result;
use crate::record::coverage::Unit;
use crate::record::hints::Hints;
use crate::record::ledger::{Head, Row};
use crate::store::{Snapshot, Store, Write};
use std::sync::Arc;
use twox_hash::XxHash3_64;

pub(super) struct Staging {
    store: Arc<Store>,
    school: u64,
    options: u64,
    outbox: u64,
}

/// What an answer leaves.
pub(super) enum Left<'a> {
    /// Nothing beside its row.
    Nothing,
    /// What it told is there already.
    Same,
    Told(&'a Told),
    Hints(&'a Hints),
}

/// Whether an answer was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keeping {
    Kept,
    /// A learner was erased meanwhile: what is left of the pass is to be looked at anew.
    Moved,
    /// The school was removed meanwhile, or is no longer synced.
    Gone,
}

impl Staging {
    pub(super) fn new(store: Arc<Store>, school: u64, options: &SyncOptions) -> Staging {
        let asked = (options.days_from, &options.utc_offset);
        let outbox = options.outbox.as_deref().map_or(0, outbox::of);
        let options = XxHash3_64::oneshot(format!("{asked:?}").as_bytes());
        Staging {
            store,
            school,
            options,
            outbox,
        }
    }

    pub(super) fn read<T>(&self, mut read: impl FnMut(&Snapshot) -> Result<T>) -> Result<T> {
        self.store.read(|snapshot| read(snapshot))
    }

    pub(super) fn write<T>(&self, write: impl FnOnce(&mut Write<'_>) -> Result<T>) -> Result<T> {
        self.store.write(write)
    }

    /// Goes on with the pass that is under way, if it was made as this one is, or begins
    /// one; with what there is of it and of those before.
    pub(super) fn begin(&self, now: i64) -> Result<(Head, Rows)> {
        match self.now()? {
            Some((head, rows)) if !head.is_over && self.made(&head) => {
                let outbox = self.outbox;
                let now = Head { outbox, ..head };
                if now != head {
                    self.write(|write| ledger::set_head(write, self.school, &now))?;
                }
                Ok((now, rows))
            }
            before => {
                let before = before.map(|(head, _)| head).unwrap_or_default();
                self.write(|write| self.begin_after(write, before, now))
            }
        }
    }

    /// The pass as the store has it, if it is not gone.
    pub(super) fn now(&self) -> Result<Option<(Head, Rows)>> {
        self.read(|snapshot| {
            let head = ledger::head(snapshot, self.school)?;
            head.map(|head| Ok((head, ledger::rows(snapshot, self.school)?)))
                .transpose()
        })
    }

    fn begin_after(&self, write: &mut Write<'_>, before: Head, now: i64) -> Result<(Head, Rows)> {
        if before.manner == MANNER {
            ledger::drop_told(write, self.school)?;
        } else {
            ledger::forget_answers(write, self.school)?;
        }
        let head = Head {
            pass: before.pass + 1,
            began: now,
            is_over: false,
            is_published: false,
            manner: MANNER,
            options: self.options,
            erasures: before.erasures,
            outbox: self.outbox,
        };
        ledger::set_head(write, self.school, &head)?;
        Ok((head, ledger::rows(write, self.school)?))
    }

    fn made(&self, head: &Head) -> bool {
        (head.manner, head.options) == (MANNER, self.options)
    }

    /// Whether the pass is the one that is kept.
    pub(super) fn is_there(&self, write: &Write<'_>, head: &Head) -> Result<Keeping> {
        Ok(match ledger::head(write, self.school)? {
            None => Keeping::Gone,
            Some(kept) if kept == *head => Keeping::Kept,
            Some(_) => Keeping::Moved,
        })
    }

    /// Keeps what came of an answer. `again` is to be asked for again.
    pub(super) fn keep(
        &self,
        head: &Head,
        ask: Ask,
        row: &Row,
        left: &Left<'_>,
        again: &[Unit],
    ) -> Result<Keeping> {
        let (school, unit) = (self.school, ask.unit(0));
        self.write(|write| {
            let keeping = self.is_there(write, head)?;
            if keeping != Keeping::Kept {
                return Ok(keeping);
            }
            for unit in again {
                ledger::remove(write, school, *unit)?;
            }
            let erased = Erased::of(write, school)?;
            match left {
                Left::Same => ledger::set(write, school, unit, row)?,
                Left::Nothing => ledger::put(write, school, unit, row, &[])?,
                Left::Told(told) if erased.is_nobody() => {
                    ledger::put(write, school, unit, row, told.bytes())?;
                }
                Left::Told(told) => {
                    let told = told.without(school, &erased)?;
                    ledger::put(write, school, unit, row, told.bytes())?;
                }
                Left::Hints(hints) => {
                    let mut hints = (*hints).clone();
                    hints.leave_out(|learner| erased.has(learner));
                    ledger::put(write, school, unit, row, &hints.bytes())?;
                }
            }
            Ok(Keeping::Kept)
        })
    }

    /// What an answer told, that is not published.
    pub(super) fn told(&self, ask: Ask) -> Result<Told> {
        let told = self.read(|snapshot| ledger::told(snapshot, self.school, ask.unit(0)))?;
        Ok(Told::of(told))
    }

    /// Who took which subjects.
    pub(super) fn hints(&self) -> Result<Hints> {
        let unit = Ask::LearnerSubjects.unit(0);
        let hints = self.read(|snapshot| ledger::told(snapshot, self.school, unit))?;
        Hints::read(&hints)
    }

    /// Whether anything of the school was published.
    pub(super) fn is_synced(&self) -> Result<bool> {
        self.read(|snapshot| Ok(snapshot.is_synced(self.school)))
    }

    /// The pass is over.
    pub(super) fn end(&self, head: &Head) -> Result<Keeping> {
        self.write(|write| {
            let keeping = self.is_there(write, head)?;
            if keeping == Keeping::Kept {
                let is_over = true;
                ledger::set_head(write, self.school, &Head { is_over, ..*head })?;
            }
            Ok(keeping)
        })
    }
}
