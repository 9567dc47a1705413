//! Entry points for fuzzing, which read bytes without a store. They exist only in a build for
//! fuzzing and in tests, which replay the inputs that a fuzzer has found.

use crate::engine::Engine;
use crate::error::{Result, public};
use crate::json::{ApiVersion, OutputBuffer};
use crate::record::Kind;
use crate::record::kinds::learner_subject::LearnerSubject;
use crate::record::kinds::mark::Mark;
use crate::record::stored::edited_row::EditedRow;
use crate::record::stored::{conversions, pre_render};
use crate::store::{Block, BlockIndex, Collection, Totals};

/// Discards the caches of an engine, because the bytes of its store were changed.
pub fn forget(engine: &Engine) -> public::Result<()> {
    Ok(engine.forget()?)
}

/// Parses bytes as a row of a store, whose type depends on the first byte. Returns whether the row
/// is valid. Panics if a valid row changes when it is decoded and encoded.
pub fn row(bytes: &[u8]) -> bool {
    let Some((kind, bytes)) = bytes.split_first() else {
        return false;
    };
    let collection = Collection::ALL.get(usize::from(*kind));
    collection
        .map_or_else(|| table(bytes), |collection| run(bytes, *collection))
        .is_ok()
}

/// Parses bytes as an answer of the service to a request of a sync, which depends on the first
/// byte. Returns whether the answer is valid. Panics if its records cannot be decoded from the
/// fetched records.
pub fn answer(bytes: &[u8]) -> bool {
    crate::sync::fuzz(bytes)
}

fn table(bytes: &[u8]) -> Result<()> {
    if let Ok(totals) = Totals::decode(bytes) {
        let once = totals.encode();
        assert_eq!(Totals::decode(&once)?.encode(), once);
    }
    let block_index = BlockIndex::decode(bytes)?;
    assert_eq!(block_index.encode(), bytes);
    Ok(())
}

fn run(bytes: &[u8], collection: Collection) -> Result<()> {
    let block = Block::open(bytes, collection.layout())?;
    block.check()?;
    for (index, key) in block.keys().enumerate() {
        assert_eq!(block.find(key), Some(index));
        let item = block.item(index)?;
        let [column, ..] = item.columns;
        match Kind::stored_in(collection) {
            Some(Kind::LearnerSubject) => drop(LearnerSubject::open(column)?.values()?),
            Some(Kind::Mark) => drop(Mark::decode(column)?),
            Some(kind) => {
                pre_render::values(kind, &[key.0, key.1], &item)?;
                let mut out = Vec::new();
                conversions::push_record(
                    &block,
                    index,
                    ApiVersion::V2,
                    &mut OutputBuffer::new(&mut out),
                )?;
            }
            None if collection == Collection::MarkRows => {
                let (mut once, mut twice) = (Vec::new(), Vec::new());
                EditedRow::open(column)?.encode(&mut once);
                EditedRow::open(&once)?.encode(&mut twice);
                assert_eq!(once, twice);
            }
            None => {}
        }
    }
    Ok(())
}

#[cfg(test)]
#[expect(clippy::expect_used, reason = "the corpora are part of the repository")]
mod tests {
    use super::{answer, row};

    /// Returns for how many inputs of a corpus the target returns true, and their number. Each line
    /// of a corpus is a JSON string with one character for each byte.
    fn replay(corpus: &str, target: fn(&[u8]) -> bool) -> (usize, usize) {
        let inputs = corpus.lines().map(|line| {
            let input: String = serde_json::from_str(line).expect("a JSON string");
            let bytes: Result<Vec<u8>, _> = input.chars().map(u8::try_from).collect();
            bytes.expect("a character for each byte")
        });
        inputs.fold((0, 0), |(valid, count), input| {
            (valid + usize::from(target(&input)), count + 1)
        })
    }

    #[test]
    fn rows_that_a_fuzzer_found() {
        let corpus = include_str!("../fuzz/row.ndjson");
        let (valid, count) = replay(corpus, row);
        assert!(valid > 0 && count > valid, "{valid} of {count}");
    }

    #[test]
    fn answers_that_a_fuzzer_found() {
        let corpus = include_str!("../fuzz/answer.ndjson");
        let (valid, count) = replay(corpus, answer);
        assert!(valid > 5 && count > valid, "{valid} of {count}");
    }
}
