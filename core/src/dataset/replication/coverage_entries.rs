//! The coverage of a school, as a feed sends it and as a follower stores it. It does not contain
//! the learners who were erased.

use super::stored_coverage::{
    CoverageValue, CoverageValues, edit_coverage, partitions_with_kinds, values_of,
};
use crate::date::Date;
use crate::error::Result;
use crate::record::replication::coverage_key::{CoverageKey, CoverageKind};
use crate::store::{Partition, Reader, Records, Write};
use std::collections::BTreeMap;

/// A coverage key with the time at which its data was fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CoverageEntry {
    pub(crate) key: CoverageKey,
    /// Seconds since 1970-01-01T00:00:00Z.
    pub(crate) as_of: i64,
    /// The last day, if the coverage key is a range of days.
    pub(crate) to: Option<Date>,
}

/// Returns the partitions that contain the coverage of a school.
pub(crate) fn coverage_partitions(reader: &dyn Reader, school: u64) -> Result<Vec<Partition>> {
    let partitions = partitions_with_kinds(reader, school)?.into_iter();
    Ok(partitions.map(|(partition, _)| partition).collect())
}

/// Returns the entries in a block of such a partition, or `None` if there is no such block.
pub(crate) fn coverage_entries(
    reader: &dyn Reader,
    partition: Partition,
    block: usize,
) -> Result<Option<Vec<CoverageEntry>>> {
    let records = Records::open(reader, partition)?;
    let Some(pinned) = records.pin(block)? else {
        return Ok(None);
    };
    let kind = CoverageKind::numbered(partition.first)?;
    let values = values_of(&pinned.block()?)?.into_iter();
    let entries = values.map(|(key, CoverageValue { as_of, to })| {
        let unit = CoverageKey {
            kind,
            year: partition.second,
            key,
        };
        CoverageEntry {
            key: unit,
            as_of,
            to,
        }
    });
    Ok(Some(entries.collect()))
}

/// Replaces the coverage of a school. Its erased learners remain stored.
pub(crate) fn replace_coverage<'e>(
    write: &mut Write<'_>,
    school: u64,
    entries: impl Iterator<Item = &'e CoverageEntry>,
) -> Result<()> {
    let mut partitions: BTreeMap<Partition, CoverageValues> = BTreeMap::new();
    for partition in coverage_partitions(write, school)? {
        partitions.insert(partition, CoverageValues::new());
    }
    for CoverageEntry {
        key: unit,
        as_of,
        to,
    } in entries
    {
        let values = partitions.entry(unit.partition(school)).or_default();
        let (as_of, to) = (*as_of, *to);
        values.insert(unit.key, CoverageValue { as_of, to });
    }
    for (partition, after) in partitions {
        edit_coverage(write, partition, |values| *values = after)?;
    }
    Ok(())
}
