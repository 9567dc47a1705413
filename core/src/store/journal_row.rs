//! A row of the journal: what one commit touched in an area.
//!
//! First a byte, 1 if what was seen of the school changed and else 0. Then the records,
//! ascending, kind by kind: the kind's number, how many numbers its keys have, how many
//! records there are, and of each which number of its key is the first that is not as
//! before, by how much it is more, and the numbers behind it.

use super::journal::{Touched, damaged};
use crate::error::Result;
use crate::varint;

/// What a row tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Noted {
    /// A record was touched.
    Record(Touched),
    /// What was seen of the school changed.
    Coverage,
}

/// The row of records that ascend.
pub(super) fn encode(touched: &[Touched], coverage: bool) -> Vec<u8> {
    let mut row = vec![u8::from(coverage)];
    for of_kind in touched.chunk_by(|one, next| one.kind == next.kind) {
        let Some(first) = of_kind.first() else {
            continue;
        };
        let words = of_kind.iter().map(|touched| words(touched.words)).max();
        let words = words.unwrap_or(0);
        row.extend([first.kind, words]);
        varint::push(&mut row, of_kind.len() as u64);
        let mut before = [0; Touched::WORDS];
        for touched in of_kind {
            push(&mut row, words, before, touched.words);
            before = touched.words;
        }
    }
    row
}

/// How many numbers are left without the zeros at the end.
fn words(of: [u64; Touched::WORDS]) -> u8 {
    let used = (1..).zip(of).filter(|(_, word)| *word > 0);
    used.map(|(number, _)| number).last().unwrap_or(0)
}

fn push(row: &mut Vec<u8>, words: u8, before: [u64; Touched::WORDS], now: [u64; Touched::WORDS]) {
    let pairs = (0..words).zip(before.into_iter().zip(now));
    let first = pairs.clone().find(|(_, (before, now))| before != now);
    let first = first.map_or(0, |(number, _)| number);
    if words > 1 {
        row.push(first);
    }
    for (number, (before, now)) in pairs {
        if number == first {
            varint::push(row, now.wrapping_sub(before));
        } else if number > first {
            varint::push(row, now);
        }
    }
}

/// Hands on what a row tells.
pub(super) fn each(mut row: &[u8], each: &mut dyn FnMut(Noted) -> Result<()>) -> Result<()> {
    match take_byte(&mut row)? {
        0 => {}
        1 => each(Noted::Coverage)?,
        _ => return Err(damaged()),
    }
    while !row.is_empty() {
        let (kind, words) = (take_byte(&mut row)?, take_byte(&mut row)?);
        if usize::from(words) > Touched::WORDS {
            return Err(damaged());
        }
        let count = take(&mut row)?;
        // Else a row of a few bytes could tell of any number of records.
        if words == 0 && count > 1 {
            return Err(damaged());
        }
        let mut now = [0; Touched::WORDS];
        for _ in 0..count {
            advance(&mut row, words, &mut now)?;
            each(Noted::Record(Touched { kind, words: now }))?;
        }
    }
    Ok(())
}

fn advance(row: &mut &[u8], words: u8, now: &mut [u64; Touched::WORDS]) -> Result<()> {
    let first = if words > 1 { take_byte(row)? } else { 0 };
    for (number, word) in (0..words).zip(now) {
        if number == first {
            *word = word.wrapping_add(take(row)?);
        } else if number > first {
            *word = take(row)?;
        }
    }
    Ok(())
}

fn take(row: &mut &[u8]) -> Result<u64> {
    varint::take(row).map_err(|_| damaged())
}

fn take_byte(row: &mut &[u8]) -> Result<u8> {
    let (byte, rest) = row.split_first().ok_or_else(damaged)?;
    *row = rest;
    Ok(*byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(row: &[u8]) -> Result<Vec<Noted>> {
        let mut noted = Vec::new();
        each(row, &mut |one| {
            noted.push(one);
            Ok(())
        })?;
        Ok(noted)
    }

    fn touched(kind: u8, words: [u64; Touched::WORDS]) -> Touched {
        Touched { kind, words }
    }

    #[test]
    fn a_row_is_as_told() -> Result<()> {
        let records = [
            touched(0, [0; 4]),
            touched(8, [7, 0, 0, 0]),
            touched(8, [300, 0, 0, 0]),
            touched(16, [5, 1000, 0, 0]),
            touched(16, [5, 1001, 0, 0]),
            touched(16, [6, 2, 0, 0]),
        ];
        let row = encode(&records, true);
        let expected = [
            [1].as_slice(),
            &[0, 0, 1],
            &[8, 1, 2, 7, 0xa5, 2],
            &[16, 2, 3, 0, 5, 0xe8, 7, 1, 1, 0, 1, 2],
        ];
        assert_eq!(row, expected.concat());
        let noted = records.map(Noted::Record);
        let noted: Vec<_> = [Noted::Coverage].into_iter().chain(noted).collect();
        assert_eq!(decoded(&row)?, noted);
        assert_eq!(decoded(&encode(&[], false))?, []);
        Ok(())
    }

    #[test]
    fn numbers_of_any_size_come_back() -> Result<()> {
        let numbers = [0, 1, 127, 128, 1 << 40, u64::MAX];
        let mut records = Vec::new();
        for a in numbers {
            for b in numbers {
                records.extend(numbers.map(|c| touched(3, [a, b, c, a ^ b])));
            }
        }
        records.sort_unstable();
        let noted: Vec<_> = records.iter().copied().map(Noted::Record).collect();
        assert_eq!(decoded(&encode(&records, false))?, noted);
        Ok(())
    }

    #[test]
    fn what_is_damaged_is_an_error() {
        let whole = [0, 16, 2, 2, 0, 5, 7, 1, 1];
        assert!(decoded(&whole).is_ok());
        for cut in 0..whole.len() {
            let row = whole.get(..cut).unwrap_or_default();
            assert_eq!(decoded(row).is_ok(), cut == 1, "{cut}");
        }
        let many = [0, 16, 0, 0xff, 0xff, 0xff, 0xff, 0x0f];
        for row in [&[2, 16, 1, 0][..], &[0, 16, 5, 1, 0, 0, 0, 0, 0], &many] {
            assert!(decoded(row).is_err(), "{row:?}");
        }
    }
}
