//! Integers of variable length, with seven bits per byte, lowest first.

use crate::error::{Error, Failure, Result};

pub(crate) fn push(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    out.push(number.to_le_bytes()[0]);
}

pub(crate) fn push_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    push(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Reads one number and removes it from the front. The case of a single byte is the most common.
#[inline]
#[cfg_attr(module, optimize(speed))]
pub(crate) fn take(bytes: &mut &[u8]) -> Result<u64> {
    match bytes.split_first() {
        Some((byte, rest)) if *byte < 0x80 => {
            *bytes = rest;
            Ok(u64::from(*byte))
        }
        _ => take_any(bytes),
    }
}

#[inline]
#[cfg_attr(module, optimize(speed))]
fn take_any(bytes: &mut &[u8]) -> Result<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first().ok_or_else(cut)?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err(cut())
}

/// Reads a length and as many bytes, and removes them from the front.
#[inline]
pub(crate) fn take_bytes<'a>(bytes: &mut &'a [u8]) -> Result<&'a [u8]> {
    let length = usize::try_from(take(bytes)?).map_err(|_| cut())?;
    let (taken, rest) = bytes.split_at_checked(length).ok_or_else(cut)?;
    *bytes = rest;
    Ok(taken)
}

fn cut() -> Failure {
    Error::corrupt("an encoded number or text is truncated")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_decoded_unchanged_and_cuts_are_detected() -> Result<()> {
        for number in [
            0,
            1,
            127,
            128,
            16_383,
            16_384,
            u64::from(u32::MAX),
            u64::MAX,
        ] {
            let mut bytes = Vec::new();
            push(&mut bytes, number);
            let mut rest = bytes.as_slice();
            assert_eq!((take(&mut rest)?, rest), (number, &[] as &[u8]));
            let mut cut = bytes.get(..bytes.len() - 1).unwrap_or_default();
            assert!(take(&mut cut).is_err());
        }
        assert!(take(&mut [0xff; 11].as_slice()).is_err());
        assert!(take_bytes(&mut [5, 1, 2].as_slice()).is_err());
        Ok(())
    }
}
