//! Seeded mutations of valid inputs.

use crate::random::Random;

/// A generator of mutations. The same seed gives the same mutations.
#[derive(Debug, Clone)]
pub struct Mutator(Random);

/// Bytes that are likely to expose faults of parsers.
const BITS: [&[u8]; 24] = [
    b"\"",
    b"\\",
    b"\\u0000",
    b"\\ud800",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\n",
    b"\0",
    b"\xff",
    b"-",
    b"0",
    b"1e9",
    b"18446744073709551616",
    b"null",
    b"true",
    b"%",
    b"%25",
    b"&",
    b"=",
    b"\xf0\x9f\x98\x80",
];

impl Mutator {
    /// Returns a generator with this seed.
    pub fn new(seed: u64) -> Mutator {
        Mutator(Random::new(seed))
    }

    /// Returns a number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0.below(limit)
    }

    /// Applies a few changes to the bytes, some of which insert bytes of another input.
    pub fn mutate(&mut self, bytes: &mut Vec<u8>, other: &[u8]) {
        for _ in 0..=self.below(4) {
            let at = self.below(bytes.len() + 1);
            let end = (at + self.below(8)).min(bytes.len());
            match self.below(6) {
                0 => drop(bytes.drain(at..end)),
                1 => drop(bytes.splice(at..at, BITS[self.below(BITS.len())].iter().copied())),
                2 => drop(bytes.splice(at..end, BITS[self.below(BITS.len())].iter().copied())),
                3 if at < bytes.len() => bytes[at] ^= 1 << self.below(8),
                4 => {
                    let from = self.below(other.len() + 1);
                    let to = (from + self.below(64)).min(other.len());
                    bytes.splice(at..at, other[from..to].iter().copied());
                }
                _ => bytes.truncate(bytes.len().saturating_sub(self.below(3))),
            }
        }
    }
}
