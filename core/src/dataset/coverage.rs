//! Writing down what was seen of a school that sync keeps, in the transaction that
//! changes its records.

use super::keys::partitions_of;
use super::ledger;
use crate::date::Date;
use crate::error::{Error, Result};
use crate::record::coverage::{AS_OF_TAG, Part, TO_TAG, Unit};
use crate::record::ledger::State;
#[cfg(any(test, feature = "sync"))]
use crate::store::CursorKey;
use crate::store::{
    Collection, Decision, Edits, Item, ItemBuffer, Key, Partition, Reader, Records, Snapshot, Write,
};
use std::collections::{BTreeMap, BTreeSet};

/// What was seen of a school that is synced.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Coverage {
    /// When the oldest of it was seen, in seconds since 1970-01-01T00:00:00Z; nothing if
    /// nothing was.
    pub as_of: Option<i64>,
    /// What was seen, kind by kind.
    pub seen: Vec<Covered>,
    /// How many learners were erased, whom sync does not bring back.
    pub erased: u64,
}

/// A kind of what was seen of a school.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Covered {
    /// What it is, as `not_synced` calls it: `the current learners`.
    pub what: &'static str,
    /// The administrative year, of what is of one year.
    pub year: Option<u64>,
    /// The first and the last day, of what is of days.
    pub days: Option<(Date, Date)>,
    /// Of how many learners, grades, or terms of a grade it was seen; 1 of all else.
    pub count: u64,
    /// When the oldest of it was seen, in seconds since 1970-01-01T00:00:00Z.
    pub as_of: i64,
}

/// What was seen, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seen {
    /// A unit as a whole.
    Whole(Unit),
    /// All days from one to another, both included.
    Days(Part, Date, Date),
}

/// What is kept of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Kept {
    /// Seconds since 1970-01-01T00:00:00Z.
    as_of: i64,
    /// The last of its days, if it is of days.
    to: Option<Date>,
}

/// Marks a school as synced, and what was seen of it.
pub(crate) fn see(write: &mut Write<'_>, school: u64, seen: &[Seen], as_of: i64) -> Result<()> {
    write.set_synced(school, true)?;
    let mut partitions: BTreeMap<Partition, Vec<Seen>> = BTreeMap::new();
    for one in seen {
        let unit = match *one {
            Seen::Whole(unit) => unit,
            Seen::Days(part, from, _) => Unit::from(part, from),
        };
        let of = partitions.entry(unit.partition(school)).or_default();
        of.push(*one);
    }
    for (partition, seen) in partitions {
        change(write, partition, |units| {
            for one in &seen {
                match *one {
                    Seen::Whole(unit) => {
                        units.insert(unit.key, Kept { as_of, to: None });
                    }
                    Seen::Days(_, from, to) => see_days(units, from, to, as_of),
                }
            }
        })?;
    }
    Ok(())
}

/// What was seen once and can no longer be said to be.
pub(crate) fn unsee(write: &mut Write<'_>, school: u64, units: &[Unit]) -> Result<()> {
    for unit in units {
        change(write, unit.partition(school), |units| {
            units.remove(&unit.key);
        })?;
    }
    Ok(())
}

/// All that was seen of a school; of days where they begin.
pub(crate) fn units(reader: &dyn Reader, school: u64) -> Result<BTreeSet<Unit>> {
    let mut units = BTreeSet::new();
    for partition in partitions_of(reader, school)? {
        if partition.collection == Collection::Coverage {
            let (part, year) = (Part::numbered(partition.a)?, partition.b);
            if part == Part::Erased {
                continue;
            }
            let keys = read(reader, partition)?.into_keys();
            units.extend(keys.map(|key| Unit { part, year, key }));
        }
    }
    Ok(units)
}

/// The school is no longer synced: what it has are records like any others. Who was
/// erased does not come back if it is synced again.
pub(crate) fn forget(write: &mut Write<'_>, school: u64) -> Result<()> {
    for (partition, part) in parts(write, school)? {
        if part != Part::Erased {
            change(write, partition, BTreeMap::clear)?;
        }
    }
    write.set_synced(school, false)
}

/// What was seen, unit by unit, as a feed hands it on. Who was erased is not among it.
#[cfg(feature = "sync")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) unit: Unit,
    /// Seconds since 1970-01-01T00:00:00Z.
    pub(crate) as_of: i64,
    /// The last of its days, if it is of days.
    pub(crate) to: Option<Date>,
}

/// All that was seen of a school.
#[cfg(feature = "sync")]
pub(crate) fn told(reader: &dyn Reader, school: u64) -> Result<Vec<Told>> {
    let mut told = Vec::new();
    for (partition, part) in parts(reader, school)? {
        if part == Part::Erased {
            continue;
        }
        let units = read(reader, partition)?.into_iter();
        told.extend(units.map(|(key, Kept { as_of, to })| {
            let unit = Unit {
                part,
                year: partition.b,
                key,
            };
            Told { unit, as_of, to }
        }));
    }
    Ok(told)
}

/// What was seen of a school is this and nothing else; who was erased stays so.
#[cfg(feature = "sync")]
pub(crate) fn tell(write: &mut Write<'_>, school: u64, told: &[Told]) -> Result<()> {
    let mut partitions: BTreeMap<Partition, Units> = BTreeMap::new();
    for (partition, part) in parts(write, school)? {
        if part != Part::Erased {
            partitions.insert(partition, Units::new());
        }
    }
    for Told { unit, as_of, to } in told {
        let units = partitions.entry(unit.partition(school)).or_default();
        let (as_of, to) = (*as_of, *to);
        units.insert(unit.key, Kept { as_of, to });
    }
    for (partition, after) in partitions {
        change(write, partition, |units| *units = after)?;
    }
    Ok(())
}

/// Nothing is left of the school: neither was anybody erased.
pub(crate) fn remove(write: &mut Write<'_>, school: u64) -> Result<()> {
    for (partition, _) in parts(write, school)? {
        change(write, partition, BTreeMap::clear)?;
    }
    write.set_synced(school, false)
}

/// Of a learner of a school that is synced nothing is told any more, and nothing comes
/// back: neither id nor name is kept for that.
pub(crate) fn erase_learner(write: &mut Write<'_>, school: u64, learner: u64) -> Result<()> {
    // A first pass may be under way.
    if !write.is_synced(school)? && !ledger::is_begun(write, school)? {
        return Ok(());
    }
    for (partition, part) in parts(write, school)? {
        if part.is_of_learner() {
            change(write, partition, |units| {
                units.remove(&Key::one(learner));
            })?;
        }
    }
    let erased = Unit::erased(&write.cursor_key()?, school, learner);
    change(write, erased.partition(school), |units| {
        let (as_of, to) = (0, None);
        units.insert(erased.key, Kept { as_of, to });
    })
}

/// Who was erased from a school, so that what the service tells of them is left out.
#[cfg(any(test, feature = "sync"))]
#[derive(PartialEq, Eq)]
pub(crate) struct Erased {
    key: CursorKey,
    school: u64,
    digests: BTreeSet<Key>,
}

#[cfg(any(test, feature = "sync"))]
impl Erased {
    pub(crate) fn of(write: &Write<'_>, school: u64) -> Result<Erased> {
        Erased::under(write.cursor_key()?, write, school)
    }

    /// Those whose digests are made under this key, which is the store's own.
    pub(crate) fn under(key: CursorKey, reader: &dyn Reader, school: u64) -> Result<Erased> {
        let all = Unit::of(Part::Erased).partition(school);
        let digests = read(reader, all)?.into_keys().collect();
        Ok(Erased {
            key,
            school,
            digests,
        })
    }

    pub(crate) fn is_nobody(&self) -> bool {
        self.digests.is_empty()
    }

    pub(crate) fn has(&self, learner: u64) -> bool {
        let erased = Unit::erased(&self.key, self.school, learner);
        self.digests.contains(&erased.key)
    }
}

/// The partitions of what was seen of a school, each with its part.
fn parts(reader: &dyn Reader, school: u64) -> Result<Vec<(Partition, Part)>> {
    let mut parts = Vec::new();
    for partition in partitions_of(reader, school)? {
        if partition.collection == Collection::Coverage {
            parts.push((partition, Part::numbered(partition.a)?));
        }
    }
    Ok(parts)
}

/// What was seen of a school, if it is synced.
pub(crate) fn of_school(snapshot: &Snapshot, school: u64) -> Result<Option<Coverage>> {
    if !snapshot.is_synced(school) {
        return Ok(None);
    }
    let mut coverage = Coverage::default();
    let rows = ledger::rows(snapshot, school)?;
    for (partition, part) in parts(snapshot, school)? {
        let mut units = read(snapshot, partition)?;
        let count = units.len() as u64;
        if part == Part::Erased {
            coverage.erased += count;
            continue;
        }
        for (key, kept) in &mut units {
            let (key, year) = (*key, partition.b);
            let since = seen_since(&rows, Unit { part, year, key }, kept.to);
            kept.as_of = since.map_or(kept.as_of, |since| since.max(kept.as_of));
        }
        let Some(as_of) = units.values().map(|kept| kept.as_of).min() else {
            continue;
        };
        coverage.as_of = Some(coverage.as_of.map_or(as_of, |oldest| oldest.min(as_of)));
        let covered = |days, count, as_of| Covered {
            what: part.name(),
            year: Some(partition.b).filter(|year| *year > 0),
            days,
            count,
            as_of,
        };
        if !part.is_of_days() {
            coverage.seen.push(covered(None, count, as_of));
            continue;
        }
        for (key, kept) in units {
            let days = Date::from_number(key.0).zip(kept.to);
            coverage.seen.push(covered(days, 1, kept.as_of));
        }
    }
    Ok(Some(coverage))
}

/// When answers that a unit follows from were as before, the oldest of them: that is
/// written down of each answer alone.
fn seen_since(rows: &ledger::Rows, unit: Unit, to: Option<Date>) -> Option<i64> {
    let parts: &[Part] = match unit.part {
        Part::LearnersParents => &[Part::CurrentLearners, Part::WaitlistLearners],
        Part::LearnersOwnSubjects => &[Part::SubjectsPerTerm],
        Part::LearnersDebtors => &[Part::OpenAccounts, Part::AllAccounts],
        part => &[part],
    };
    let mut oldest = None;
    for part in parts {
        let last = to.map_or(unit.key.0, Date::number);
        // Who asks of the current year names none.
        let of = [0, unit.year].map(|year| {
            let first = Unit {
                part: *part,
                year,
                ..unit
            };
            let key = Key(last, u64::MAX);
            let rows = rows.range(first..=Unit { key, ..first });
            let rows = rows.filter(|(_, row)| {
                row.state == State::Kept && row.year.is_none_or(|of| of == unit.year)
            });
            rows.map(|(_, row)| row.asked_at).min()
        });
        let since = of.into_iter().flatten().max()?;
        oldest = Some(oldest.map_or(since, |oldest: i64| oldest.min(since)));
    }
    oldest
}

type Units = BTreeMap<Key, Kept>;

/// Adds days; what was seen before of the same days gives way, and neighbours that
/// were seen at one time become one.
fn see_days(units: &mut Units, from: Date, to: Date, as_of: i64) {
    if from > to {
        return;
    }
    let mut ranges: Vec<(Date, Kept)> = Vec::new();
    for (key, kept) in std::mem::take(units) {
        let (Some(start), Some(end)) = (Date::from_number(key.0), kept.to) else {
            continue;
        };
        if start < from {
            let end = end.min(from.days_before(1));
            ranges.push((
                start,
                Kept {
                    to: Some(end),
                    ..kept
                },
            ));
        }
        if end > to {
            ranges.push((start.max(to.days_after(1)), kept));
        }
    }
    let to = Some(to);
    ranges.push((from, Kept { as_of, to }));
    ranges.sort_unstable_by_key(|(start, _)| *start);
    let mut last: Option<(Date, Kept)> = None;
    for (start, kept) in ranges {
        if let Some((_, before)) = &mut last
            && before.as_of == kept.as_of
            && before.to.is_some_and(|to| to.days_after(1) >= start)
        {
            before.to = kept.to;
            continue;
        }
        if let Some((start, kept)) = last.replace((start, kept)) {
            units.insert(Key::one(start.number()), kept);
        }
    }
    units.extend(last.map(|(start, kept)| (Key::one(start.number()), kept)));
}

/// Changes the units of a partition.
fn change(
    write: &mut Write<'_>,
    partition: Partition,
    change: impl FnOnce(&mut Units),
) -> Result<()> {
    let before = read(write, partition)?;
    let mut after = before.clone();
    change(&mut after);
    let mut changed: BTreeMap<Key, Option<Kept>> = BTreeMap::new();
    for (key, kept) in &after {
        if before.get(key) != Some(kept) {
            changed.insert(*key, Some(*kept));
        }
    }
    changed.extend(
        before
            .keys()
            .filter(|key| !after.contains_key(key))
            .map(|key| (*key, None)),
    );
    if !changed.is_empty() {
        write.touch_coverage(partition.school);
    }
    write.merge(partition, &mut UnitEdits(changed))
}

fn read(reader: &dyn Reader, partition: Partition) -> Result<Units> {
    let mut units = Units::new();
    for pinned in Records::open(reader, partition)?.all() {
        let (pinned, indices) = pinned?;
        let run = pinned.run()?;
        for index in indices {
            let as_of = run.tag(AS_OF_TAG, index)?.map(u64::cast_signed);
            let as_of = as_of.ok_or_else(|| Error::corrupt("a unit was seen at no time"))?;
            let to = run.tag(TO_TAG, index)?.and_then(Date::from_number);
            units.insert(run.key(index)?, Kept { as_of, to });
        }
    }
    Ok(units)
}

struct UnitEdits(BTreeMap<Key, Option<Kept>>);

impl Edits for UnitEdits {
    fn next_key(&mut self) -> Result<Option<Key>> {
        Ok(self.0.first_key_value().map(|(key, _)| *key))
    }

    fn edit(&mut self, _: Option<Item<'_>>, new: &mut ItemBuffer) -> Result<Decision> {
        let Some((_, Some(kept))) = self.0.pop_first() else {
            return Ok(Decision::Remove);
        };
        new.clear();
        new.set_tag(AS_OF_TAG, Some(kept.as_of.cast_unsigned()));
        new.set_tag(TO_TAG, kept.to.map(Date::number));
        Ok(Decision::Put)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Date {
        text.parse().unwrap_or(Date::MIN)
    }

    fn told(units: &Units) -> Vec<String> {
        let told = |(key, kept): (&Key, &Kept)| {
            let from = Date::from_number(key.0).unwrap_or(Date::MIN);
            let to = kept.to.unwrap_or(Date::MIN);
            format!("{from} {to} {}", kept.as_of)
        };
        units.iter().map(told).collect()
    }

    #[test]
    fn days_give_way_to_those_that_were_seen_later() {
        let mut units = Units::new();
        let mut see = |from, to, as_of| {
            see_days(&mut units, day(from), day(to), as_of);
            told(&units)
        };
        assert_eq!(see("2026-01-02", "2026-01-01", 1), [""; 0]);
        assert_eq!(
            see("2026-01-01", "2026-01-31", 1),
            ["2026-01-01 2026-01-31 1"]
        );
        // Neighbours of one time are one; those of another stay by themselves.
        assert_eq!(
            see("2026-02-01", "2026-02-28", 1),
            ["2026-01-01 2026-02-28 1"]
        );
        assert_eq!(
            see("2026-01-10", "2026-01-20", 2),
            [
                "2026-01-01 2026-01-09 1",
                "2026-01-10 2026-01-20 2",
                "2026-01-21 2026-02-28 1"
            ]
        );
        assert_eq!(
            see("2026-01-15", "2026-03-01", 3),
            [
                "2026-01-01 2026-01-09 1",
                "2026-01-10 2026-01-14 2",
                "2026-01-15 2026-03-01 3"
            ]
        );
        assert_eq!(
            see("0001-01-01", "9999-12-31", 4),
            ["0001-01-01 9999-12-31 4"]
        );
    }
}
