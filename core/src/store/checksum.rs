//! Checksums of rows. redb returns the content of a page without checking that it is what was
//! written there.

use twox_hash::XxHash3_64;

/// Returns the checksum of a row. The key is included, so that the row of one key is not accepted
/// for another.
pub(crate) fn compute(key: &[u8], value: &[u8]) -> u64 {
    XxHash3_64::oneshot_with_seed(XxHash3_64::oneshot(key), value)
}

/// The sum of the checksums of a set of rows. It does not depend on the order in which rows are
/// added and removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Digest(u64);

impl Digest {
    pub(crate) const BYTES: usize = size_of::<u64>();

    pub(crate) fn decode(bytes: [u8; Self::BYTES]) -> Digest {
        Digest(u64::from_le_bytes(bytes))
    }

    pub(crate) fn encode(self) -> [u8; Self::BYTES] {
        self.0.to_le_bytes()
    }

    pub(crate) fn add(&mut self, key: &[u8], value: &[u8]) {
        self.0 = self.0.wrapping_add(compute(key, value));
    }

    pub(crate) fn remove(&mut self, key: &[u8], value: &[u8]) {
        self.0 = self.0.wrapping_sub(compute(key, value));
    }

    pub(crate) fn without(self, other: Digest) -> Digest {
        Digest(self.0.wrapping_sub(other.0))
    }

    /// Returns the sum of both digests.
    pub(crate) fn with(self, other: Digest) -> Digest {
        Digest(self.0.wrapping_add(other.0))
    }
}

#[cfg(test)]
mod tests {
    use crate::store::checksum::*;

    #[test]
    fn a_checksum_depends_on_the_key_and_the_value() {
        assert_eq!(XxHash3_64::oneshot(b""), 0x2d06_8005_38d3_94c2);
        assert_ne!(compute(b"a", b"bc"), compute(b"ab", b"c"));
        assert_ne!(compute(b"a", b"b"), compute(b"b", b"a"));
    }

    #[test]
    fn a_digest_does_not_depend_on_the_order_of_changes() {
        let mut one = Digest::default();
        one.add(b"a", b"1");
        one.add(b"b", b"2");
        one.remove(b"a", b"1");
        let mut other = Digest::default();
        other.add(b"b", b"2");
        assert_eq!(one, other);
        assert_eq!(Digest::decode(one.encode()), one);
        assert_eq!(one.with(other).without(other), one);
    }
}
