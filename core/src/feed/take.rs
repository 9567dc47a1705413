//! A part of a feed, carried out in one transaction.

use super::lines::Head;
use crate::dataset::coverage::{self, Erased, Told};
use crate::dataset::{
    Named, RecordKey, Summary, commit_told, each_key, followed, ledger, remove_school,
    staged_removal,
};
use crate::error::{Error, Result};
use crate::record::Kind;
use crate::record::position::{Followed, Position};
use crate::record::scope::{Belonging, Kinds, Scope, Whom};
use crate::record::storage::Storage;
use crate::store::{Area, Collection, Key, Partition, Records, Sorter, Write};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// A part of a feed, but for its records, which are staged.
pub(super) struct Part {
    pub(super) head: Head,
    /// What was followed when it began.
    pub(super) before: Option<Followed>,
    /// The schools that it brings whole; of no school, the tables that lie under none.
    pub(super) whole: BTreeSet<Option<u64>>,
    /// Those who were erased here when it began, by school.
    pub(super) erased: BTreeMap<u64, Erased>,
    /// What the source has seen of schools; nothing where it has all.
    pub(super) seen: BTreeMap<u64, Option<Vec<Told>>>,
    /// How many units that are.
    pub(super) units: usize,
}

/// What became of it.
pub(super) struct Taken {
    pub(super) summary: Summary,
}

/// How many bytes of removals stay in memory; the rest goes to the store.
const REMOVALS_BYTES: usize = 16 << 20;

impl Part {
    /// Fails as `out_of_step` if the store has moved on since the part began.
    pub(super) fn carry_out(self, write: &mut Write<'_>, mut sorter: Sorter) -> Result<Taken> {
        let before = Followed::read(write)?;
        if before != self.before {
            return Err(Error::OutOfStep.into());
        }
        for (school, erased) in &self.erased {
            // Whoever was erased meanwhile may be among what is staged.
            if Erased::of(write, *school)? != *erased {
                return Err(Error::OutOfStep.into());
            }
        }
        let Head { to, pending, .. } = &self.head;
        let mut summary = Summary::default();
        let mut told = BTreeSet::new();
        let mut kept = Scope::default();
        if let Some(before) = &before {
            told.clone_from(&before.told);
            for school in before.schools() {
                if to.held.whom(school).is_some() {
                    continue;
                }
                match before.held(school).filter(|_| pending.contains(&school)) {
                    Some((whom, kinds)) => {
                        kept.schools.insert(school, whom.clone());
                        kept.kinds = kept.kinds.and(kinds);
                    }
                    None => summary.add(&remove_school(write, school)?),
                }
            }
            self.let_go(write, &mut sorter, &before.position)?;
        }
        for of in &self.whole {
            stage_removal(write, &mut sorter, *of)?;
        }
        summary.add(&commit_told(write, sorter)?);
        for (school, whom) in &to.held.schools {
            summary.add(&remove_unnamed(write, *school, whom, to.held.kinds)?);
            write.set_synced(*school, true)?;
        }
        for (school, seen) in &self.seen {
            let units = seen.as_deref().unwrap_or_default();
            coverage::tell(write, *school, units)?;
            let is_news = if seen.is_some() {
                told.insert(*school)
            } else {
                told.remove(school)
            };
            if is_news {
                write.touch_coverage(*school);
            }
        }
        let followed = Followed {
            position: to.clone(),
            told: BTreeSet::new(),
            kept,
        };
        told.retain(|school| followed.held(*school).is_some());
        followed::keep(write, &Followed { told, ..followed })?;
        Ok(Taken { summary })
    }

    /// Stages the removal of learners who leave the scope.
    fn let_go(&self, write: &mut Write<'_>, sorter: &mut Sorter, before: &Position) -> Result<()> {
        for (school, whom) in &self.head.to.held.schools {
            let (Some(Whom::Learners(held)), Whom::Learners(stay)) =
                (before.held.whom(*school), whom)
            else {
                continue;
            };
            if held.is_subset(stay) || self.whole.contains(&Some(*school)) {
                continue;
            }
            let is_gone = |found: &RecordKey<'_>| {
                found
                    .learner
                    .is_some_and(|learner| !stay.contains(&learner))
            };
            // Nor does what was noted of them stay.
            write.forget_touched(Area::School(*school))?;
            stage_each(write, sorter, *school, &is_gone)?;
        }
        Ok(())
    }
}

/// Stages the removal of all that a part does not bring of what it brings whole.
fn stage_removal(write: &mut Write<'_>, sorter: &mut Sorter, of: Option<u64>) -> Result<()> {
    match of {
        Some(school) => {
            ledger::forget(write, school)?;
            write.forget_touched(Area::School(school))?;
            stage_each(write, sorter, school, &|found| !is_of_app(found))
        }
        None => {
            let mut key = Vec::new();
            for kind in Kind::ALL {
                let Storage::Global(of) = kind.storage() else {
                    continue;
                };
                if kind == Kind::School {
                    continue;
                }
                for pinned in Records::open(write, Partition::global(of))?.all() {
                    let (pinned, _) = pinned?;
                    for Key(id, _) in pinned.run()?.keys() {
                        let entry = staged_removal(&mut key, kind, None, &[id]);
                        sorter.push_first(&key, &entry)?;
                    }
                }
            }
            Ok(())
        }
    }
}

/// Who may ask here is the app's to say.
fn is_of_app(found: &RecordKey<'_>) -> bool {
    Belonging::of(found.kind) == Belonging::App
}

/// Stages the removal of records of a school that the part itself does not bring.
fn stage_each(
    write: &mut Write<'_>,
    sorter: &mut Sorter,
    school: u64,
    goes: &dyn Fn(&RecordKey<'_>) -> bool,
) -> Result<()> {
    let mut key = Vec::new();
    let sorter = RefCell::new(sorter);
    each_key(
        write,
        school,
        &mut |found| {
            if !goes(&found) {
                return Ok(());
            }
            let entry = staged_removal(&mut key, found.kind, found.name, found.key);
            sorter.borrow_mut().push_first(&key, &entry)
        },
        &mut |write| {
            let mut sorter = sorter.borrow_mut();
            if sorter.bytes() > REMOVALS_BYTES {
                write.spill(&mut sorter, "removals")?;
            }
            Ok(())
        },
    )
}

/// Removes the parents and accountable persons whom no learner names any more who is held,
/// and what the app says of who may ask, where there is no school to ask about any more.
fn remove_unnamed(
    write: &mut Write<'_>,
    school: u64,
    whom: &Whom,
    kinds: Kinds,
) -> Result<Summary> {
    let mut sorter = Sorter::default();
    let mut key = Vec::new();
    let schools = Records::open(write, Partition::global(Collection::Schools))?;
    if schools.get(Key::one(school))?.is_none() {
        drop(schools);
        stage_each(write, &mut sorter, school, &is_of_app)?;
    }
    let Some(named) = Named::by(write, school, whom, kinds)? else {
        return commit_told(write, sorter);
    };
    for (kind, of) in [
        (Kind::Parent, Collection::Parents),
        (Kind::AccountablePerson, Collection::AccountablePersons),
    ] {
        for pinned in Records::open(write, Partition::of(school, of))?.all() {
            let (pinned, _) = pinned?;
            for Key(id, _) in pinned.run()?.keys() {
                if !named.has(kind, id) {
                    let entry = staged_removal(&mut key, kind, None, &[school, id]);
                    sorter.push(&key, &entry)?;
                }
            }
        }
    }
    commit_told(write, sorter)
}
