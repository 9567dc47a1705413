//! Of whom the subjects have changed: who takes which, as a digest a learner.
//!
//! ```text
//! for each learner: learner · digest
//! ```

use super::varint;
use crate::error::Result;
use std::collections::BTreeMap;
use twox_hash::XxHash3_64;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Hints {
    learners: BTreeMap<u64, u64>,
}

impl Hints {
    /// A learner takes a subject.
    pub(crate) fn note(&mut self, learner: u64, subject: u64, name: &str) {
        let digest = self.learners.entry(learner).or_default();
        *digest = XxHash3_64::oneshot_with_seed(*digest ^ subject, name.as_bytes());
    }

    /// Nothing is known of these learners any more.
    pub(crate) fn leave_out(&mut self, is_one: impl Fn(u64) -> bool) {
        self.learners.retain(|learner, _| !is_one(*learner));
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (learner, digest) in &self.learners {
            varint::push(&mut bytes, *learner);
            varint::push(&mut bytes, *digest);
        }
        bytes
    }

    pub(crate) fn read(mut bytes: &[u8]) -> Result<Hints> {
        let mut hints = Hints::default();
        while !bytes.is_empty() {
            let learner = varint::take(&mut bytes)?;
            hints.learners.insert(learner, varint::take(&mut bytes)?);
        }
        Ok(hints)
    }

    /// Whether a learner takes others than before.
    pub(crate) fn differs(&self, before: &Hints, learner: u64) -> bool {
        self.learners.get(&learner) != before.learners.get(&learner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_of_each_comes_back_and_tells_changes() -> Result<()> {
        let hints = |of: &[(u64, u64, &str)]| {
            let mut hints = Hints::default();
            for (learner, subject, name) in of {
                hints.note(*learner, *subject, name);
            }
            hints
        };
        let before = hints(&[(1, 101, "Maths"), (1, 102, "Art"), (2, 101, "Maths")]);
        assert_eq!(Hints::read(&before.bytes())?, before);
        for other in [
            hints(&[(1, 101, "Maths"), (2, 101, "Maths")]),
            hints(&[(1, 101, "Maths"), (1, 102, "Arts"), (2, 101, "Maths")]),
            hints(&[(2, 101, "Maths")]),
        ] {
            assert!(other.differs(&before, 1) && !other.differs(&before, 2));
        }
        let mut left = before.clone();
        left.leave_out(|learner| learner == 2);
        assert!(left.differs(&before, 2) && !left.differs(&before, 1));
        let bytes = before.bytes();
        let cut = bytes.get(..bytes.len() - 1).unwrap_or_default();
        assert!(Hints::read(cut).is_err());
        Ok(())
    }
}
