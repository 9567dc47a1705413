//! The erased learners of a school, whose data is not accepted any more. A digest of each learner
//! is stored instead of the id. It remains when the school is no longer synced.

use crate::error::Result;
use crate::store::{Collection, CursorKey, Key, Partition, Reader, Records, Snapshot, Write};
use siphasher::sip128::{Hasher128, SipHasher24};
use std::collections::BTreeSet;
use std::hash::Hasher;

/// Returns the partition of the erased learners of a school.
pub(crate) const fn partition(school: u64) -> Partition {
    Partition::new(school, Collection::ErasedLearners)
}

/// Returns the key of an erased learner: a digest under the store's own secret key.
pub(crate) fn digest(key: &CursorKey, school: u64, learner: u64) -> Key {
    let mut hasher = SipHasher24::new_with_key(key);
    hasher.write(b"erased");
    hasher.write(&school.to_le_bytes());
    hasher.write(&learner.to_le_bytes());
    let digest = hasher.finish128();
    Key(digest.h1, digest.h2)
}

/// Returns whether a learner was erased.
pub(crate) fn is_erased(snapshot: &Snapshot, school: u64, learner: u64) -> Result<bool> {
    let all = snapshot.records(partition(school))?;
    let erased = digest(snapshot.cursor_key(), school, learner);
    Ok(all.get(erased)?.is_some())
}

/// The erased learners of a school. Their records in answers of the service and in feeds are
/// discarded.
#[derive(PartialEq, Eq)]
pub(crate) struct ErasedLearners {
    key: CursorKey,
    school: u64,
    digests: BTreeSet<Key>,
}

impl ErasedLearners {
    pub(crate) fn read_for_write(write: &Write<'_>, school: u64) -> Result<ErasedLearners> {
        ErasedLearners::under(write.cursor_key()?, write, school)
    }

    pub(crate) fn read(snapshot: &Snapshot, school: u64) -> Result<ErasedLearners> {
        ErasedLearners::under(*snapshot.cursor_key(), snapshot, school)
    }

    /// Reads the erased learners of a school. Their digests were made with `key`, the cursor key of
    /// the store.
    fn under(key: CursorKey, reader: &dyn Reader, school: u64) -> Result<ErasedLearners> {
        let digests = Records::open(reader, partition(school))?.keys(Key::MIN, Key::MAX)?;
        Ok(ErasedLearners {
            key,
            school,
            digests: digests.into_iter().collect(),
        })
    }

    pub(crate) fn count(&self) -> u64 {
        self.digests.len() as u64
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.digests.is_empty()
    }

    pub(crate) fn has(&self, learner: u64) -> bool {
        self.digests
            .contains(&digest(&self.key, self.school, learner))
    }
}
