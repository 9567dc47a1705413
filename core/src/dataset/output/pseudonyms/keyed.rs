//! Numbers that depend on a key.

use blake2::{Blake2s256, Digest};
use siphasher::sip::SipHasher24;
use std::hash::Hasher;

/// A source of numbers that cannot be predicted without the key.
pub(super) struct Keyed(SipHasher24);

impl Keyed {
    pub(super) fn new(key: &[u8; 32]) -> Keyed {
        let digest = Blake2s256::new()
            .chain_update(b"pseudonyms")
            .chain_update(key)
            .finalize();
        let mut half = [0; 16];
        for (to, from) in half.iter_mut().zip(digest) {
            *to = from;
        }
        Keyed(SipHasher24::new_with_key(&half))
    }

    pub(super) fn number(&self, of: &[u8], numbers: &[u64]) -> u64 {
        let mut hasher = self.0;
        hasher.write(&(of.len() as u64).to_le_bytes());
        hasher.write(of);
        for number in numbers {
            hasher.write(&number.to_le_bytes());
        }
        hasher.finish()
    }
}
