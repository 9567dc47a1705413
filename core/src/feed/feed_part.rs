//! Commits a part of a feed in one transaction.

use super::feed_lines::{FeedLine, RecordChecksum};
use crate::dataset::replication::coverage_entries::{self, CoverageEntry};
use crate::dataset::replication::{follower_state, stored_fetch_log};
use crate::dataset::{
    RecordKey, Summary, commit_unchecked, each_authorisation, each_key, remove_followed,
    staged_removal,
};
use crate::error::{Error, Result};
use crate::record::Kind;
use crate::record::replication::erased_learners::ErasedLearners;
use crate::record::replication::position::{FollowerPosition, FollowerState};
use crate::record::replication::scope::{Audience, RecordOwner, Scope};
use crate::record::storage::Storage;
use crate::store::{Collection, Key, LogPartition, Partition, Records, SchoolOwner, Sorter, Write};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// A part of a feed without its records, which are staged.
pub(super) struct FeedPart {
    /// The position of the store after the part.
    pub(super) to: FollowerPosition,
    /// Schools that are not in `to` yet. Their records remain unchanged.
    pub(super) pending: BTreeSet<u64>,
    /// What the store followed when the part began.
    pub(super) before: Option<FollowerState>,
    /// The schools whose records the part contains completely. `None` means the lists that
    /// belong to no school.
    pub(super) whole: BTreeSet<Option<u64>>,
    /// The schools of the records of the part, with the learners that were erased here when the
    /// first record of the school arrived.
    pub(super) erased: BTreeMap<u64, ErasedLearners>,
    /// The coverage of schools at the source, or `None` for a school of which the source has all
    /// data.
    pub(super) coverage: BTreeMap<u64, Option<Vec<CoverageEntry>>>,
    /// The number of entries in `coverage`.
    pub(super) entry_count: usize,
    /// The sums of the records of the source, by school. `None` means the lists that belong to
    /// no school.
    pub(super) sums: BTreeMap<Option<u64>, RecordChecksum>,
}

/// The share of records whose changes cause a comparison with the source: a comparison is due when
/// feeds have changed one in `CHECKED_SHARE` records since the last one. It is due after each feed
/// if the store has at most `FEW_RECORDS`.
const CHECKED_SHARE: u64 = 16;
const FEW_RECORDS: u64 = 1000;

/// The kinds of records of which each describes a person.
const PEOPLE: [Kind; 4] = [
    Kind::Learner,
    Kind::Parent,
    Kind::AccountablePerson,
    Kind::StaffMember,
];

/// The number of bytes of staged removals above which they are moved from memory to the store.
const REMOVALS_BYTES: usize = 16 << 20;

/// The maximum number of coverage entries in a part. It allows dozens for each of 10,000 learners.
const MAX_COVERAGE_ENTRIES: usize = 1 << 20;

impl FeedPart {
    /// Adds the content of a line between the head and the end of the part.
    pub(super) fn add(&mut self, line: FeedLine) -> Result<(), String> {
        let school = match line {
            FeedLine::Whole(school) | FeedLine::Sum(school, _) => school,
            FeedLine::Coverage(school, _) | FeedLine::Complete(school) => Some(school),
            FeedLine::Feed(_) | FeedLine::Part(..) | FeedLine::End(_) => None,
        };
        // Records of other schools belong to the app.
        if let Some(school) = school.filter(|school| self.to.scope.audience(*school).is_none()) {
            return Err(not_followed(school));
        }
        match line {
            FeedLine::Whole(of) => {
                self.whole.insert(of);
            }
            FeedLine::Sum(school, sum) => {
                self.sums.insert(school, sum);
            }
            FeedLine::Complete(school) => {
                self.coverage.insert(school, None);
            }
            FeedLine::Coverage(school, entries) => {
                self.entry_count += entries.len();
                if self.entry_count > MAX_COVERAGE_ENTRIES {
                    return Err("the coverage is larger than a school can have".to_owned());
                }
                let coverage = self.coverage.entry(school).or_default();
                coverage.get_or_insert_default().extend(entries);
            }
            FeedLine::Feed(_) | FeedLine::Part(..) | FeedLine::End(_) => {}
        }
        Ok(())
    }

    /// Commits the part. Fails with `out_of_sync` if the store has changed its position since the
    /// part began.
    pub(super) fn commit(self, write: &mut Write<'_>, mut sorter: Sorter) -> Result<Summary> {
        if FollowerState::read(write)? != self.before {
            return Err(Error::OutOfSync.into());
        }
        for (school, erased) in &self.erased {
            // The staged records may contain learners that were erased in the meantime.
            if ErasedLearners::read_for_write(write, *school)? != *erased {
                return Err(Error::OutOfSync.into());
            }
        }
        let scope = &self.to.scope;
        let (mut awaiting_resend, mut leaving) = (Scope::default(), BTreeSet::new());
        if let Some(before) = &self.before {
            for school in before.schools().filter(|of| scope.audience(*of).is_none()) {
                match before.audience(school) {
                    Some((audience, kinds)) if self.pending.contains(&school) => {
                        awaiting_resend.schools.insert(school, audience.clone());
                        awaiting_resend.kinds = awaiting_resend.kinds.intersection(kinds);
                    }
                    _ => drop(leaving.insert(school)),
                }
            }
        }
        let mut summary = Summary::default();
        // Counts the changes that may have removed people from the store.
        let mut removals = Summary::default();
        if !leaving.is_empty() {
            removals.add(&remove_followed(write, &leaving)?);
        }
        let mut changed = self.stage_leaving_learners(write, &mut sorter)?;
        for of in &self.whole {
            stage_removal(write, &mut sorter, *of)?;
        }
        let committed = commit_unchecked(write, sorter)?;
        if !changed.is_empty()
            || self.whole.iter().any(Option::is_some)
            || PEOPLE.iter().any(|kind| committed.get(*kind).removed > 0)
        {
            removals.add(&committed);
        } else {
            summary.add(&committed);
        }
        changed.extend(self.erased.keys().chain(self.whole.iter().flatten()));
        removals.add(&remove_unnamed(write, &changed, scope)?);
        if Kind::ALL
            .into_iter()
            .any(|kind| is_of_people(kind) && removals.get(kind).removed > 0)
        {
            write.mark_for_erasure()?;
        }
        summary.add(&removals);
        for school in scope.schools.keys() {
            if !write.owners().get(*school).is_upstream() {
                write.set_owner(*school, SchoolOwner::Upstream);
            }
        }
        for (school, coverage) in &self.coverage {
            let erased = ErasedLearners::read_for_write(write, *school)?;
            let entries = coverage
                .iter()
                .flatten()
                .filter(|CoverageEntry { key, .. }| {
                    !(key.kind.is_of_learner() && erased.has(key.key.0))
                });
            coverage_entries::replace_coverage(write, *school, entries)?;
            write.set_owner(
                *school,
                match coverage {
                    Some(_) => SchoolOwner::PartialUpstream,
                    None => SchoolOwner::Upstream,
                },
            );
        }
        let mut asked_again = self.asked_again();
        let mut unchecked = self.before.as_ref().map_or(0, |before| before.unchecked);
        if !self.sums.is_empty() {
            // The records are compared as soon as readers see the part.
            (unchecked, asked_again) = (0, false);
        } else if self.whole.is_empty() {
            let total = summary.total();
            unchecked += total.added + total.changed + total.removed;
        }
        let mut position = self.to;
        let records = records_of(write);
        let is_due = records <= FEW_RECORDS || unchecked >= records / CHECKED_SHARE;
        // Records that were sent again are compared after the next change.
        let is_new = asked_again && self.whole.iter().any(Option::is_some);
        // Within a feed the position must be equal to the one that the source computes.
        position.wants_checksums = !position.is_incomplete && (is_new || unchecked > 0 && is_due);
        let followed = FollowerState {
            position,
            awaiting_resend,
            unchecked,
            asked_again,
        };
        follower_state::put_state(write, &followed)?;
        Ok(summary)
    }

    /// Returns whether everything was requested again and no comparison was made since.
    pub(super) fn asked_again(&self) -> bool {
        let before = self.before.as_ref();
        before.is_some_and(|before| before.asked_again)
    }

    /// Stages the removal of learners that leave the scope. Returns the schools that such learners
    /// belong to.
    fn stage_leaving_learners(
        &self,
        write: &mut Write<'_>,
        sorter: &mut Sorter,
    ) -> Result<BTreeSet<u64>> {
        let mut schools = BTreeSet::new();
        let before = self.before.as_ref().map(|before| &before.position.scope);
        for (school, audience) in &self.to.scope.schools {
            let before = before.and_then(|before| before.audience(*school));
            let (Some(Audience::Learners(previous)), Audience::Learners(staying)) =
                (before, audience)
            else {
                continue;
            };
            if previous.is_subset(staying) || self.whole.contains(&Some(*school)) {
                continue;
            }
            let is_leaving = |found: &RecordKey<'_>| {
                found
                    .learner
                    .is_some_and(|learner| !staying.contains(&learner))
            };
            // The journal must not contain the keys of these learners either.
            write.remove_changed_keys(LogPartition::School(*school))?;
            stage_each(write, sorter, *school, &is_leaving)?;
            schools.insert(*school);
        }
        Ok(schools)
    }
}

/// Returns the number of records in the store, of all kinds.
fn records_of(write: &Write<'_>) -> u64 {
    let records = Kind::ALL.map(|kind| write.records_of_kind(kind as u8));
    records.into_iter().fold(0, u64::saturating_add)
}

fn is_of_people(kind: Kind) -> bool {
    let people = [RecordOwner::Learner, RecordOwner::Named, RecordOwner::Staff];
    people.contains(&RecordOwner::of_kind(kind))
}

/// Stages the removal of records that the part does not contain, for a school (or for the lists
/// that belong to no school) that the part contains completely.
fn stage_removal(write: &mut Write<'_>, sorter: &mut Sorter, of: Option<u64>) -> Result<()> {
    match of {
        Some(school) => {
            stored_fetch_log::remove_log(write, school)?;
            write.remove_changed_keys(LogPartition::School(school))?;
            stage_each(write, sorter, school, &|_| true)
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
                let mut records = Records::open(write, Partition::global(of))?.all();
                while let Some(record) = records.next()? {
                    let entry = staged_removal(&mut key, kind, None, &[record.key()?.0]);
                    sorter.push_first(&key, &entry)?;
                }
            }
            Ok(())
        }
    }
}

/// Stages the removal of the records of a school for which `is_removed` returns true, unless the
/// part contains them. Client integrations remain, because they belong to the app.
fn stage_each(
    write: &mut Write<'_>,
    sorter: &mut Sorter,
    school: u64,
    is_removed: &dyn Fn(&RecordKey<'_>) -> bool,
) -> Result<()> {
    let mut key = Vec::new();
    let sorter = RefCell::new(sorter);
    each_key(
        write,
        school,
        &mut |found| {
            if !is_removed(&found) {
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

/// Removes the people of these schools that no followed learner names any more, and the client
/// integrations of schools that no longer exist.
fn remove_unnamed(
    write: &mut Write<'_>,
    schools: &BTreeSet<u64>,
    scope: &Scope,
) -> Result<Summary> {
    let mut sorter = Sorter::default();
    let mut absent = BTreeSet::new();
    for school in schools {
        let records = Records::open(write, Partition::global(Collection::Schools))?;
        if records.get(Key::one(*school))?.is_none() {
            absent.insert(*school);
        }
        drop(records);
        if let Some(audience) = scope.audience(*school) {
            follower_state::stage_unnamed(write, &mut sorter, *school, audience, scope.kinds)?;
        }
    }
    if !absent.is_empty() {
        let mut key = Vec::new();
        each_authorisation(write, &absent, &mut |found| {
            let entry = staged_removal(&mut key, found.kind, found.name, found.key);
            sorter.push(&key, &entry)
        })?;
    }
    commit_unchecked(write, sorter)
}

pub(super) fn not_followed(school: u64) -> String {
    format!("school {school} is not followed")
}
