//! The coverage of a synced school: which data was fetched from the service, and when. It is
//! written in the transaction that changes the records of the school.

use super::fetch_log_rows;
use super::stored_fetch_log;
use crate::dataset::keys::partitions_of;
use crate::date::Date;
use crate::error::{Error, Result};
use crate::record::replication::coverage_key::{
    AS_OF_COLUMN, CoverageKey, CoverageKind, TO_COLUMN,
};
use crate::record::replication::erased_learners::{self, ErasedLearners};
use crate::record::replication::fetch_log_entry::FetchState;
use crate::record::replication::position::FollowerState;
use crate::store::{
    Block, Collection, Decision, Edits, Item, ItemBuffer, Key, Partition, Reader, Records,
    SchoolOwner, Snapshot, Write,
};
use std::collections::{BTreeMap, BTreeSet};

/// The coverage of a synced school: which data was fetched from the service.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Coverage {
    /// The time at which the oldest data was fetched, in seconds since 1970-01-01T00:00:00Z, or
    /// `None` if no data was.
    pub as_of: Option<i64>,
    /// The fetched data, kind by kind.
    pub seen: Vec<Covered>,
    /// The number of erased learners, which a sync does not add again.
    pub erased: u64,
}

/// One kind of data of a school that was fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Covered {
    /// The name of the kind, as in the message of `not_synced`: `the current learners`.
    pub what: &'static str,
    /// The administrative year, if the data is of one year.
    pub year: Option<u64>,
    /// The first and the last day, if the data is of a range of days.
    pub days: Option<(Date, Date)>,
    /// The number of learners or grades whose data was fetched; 1 for other kinds.
    pub count: u64,
    /// The time at which the oldest of this data was fetched, in seconds since
    /// 1970-01-01T00:00:00Z.
    pub as_of: i64,
}

/// Fetched data to be added to the coverage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CoverageAddition {
    /// All data of a coverage key.
    Whole(CoverageKey),
    /// All days from the first date to the second, both included.
    Days(CoverageKind, Date, Date),
}

/// The stored value of a coverage key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CoverageValue {
    /// Seconds since 1970-01-01T00:00:00Z.
    pub(crate) as_of: i64,
    /// The last day, if the coverage key is a range of days.
    pub(crate) to: Option<Date>,
}

/// Marks a school as synced, and adds fetched data to its coverage.
pub(crate) fn add_coverage(
    write: &mut Write<'_>,
    school: u64,
    additions: &[CoverageAddition],
    as_of: i64,
) -> Result<()> {
    write.set_owner(school, SchoolOwner::Service);
    let mut partitions: BTreeMap<Partition, Vec<CoverageAddition>> = BTreeMap::new();
    for one in additions {
        let coverage_key = match *one {
            CoverageAddition::Whole(coverage_key) => coverage_key,
            CoverageAddition::Days(kind, from, _) => CoverageKey::from(kind, from),
        };
        let of = partitions
            .entry(coverage_key.partition(school))
            .or_default();
        of.push(*one);
    }
    for (partition, additions) in partitions {
        edit_coverage(write, partition, |values| {
            for one in &additions {
                match *one {
                    CoverageAddition::Whole(coverage_key) => {
                        values.insert(coverage_key.key, CoverageValue { as_of, to: None });
                    }
                    CoverageAddition::Days(_, from, to) => add_days(values, from, to, as_of),
                }
            }
        })?;
    }
    Ok(())
}

/// Removes coverage keys, because their data is no longer known to be complete.
pub(crate) fn remove_coverage(
    write: &mut Write<'_>,
    school: u64,
    coverage_keys: &[CoverageKey],
) -> Result<()> {
    for coverage_key in coverage_keys {
        edit_coverage(write, coverage_key.partition(school), |values| {
            values.remove(&coverage_key.key);
        })?;
    }
    Ok(())
}

/// Limits the coverage of a kind of data that is fetched by ranges of days to these ranges.
pub(crate) fn retain_days(
    write: &mut Write<'_>,
    school: u64,
    kind: CoverageKind,
    days: &[(Date, Date)],
) -> Result<()> {
    edit_coverage(write, CoverageKey::new(kind).partition(school), |values| {
        for (key, value) in std::mem::take(values) {
            let Some((start, end)) = Date::from_number(key.0).zip(value.to) else {
                continue;
            };
            for (from, to) in days {
                add_days(values, start.max(*from), end.min(*to), value.as_of);
            }
        }
    })
}

/// Returns the coverage keys of a school. The key of a range of days contains its first day.
pub(crate) fn coverage_keys(reader: &dyn Reader, school: u64) -> Result<BTreeSet<CoverageKey>> {
    let mut coverage_keys = BTreeSet::new();
    for (partition, kind) in partitions_with_kinds(reader, school)? {
        let year = partition.second;
        let keys = read(reader, partition)?.into_keys();
        coverage_keys.extend(keys.map(|key| CoverageKey { kind, year, key }));
    }
    Ok(coverage_keys)
}

/// Makes the app the owner of a school, and removes its coverage. The records remain, and can be
/// changed like any others. Erased learners are not added again if the school is synced again.
pub(crate) fn end_sync(write: &mut Write<'_>, school: u64) -> Result<()> {
    write.set_owner(school, SchoolOwner::App);
    stored_fetch_log::remove_collections(write, school, &[Collection::Coverage])
}

/// Makes the app the owner of a school, and removes its coverage and its erased learners.
pub(crate) fn remove(write: &mut Write<'_>, school: u64) -> Result<()> {
    end_sync(write, school)?;
    stored_fetch_log::remove_collections(write, school, &[Collection::ErasedLearners])
}

/// Removes the coverage of a learner, and stores a digest of the learner, so that a later sync or
/// feed does not add the learner again. Neither the id nor the name is stored. In a school of the
/// app it does nothing, unless a sync of the school has begun, or the store follows another one.
pub(crate) fn erase_learner(write: &mut Write<'_>, school: u64, learner: u64) -> Result<()> {
    // The first pass of a sync, or the first feed with the school, may not have set the owner yet.
    if write.owners().get(school).is_app()
        && !stored_fetch_log::is_begun(write, school)?
        && FollowerState::read(write)?.is_none()
    {
        return Ok(());
    }
    for (partition, kind) in partitions_with_kinds(write, school)? {
        if kind.is_of_learner() {
            edit_coverage(write, partition, |values| {
                values.remove(&Key::one(learner));
            })?;
        }
    }
    let erased = erased_learners::digest(&write.cursor_key()?, school, learner);
    let row = [(erased, Some(Vec::new()))];
    fetch_log_rows::change(write, erased_learners::partition(school), row.into())
}

/// Returns the partitions that contain the coverage of a school, each with the kind of its data.
pub(crate) fn partitions_with_kinds(
    reader: &dyn Reader,
    school: u64,
) -> Result<Vec<(Partition, CoverageKind)>> {
    let mut partitions = Vec::new();
    for partition in partitions_of(reader, school)? {
        if partition.collection == Collection::Coverage {
            partitions.push((partition, CoverageKind::numbered(partition.first)?));
        }
    }
    Ok(partitions)
}

/// Returns the coverage of a school, or `None` if the school is not synced.
pub(crate) fn of_school(snapshot: &Snapshot, school: u64) -> Result<Option<Coverage>> {
    if snapshot.owners().get(school).is_app() {
        return Ok(None);
    }
    let mut coverage = Coverage {
        erased: ErasedLearners::read(snapshot, school)?.count(),
        ..Coverage::default()
    };
    let rows = stored_fetch_log::rows(snapshot, school)?;
    // If the clock was ahead in an earlier pass, its times are later than those of the last pass.
    let newest = rows.values().map(|row| (row.pass, row.asked_at)).max();
    let newest = newest.map_or(i64::MAX, |(_, asked_at)| asked_at);
    for (partition, kind) in partitions_with_kinds(snapshot, school)? {
        let mut values = read(snapshot, partition)?;
        let count = values.len() as u64;
        for (key, value) in &mut values {
            let (key, year) = (*key, partition.second);
            let since = fetched_since(&rows, CoverageKey { kind, year, key }, value.to);
            let as_of = since.map_or(value.as_of, |since| since.max(value.as_of));
            value.as_of = as_of.min(newest);
        }
        let Some(as_of) = values.values().map(|value| value.as_of).min() else {
            continue;
        };
        coverage.as_of = Some(coverage.as_of.map_or(as_of, |oldest| oldest.min(as_of)));
        let covered = |days, count, as_of| Covered {
            what: kind.name(),
            year: Some(partition.second).filter(|year| *year > 0),
            days,
            count,
            as_of,
        };
        if !kind.is_of_days() {
            coverage.seen.push(covered(None, count, as_of));
            continue;
        }
        for (key, value) in values {
            let days = Date::from_number(key.0).zip(value.to);
            coverage.seen.push(covered(days, 1, value.as_of));
        }
    }
    Ok(Some(coverage))
}

/// Returns the time at which the data of a coverage key was last fetched: the oldest time of the
/// answers from which it is derived. An unchanged answer updates only the fetch log, not the
/// coverage.
fn fetched_since(
    rows: &stored_fetch_log::FetchLog,
    coverage_key: CoverageKey,
    to: Option<Date>,
) -> Option<i64> {
    let kinds: &[CoverageKind] = match coverage_key.kind {
        CoverageKind::LearnersParents => &[
            CoverageKind::CurrentLearners,
            CoverageKind::WaitlistLearners,
        ],
        CoverageKind::LearnersOwnSubjects => &[CoverageKind::SubjectsPerTerm],
        kind => &[kind],
    };
    // The answer about all learners shows only which of these have changed.
    let mut per_term = rows
        .iter()
        .filter(|(of, _)| of.kind == CoverageKind::SubjectsPerTerm);
    if coverage_key.kind == CoverageKind::LearnerSubjects
        && per_term.any(|(_, row)| row.state.is_quarantined())
    {
        return None;
    }
    let mut oldest = None;
    for kind in kinds {
        let last = to.map_or(coverage_key.key.0, Date::number);
        // A request for the current year does not name the year, so that its row has the year 0.
        let of = [0, coverage_key.year].map(|year| {
            let first = CoverageKey {
                kind: *kind,
                year,
                ..coverage_key
            };
            let key = Key(last, u64::MAX);
            let rows = rows.range(first..=CoverageKey { key, ..first });
            let rows = rows.filter(|(_, row)| {
                matches!(
                    row.state,
                    FetchState::Published | FetchState::IndicationOnly
                ) && row.year.is_none_or(|of| of == coverage_key.year)
            });
            rows.map(|(_, row)| row.asked_at).min()
        });
        let since = of.into_iter().flatten().max()?;
        oldest = Some(oldest.map_or(since, |oldest: i64| oldest.min(since)));
    }
    oldest
}

pub(crate) type CoverageValues = BTreeMap<Key, CoverageValue>;

/// Adds a range of days. The range replaces earlier ranges where they overlap, and adjacent ranges
/// that were fetched at the same time are joined.
fn add_days(values: &mut CoverageValues, from: Date, to: Date, as_of: i64) {
    if from > to {
        return;
    }
    let mut ranges: Vec<(Date, CoverageValue)> = Vec::new();
    for (key, value) in std::mem::take(values) {
        let (Some(start), Some(end)) = (Date::from_number(key.0), value.to) else {
            continue;
        };
        if start < from {
            let end = end.min(from.days_before(1));
            ranges.push((
                start,
                CoverageValue {
                    to: Some(end),
                    ..value
                },
            ));
        }
        if end > to {
            ranges.push((start.max(to.days_after(1)), value));
        }
    }
    let to = Some(to);
    ranges.push((from, CoverageValue { as_of, to }));
    ranges.sort_unstable_by_key(|(start, _)| *start);
    let mut last: Option<(Date, CoverageValue)> = None;
    for (start, value) in ranges {
        if let Some((_, before)) = &mut last
            && before.as_of == value.as_of
            && before.to.is_some_and(|to| to.days_after(1) >= start)
        {
            before.to = value.to;
            continue;
        }
        if let Some((start, value)) = last.replace((start, value)) {
            values.insert(Key::one(start.number()), value);
        }
    }
    values.extend(last.map(|(start, value)| (Key::one(start.number()), value)));
}

/// Changes the coverage in a partition.
pub(crate) fn edit_coverage(
    write: &mut Write<'_>,
    partition: Partition,
    change: impl FnOnce(&mut CoverageValues),
) -> Result<()> {
    let before = read(write, partition)?;
    let mut after = before.clone();
    change(&mut after);
    let mut changed: BTreeMap<Key, Option<CoverageValue>> = BTreeMap::new();
    for (key, value) in &after {
        if before.get(key) != Some(value) {
            changed.insert(*key, Some(*value));
        }
    }
    changed.extend(
        before
            .keys()
            .filter(|key| !after.contains_key(key))
            .map(|key| (*key, None)),
    );
    write.merge(partition, &mut CoverageEdits(changed))
}

fn read(reader: &dyn Reader, partition: Partition) -> Result<CoverageValues> {
    let mut values = CoverageValues::new();
    for pinned in Records::open(reader, partition)?.between(Key::MIN, Key::MAX) {
        let (pinned, _) = pinned?;
        values.extend(values_of(&pinned.block()?)?);
    }
    Ok(values)
}

/// Returns the coverage in a block.
pub(crate) fn values_of(block: &Block<'_>) -> Result<CoverageValues> {
    let entry = |(index, key)| {
        let as_of = block
            .filter_column(AS_OF_COLUMN, index)?
            .map(u64::cast_signed);
        let as_of = as_of.ok_or_else(|| Error::corrupt("a coverage key has no time"))?;
        let to = block
            .filter_column(TO_COLUMN, index)?
            .and_then(Date::from_number);
        Ok((key, CoverageValue { as_of, to }))
    };
    block.keys().enumerate().map(entry).collect()
}

struct CoverageEdits(BTreeMap<Key, Option<CoverageValue>>);

impl Edits for CoverageEdits {
    fn next_key(&mut self) -> Result<Option<Key>> {
        Ok(self.0.first_key_value().map(|(key, _)| *key))
    }

    fn edit(&mut self, _: Option<Item<'_>>, new: &mut ItemBuffer) -> Result<Decision> {
        let Some((_, Some(value))) = self.0.pop_first() else {
            return Ok(Decision::Remove);
        };
        new.clear();
        new.set_filter_column(AS_OF_COLUMN, Some(value.as_of.cast_unsigned()));
        new.set_filter_column(TO_COLUMN, value.to.map(Date::number));
        Ok(Decision::Put)
    }
}

#[cfg(test)]
mod tests;
