//! An encoding of numbers whose bytes sort in the order of the numbers, and which is short for
//! small numbers: the count of the bytes that follow, then these bytes in big-endian order.

use crate::error::{Error, Result};

pub(crate) fn push(key: &mut Vec<u8>, number: u64) {
    let bytes = number.to_be_bytes();
    let used = 8 - number.leading_zeros() as usize / 8;
    key.push(used.to_le_bytes()[0]);
    key.extend_from_slice(bytes.get(8 - used..).unwrap_or_default());
}

/// Decodes the first number and advances past it.
pub(crate) fn take(key: &mut &[u8]) -> Result<u64> {
    let number = || {
        let (used, rest) = key.split_first().filter(|(used, _)| **used <= 8)?;
        let (bytes, rest) = rest.split_at_checked(usize::from(*used))?;
        let number = bytes
            .iter()
            .fold(0, |number, byte| number << 8 | u64::from(*byte));
        Some((number, rest))
    };
    let (number, rest) = number().ok_or_else(|| Error::corrupt("a staged key is truncated"))?;
    *key = rest;
    Ok(number)
}

#[cfg(test)]
mod tests {
    use crate::dataset::staging::ordered_numbers::*;

    #[test]
    fn keys_sort_as_numbers_and_are_decoded() -> Result<()> {
        let numbers = [
            0,
            1,
            255,
            256,
            65_535,
            65_536,
            u64::from(u32::MAX),
            1 << 56,
            u64::MAX,
        ];
        let mut keys = Vec::new();
        for number in numbers {
            let mut key = Vec::new();
            push(&mut key, number);
            assert_eq!(take(&mut key.as_slice())?, number);
            keys.push(key);
        }
        assert!(keys.is_sorted());
        assert!(take(&mut [3, 1].as_slice()).is_err() && take(&mut [].as_slice()).is_err());
        assert!(take(&mut [9; 10].as_slice()).is_err());
        Ok(())
    }
}
