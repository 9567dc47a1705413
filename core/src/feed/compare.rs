//! Compares the records of a store with the sums that its source sent in a part of a feed.

use super::feed_lines::RecordChecksum;
use super::record_checksums::ChecksumBuilder;
use crate::dataset::replication::follower_state;
use crate::error::{Error, Result};
use crate::record::replication::erased_learners::ErasedLearners;
use crate::record::replication::position::{FollowerPosition, FollowerState};
use crate::record::replication::scope::Audience;
use crate::store::{Snapshot, Store};
use std::collections::BTreeMap;

/// The comparison to be made after a part.
pub(super) struct Compared {
    /// The position of the store after the part.
    pub(super) at: FollowerPosition,
    /// The sums of the records of the source, by school. `None` means the lists that belong to
    /// no school.
    pub(super) sums: BTreeMap<Option<u64>, RecordChecksum>,
    /// Whether everything was requested again, because of an earlier difference, before the part.
    pub(super) was_resent: bool,
}

impl Compared {
    /// Compares the records of the store with the sums, unless the position of the store has
    /// changed. Fails with `diverged` if they differ.
    pub(super) fn compare(&self, store: &Store) -> Result<()> {
        let is_same = self.sums.is_empty() || store.read(|snapshot| self.is_same(snapshot))?;
        if is_same {
            return Ok(());
        }
        store.write(|write| follower_state::record_divergence(write, &self.at, self.was_resent))?;
        Err(Error::Diverged.into())
    }

    fn is_same(&self, snapshot: &Snapshot) -> Result<bool> {
        let followed = FollowerState::read(snapshot)?;
        let Some(followed) = followed.filter(|followed| followed.position == self.at) else {
            return Ok(true);
        };
        for (school, sum) in &self.sums {
            let own = own_sum(snapshot, &followed, *school)?;
            if own.is_some_and(|own| own != *sum) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Returns the sum of the records that a store has of a school that it follows, or of the lists.
/// Returns `None` for a school from which learners were erased here, because the source may still
/// have them.
fn own_sum(
    snapshot: &Snapshot,
    followed: &FollowerState,
    school: Option<u64>,
) -> Result<Option<RecordChecksum>> {
    let Some(school) = school else {
        // If no school is followed, the lists belong to the app.
        let is_followed = followed.schools().next().is_some();
        let lists = is_followed.then(ChecksumBuilder::of_lists);
        return lists.map(|lists| lists.total(snapshot)).transpose();
    };
    if !ErasedLearners::read(snapshot, school)?.is_empty() {
        return Ok(None);
    }
    let mut own = ChecksumBuilder::of_school(snapshot, school, |_| true)?;
    if snapshot.owners().get(school).has_coverage() {
        own = own.with_coverage(snapshot, Audience::Everybody)?;
    }
    own.total(snapshot).map(Some)
}
