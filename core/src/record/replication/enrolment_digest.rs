//! Digests of the subjects that each learner takes, which show whose subjects have changed.
//!
//! ```text
//! for each learner: learner · digest
//! ```

use crate::error::Result;
use crate::varint;
use std::collections::BTreeMap;
use twox_hash::XxHash3_64;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct EnrolmentDigests {
    learners: BTreeMap<u64, u64>,
}

impl EnrolmentDigests {
    /// Adds a subject of a learner to the learner's digest.
    pub(crate) fn note(&mut self, learner: u64, subject: u64, name: &str) {
        let digest = self.learners.entry(learner).or_default();
        *digest = XxHash3_64::oneshot_with_seed(*digest ^ subject, name.as_bytes());
    }

    /// Encodes the digests, without those of the learners for which `is_one` returns true.
    pub(crate) fn bytes_without(&self, is_one: impl Fn(u64) -> bool) -> Vec<u8> {
        let mut bytes = Vec::new();
        let learners = self.learners.iter();
        for (learner, digest) in learners.filter(|(learner, _)| !is_one(**learner)) {
            varint::push(&mut bytes, *learner);
            varint::push(&mut bytes, *digest);
        }
        bytes
    }

    pub(crate) fn read(mut bytes: &[u8]) -> Result<EnrolmentDigests> {
        let mut enrolment_digests = EnrolmentDigests::default();
        while !bytes.is_empty() {
            let learner = varint::take(&mut bytes)?;
            enrolment_digests
                .learners
                .insert(learner, varint::take(&mut bytes)?);
        }
        Ok(enrolment_digests)
    }

    /// Returns the learners who take a subject.
    pub(crate) fn learners(&self) -> impl Iterator<Item = u64> {
        self.learners.keys().copied()
    }

    /// Returns true if the subjects of a learner differ from those before.
    pub(crate) fn differs(&self, before: &EnrolmentDigests, learner: u64) -> bool {
        self.learners.get(&learner) != before.learners.get(&learner)
    }
}

#[cfg(test)]
mod tests {
    use crate::record::replication::enrolment_digest::*;

    #[test]
    fn digests_are_decoded_unchanged_and_show_changes() -> Result<()> {
        let enrolment_digests = |of: &[(u64, u64, &str)]| {
            let mut enrolment_digests = EnrolmentDigests::default();
            for (learner, subject, name) in of {
                enrolment_digests.note(*learner, *subject, name);
            }
            enrolment_digests
        };
        let before = enrolment_digests(&[(1, 101, "Maths"), (1, 102, "Art"), (2, 101, "Maths")]);
        let bytes = before.bytes_without(|_| false);
        assert_eq!(EnrolmentDigests::read(&bytes)?, before);
        for other in [
            enrolment_digests(&[(1, 101, "Maths"), (2, 101, "Maths")]),
            enrolment_digests(&[(1, 101, "Maths"), (1, 102, "Arts"), (2, 101, "Maths")]),
            enrolment_digests(&[(2, 101, "Maths")]),
        ] {
            assert!(other.differs(&before, 1) && !other.differs(&before, 2));
        }
        let left = EnrolmentDigests::read(&before.bytes_without(|learner| learner == 2))?;
        assert!(left.differs(&before, 2) && !left.differs(&before, 1));
        let cut = bytes.get(..bytes.len() - 1).unwrap_or_default();
        assert!(EnrolmentDigests::read(cut).is_err());
        Ok(())
    }
}
