//! Of whom the subjects have changed: who takes which, as a digest a learner.
//!
//! ```text
//! for each learner: learner · digest
//! ```

use crate::dataset::coverage::Erased;
use crate::error::Result;
use crate::record::varint;
use std::collections::BTreeMap;
use twox_hash::XxHash3_64;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Hints {
    learners: BTreeMap<u64, u64>,
}

impl Hints {
    /// A learner takes a subject.
    pub(super) fn note(&mut self, learner: u64, subject: u64, name: &str) {
        let digest = self.learners.entry(learner).or_default();
        *digest = XxHash3_64::oneshot_with_seed(*digest ^ subject, name.as_bytes());
    }

    pub(super) fn bytes(&self, erased: &Erased) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (learner, digest) in &self.learners {
            if !erased.has(*learner) {
                varint::push(&mut bytes, *learner);
                varint::push(&mut bytes, *digest);
            }
        }
        bytes
    }

    pub(super) fn read(mut bytes: &[u8]) -> Result<Hints> {
        let mut hints = Hints::default();
        while !bytes.is_empty() {
            let learner = varint::take(&mut bytes)?;
            hints.learners.insert(learner, varint::take(&mut bytes)?);
        }
        Ok(hints)
    }

    /// Whether a learner takes others than before.
    pub(super) fn differs(&self, before: &Hints, learner: u64) -> bool {
        self.learners.get(&learner) != before.learners.get(&learner)
    }
}
