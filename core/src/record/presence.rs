//! The collections that contain records, and the check for any record of a school.

use super::kind::Kind;
use crate::error::Result;
use crate::store::{Collection, Key, Partition, Reader, Records, Sources};

/// The collections that contain records, of all kinds.
pub(crate) const RECORDS: Sources = {
    let mut all = Sources::NONE;
    let mut rest: &[Kind] = &Kind::ALL;
    while let [kind, others @ ..] = rest {
        all = all.union(kind.storage().sources());
        rest = others;
    }
    all
};

/// The collections that influence answers without containing records, such as the coverage of a
/// synced school and the state of a follower. They are all collections other than those of
/// records and of a sync's own state, so a new collection is included until it is excluded
/// here.
pub(crate) const STATE: Sources = RECORDS
    .union(Sources::new(&[
        Collection::FetchLog,
        Collection::FetchedRecords,
        Collection::Outbox,
    ]))
    .others();

/// Returns true if a school has any record.
pub(crate) fn has_records(reader: &dyn Reader, school: u64) -> Result<bool> {
    let schools = Records::open(reader, Partition::global(Collection::Schools))?;
    if schools.get(Key::one(school))?.is_some() {
        return Ok(true);
    }
    let [first, .., last] = Collection::ALL;
    let bound = |collection, number| Partition {
        school,
        collection,
        first: number,
        second: number,
    };
    let partitions = reader.partitions(bound(first, 0), bound(last, u64::MAX))?;
    Ok(partitions
        .iter()
        .any(|Partition { collection, .. }| !collection.is_global() && RECORDS.has(*collection)))
}
