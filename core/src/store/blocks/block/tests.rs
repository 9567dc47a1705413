//! Tests of `block`.

use crate::store::blocks::block::*;
use crate::store::blocks::block_builder::BlockBuilder;
use crate::store::blocks::collection::Collection;
use crate::store::blocks::item::ItemBuffer;

const LEARNERS: Layout = Collection::Learners.layout();

fn block_of(count: u64) -> Result<Vec<u8>> {
    let mut builder = BlockBuilder::new(LEARNERS);
    let mut buffer = ItemBuffer::default();
    for id in 0..count {
        buffer.clear();
        buffer.set_filter_column(0, Some(id * 3));
        buffer.set_filter_column(2, (id % 2 == 0).then_some(u64::MAX - id));
        let [rendering, residual_fields, name] = &mut buffer.columns;
        rendering.extend_from_slice(format!("{{\"id\":\"{id}\"}}").as_bytes());
        residual_fields.extend(std::iter::repeat_n(7, usize::try_from(id).unwrap_or(0)));
        name.extend_from_slice(b"ann smith");
        let expected = builder.bytes() + builder.cost(&buffer.item());
        builder.push(Key::one(id * 10), &buffer.item())?;
        assert!(builder.bytes() <= expected);
    }
    let size = builder.bytes();
    let bytes = builder.finish();
    assert_eq!((bytes.len(), builder.len()), (size, 0));
    Ok(bytes)
}

#[test]
fn records_are_read_back() -> Result<()> {
    let bytes = block_of(9)?;
    let block = Block::open(&bytes, LEARNERS)?;
    assert_eq!((block.len(), block.keys().len()), (9, 9));
    assert_eq!(block.find(Key::one(40)), Some(4));
    assert_eq!(block.find(Key::one(41)), None);
    assert_eq!(block.lower_bound(Key::one(41)), 5);
    assert_eq!(block.lower_bound(Key::MAX), 9);
    for (first, last) in (0..9).flat_map(|first| (first * 10..100).map(move |at| (first, at))) {
        let first = usize::try_from(first).unwrap_or(0);
        assert_eq!(
            block.end_of(first, Key::one(last)),
            block.lower_bound(Key(last, 1))
        );
    }
    assert!(block.keys_of(2..4).eq([Key::one(20), Key::one(30)]));
    assert_eq!(block.filter_column(0, 4)?, Some(12));
    assert_eq!(block.filter_column(2, 4)?, Some(u64::MAX - 4));
    assert_eq!(block.filter_column(2, 5)?, None);
    assert_eq!(block.record(0, 8)?, br#"{"id":"8"}"#);
    assert_eq!(block.stretch(0, 2, 4)?, br#"{"id":"2"},{"id":"3"}"#);
    assert_eq!(block.stretch(0, 4, 4)?, b"");
    assert_eq!(block.record(1, 3)?, [7, 7, 7]);
    assert_eq!(memchr::memchr_iter(0xff, block.column(2)).count(), 8);
    assert_eq!(block.record_at(2, 0), 0);
    assert_eq!(block.record_at(2, 10), 1);
    assert_eq!(block.item(5)?.filter_column(2), None);
    assert_eq!(block.item(6)?.filter_column(2), Some(u64::MAX - 6));
    assert!(block.key(9).is_err() && block.record(0, 9).is_err() && block.item(9).is_err());
    Ok(())
}

/// Returns the offsets and sizes of the numbers in the header that describe the records.
fn numbers(count: usize) -> impl Iterator<Item = (usize, usize)> {
    let columns = LEARNERS.columns.len();
    let keys = 8 + 4 * columns;
    let ends = keys + Key::BYTES * count;
    let counts = [(0, 4), (4, 2), (6, 2)].into_iter();
    let lengths = counts.chain((0..columns).map(|column| (8 + 4 * column, 4)));
    lengths.chain((0..columns * count).map(move |index| (ends + 4 * index, 4)))
}

#[test]
fn no_number_of_the_header_exceeds_the_content() -> Result<()> {
    let whole = block_of(5)?;
    Block::open(&whole, LEARNERS)?.check()?;
    for (at, size) in numbers(5) {
        let before = whole.get(at..at + size).unwrap_or_default().to_vec();
        let flipped = (0..8 * size).map(|bit| {
            let mut bytes = before.clone();
            bytes
                .iter_mut()
                .skip(bit / 8)
                .take(1)
                .for_each(|byte| *byte ^= 1 << (bit % 8));
            bytes
        });
        let set = [0, 1, u32::MAX]
            .map(|number: u32| number.to_le_bytes().into_iter().take(size).collect());
        for bytes in flipped.chain(set).filter(|bytes| *bytes != before) {
            let mut altered = whole.clone();
            altered.splice(at..at + size, bytes);
            let Ok(block) = Block::open(&altered, LEARNERS) else {
                continue;
            };
            // The column of residual fields has no separators, so a changed end is not always
            // detected.
            let mut residual_fields = numbers(5).skip(6 + 5).take(5);
            let is_residual = residual_fields.any(|(residual_field, _)| residual_field == at);
            assert!(is_residual || block.check().is_err(), "{at}");
            for column in 0..LEARNERS.columns.len() {
                for index in 0..=block.len() {
                    let span = block.span(column, index, index + 1);
                    let within = |span: &Range<usize>| {
                        span.start <= span.end && span.end <= block.column(column).len()
                    };
                    assert!(span.as_ref().is_ok_and(within) || span.is_err(), "{at}");
                }
            }
        }
    }
    Ok(())
}

#[test]
fn keys_out_of_order_and_unknown_filter_columns_are_detected() -> Result<()> {
    let whole = block_of(5)?;
    let keys = 8 + 4 * LEARNERS.columns.len();
    let presence = keys + 5 * (Key::BYTES + 4 * LEARNERS.columns.len());
    for (at, byte) in [
        (keys, 200),
        (keys + 3 * Key::BYTES, 0),
        (presence + 2 * 2, 0x80),
        (presence + 2 * 2 + 1, 0x80),
    ] {
        let mut altered = whole.clone();
        altered
            .iter_mut()
            .skip(at)
            .take(1)
            .for_each(|at| *at = byte);
        assert!(Block::open(&altered, LEARNERS)?.check().is_err(), "{at}");
    }
    Ok(())
}

/// A version with one more filter column and one more column reads a block of an older version,
/// and writes it in its own form. The older version refuses the new block.
#[test]
fn filter_columns_and_columns_of_a_later_version() -> Result<()> {
    const OLDER: Layout = Layout::new(6, &[Some(b','), None]);
    let mut builder = BlockBuilder::new(OLDER);
    let mut buffer = ItemBuffer::default();
    for id in 0..3 {
        buffer.clear();
        buffer.set_filter_column(5, Some(id + 7));
        buffer.columns[0].push(b'x');
        builder.push(Key::one(id), &buffer.item())?;
    }
    let older = builder.finish();
    let block = Block::open(&older, LEARNERS)?;
    block.check()?;
    let mut builder = BlockBuilder::new(LEARNERS);
    for (index, key) in block.keys().enumerate() {
        let item = block.item(index)?;
        assert_eq!(
            (item.filter_column(5), item.filter_column(6)),
            (Some(key.0 + 7), None)
        );
        assert_eq!(item.columns, [b"x" as &[u8], b"", b""]);
        builder.push(key, &item)?;
    }
    let newer = builder.finish();
    Block::open(&newer, LEARNERS)?.check()?;
    let refused = Block::open(&newer, OLDER).map(|block| block.len());
    let refused = refused.map_err(|error| error.code());
    assert_eq!(refused, Err("newer_format"));
    Ok(())
}

#[test]
fn an_empty_block() -> Result<()> {
    let bytes = block_of(0)?;
    let block = Block::open(&bytes, LEARNERS)?;
    assert_eq!((block.len(), block.lower_bound(Key::MIN)), (0, 0));
    Ok(())
}

#[test]
fn a_truncated_or_altered_block_never_panics() -> Result<()> {
    let whole = block_of(5)?;
    for length in 0..whole.len() {
        let cut = whole.get(..length).unwrap_or_default();
        assert!(Block::open(cut, LEARNERS).is_err(), "{length}");
    }
    for at in 0..whole.len() {
        for value in [0, 1, 0x7f, 0xff] {
            let mut altered = whole.clone();
            if let Some(byte) = altered.get_mut(at) {
                *byte = value;
            }
            let Ok(block) = Block::open(&altered, LEARNERS) else {
                continue;
            };
            if block.check().is_ok() {
                let stretches = (0..block.len()).map(|index| block.record(0, index));
                assert!(stretches.flatten().count() == block.len());
            }
            for index in 0..=block.len().min(8) {
                let _ = (
                    block.item(index),
                    block.key(index),
                    block.stretch(0, 0, index),
                );
            }
            let _ = (block.find(Key::one(20)), block.record_at(2, 30));
        }
    }
    Ok(())
}
