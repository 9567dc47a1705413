//! A row of the journal, which contains the changes of one commit in a log partition.
//!
//! The first byte is 1 if the coverage of the school changed, and otherwise 0. The keys of the
//! changed records follow in ascending order, grouped by kind. A group starts with the number of
//! the kind, the number of words in each of its keys, and the number of keys. Each key is encoded
//! as the index of the first word that differs from the previous key (omitted if keys have a
//! single word), the difference of that word, and the words after it.

use crate::error::Result;
use crate::store::changes::changed_key::{ChangedKey, damaged};
use crate::varint;

/// An entry of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JournalEntry {
    /// A record was changed.
    Record(ChangedKey),
    /// The coverage of the school was changed.
    Coverage,
}

/// Encodes a row. The keys must be in ascending order.
pub(crate) fn encode(changed_keys: &[ChangedKey], coverage: bool) -> Vec<u8> {
    let mut row = vec![u8::from(coverage)];
    for of_kind in changed_keys.chunk_by(|one, next| one.kind == next.kind) {
        let Some(first) = of_kind.first() else {
            continue;
        };
        let words = of_kind
            .iter()
            .map(|changed_key| words(changed_key.words))
            .max();
        let words = words.unwrap_or(0);
        row.extend([first.kind, words]);
        varint::push(&mut row, of_kind.len() as u64);
        let mut before = [0; ChangedKey::WORDS];
        for changed_key in of_kind {
            push(&mut row, words, before, changed_key.words);
            before = changed_key.words;
        }
    }
    row
}

/// Returns the number of words without the zeros at the end.
fn words(of: [u64; ChangedKey::WORDS]) -> u8 {
    let used = (1..).zip(of).filter(|(_, word)| *word > 0);
    used.map(|(number, _)| number).last().unwrap_or(0)
}

fn push(
    row: &mut Vec<u8>,
    words: u8,
    before: [u64; ChangedKey::WORDS],
    now: [u64; ChangedKey::WORDS],
) {
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

/// Returns whether a row records that the coverage of the school changed.
pub(crate) fn has_coverage(row: &[u8]) -> Result<bool> {
    match row.first() {
        Some(0) => Ok(false),
        Some(1) => Ok(true),
        _ => Err(damaged()),
    }
}

/// Passes each entry of a row to `each`.
pub(crate) fn each(mut row: &[u8], each: &mut dyn FnMut(JournalEntry) -> Result<()>) -> Result<()> {
    if has_coverage(row)? {
        each(JournalEntry::Coverage)?;
    }
    take_byte(&mut row)?;
    while !row.is_empty() {
        let (kind, words) = (take_byte(&mut row)?, take_byte(&mut row)?);
        if usize::from(words) > ChangedKey::WORDS {
            return Err(damaged());
        }
        let count = take(&mut row)?;
        // Otherwise a row of a few bytes could contain any number of records.
        if words == 0 && count > 1 {
            return Err(damaged());
        }
        let mut now = [0; ChangedKey::WORDS];
        for _ in 0..count {
            advance(&mut row, words, &mut now)?;
            each(JournalEntry::Record(ChangedKey { kind, words: now }))?;
        }
    }
    Ok(())
}

fn advance(row: &mut &[u8], words: u8, now: &mut [u64; ChangedKey::WORDS]) -> Result<()> {
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
    use crate::store::journal::journal_row::*;

    fn decoded(row: &[u8]) -> Result<Vec<JournalEntry>> {
        let mut entries = Vec::new();
        each(row, &mut |one| {
            entries.push(one);
            Ok(())
        })?;
        Ok(entries)
    }

    fn changed_key(kind: u8, words: [u64; ChangedKey::WORDS]) -> ChangedKey {
        ChangedKey { kind, words }
    }

    #[test]
    fn a_row_is_encoded_as_documented() -> Result<()> {
        let records = [
            changed_key(0, [0; 4]),
            changed_key(8, [7, 0, 0, 0]),
            changed_key(8, [300, 0, 0, 0]),
            changed_key(16, [5, 1000, 0, 0]),
            changed_key(16, [5, 1001, 0, 0]),
            changed_key(16, [6, 2, 0, 0]),
        ];
        let row = encode(&records, true);
        let expected = [
            [1].as_slice(),
            &[0, 0, 1],
            &[8, 1, 2, 7, 0xa5, 2],
            &[16, 2, 3, 0, 5, 0xe8, 7, 1, 1, 0, 1, 2],
        ];
        assert_eq!(row, expected.concat());
        let entries = records.map(JournalEntry::Record);
        let entries: Vec<_> = [JournalEntry::Coverage]
            .into_iter()
            .chain(entries)
            .collect();
        assert_eq!(decoded(&row)?, entries);
        assert_eq!(decoded(&encode(&[], false))?, []);
        Ok(())
    }

    #[test]
    fn numbers_of_any_size_are_decoded() -> Result<()> {
        let numbers = [0, 1, 127, 128, 1 << 40, u64::MAX];
        let mut records = Vec::new();
        for a in numbers {
            for b in numbers {
                records.extend(numbers.map(|c| changed_key(3, [a, b, c, a ^ b])));
            }
        }
        records.sort_unstable();
        let entries: Vec<_> = records.iter().copied().map(JournalEntry::Record).collect();
        assert_eq!(decoded(&encode(&records, false))?, entries);
        Ok(())
    }

    #[test]
    fn damage_is_an_error() {
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
