//! Keys: numbers as bytes that sort like the numbers.

use std::ops::Deref;

/// A key of up to six numbers in big-endian order, so that its bytes sort as the numbers do.
#[derive(Clone, Copy)]
pub(super) struct Key {
    bytes: [u8; Key::MOST * 8],
    length: usize,
}

impl Key {
    /// The maximum number of numbers in a key.
    const MOST: usize = 6;

    #[inline]
    pub(super) fn new(numbers: &[u64]) -> Key {
        let empty = Key {
            bytes: [0; Key::MOST * 8],
            length: 0,
        };
        empty.with(numbers)
    }

    /// Returns the key with more numbers appended. Numbers after the sixth are ignored.
    #[inline]
    pub(super) fn with(mut self, numbers: &[u64]) -> Key {
        let free = self.bytes.get_mut(self.length..).unwrap_or_default();
        for (slot, number) in free.as_chunks_mut().0.iter_mut().zip(numbers) {
            *slot = number.to_be_bytes();
            self.length += 8;
        }
        self
    }

    /// Returns the last numbers of a key.
    #[inline]
    pub(super) fn last<const N: usize>(key: &[u8]) -> [u64; N] {
        let (_, numbers) = key.as_rchunks();
        let mut last = [0; N];
        for (last, number) in last.iter_mut().rev().zip(numbers.iter().rev()) {
            *last = u64::from_be_bytes(*number);
        }
        last
    }
}

impl Deref for Key {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}
