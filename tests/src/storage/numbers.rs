//! Finds the numbers in the rows of a store, and replaces single ones. Written from the description
//! of the format, without the code of the engine.

use super::tables::{BLOCK_INDEXES, BLOCKS, Definition, INTEGRATORS, JOURNAL, META};
use redb::TableHandle;
use std::ops::Range;

/// A number in a row.
#[derive(Clone, Debug)]
pub struct Number {
    /// What the number is, such as `end of a rendering`.
    pub what: String,
    at: Range<usize>,
    form: Form,
    /// Where the lengths of the record that contains the number are.
    record: Option<Record>,
}

/// The position of the length of a record's column, and the positions of the ends of the record and
/// of the records after it.
#[derive(Clone, Debug)]
struct Record {
    length: usize,
    ends: Range<usize>,
}

#[derive(Clone, Copy, Debug)]
enum Form {
    /// Little-endian, of a fixed length.
    Fixed,
    /// A varint with seven bits per byte, lowest first.
    Varint,
}

/// Returns the layout of a collection's blocks: the number of filter columns, and the names of the
/// columns.
fn layout(collection: u8) -> (usize, &'static [&'static str]) {
    match collection {
        7 => (7, &["a rendering", "facts", "a name"]),
        11 => (2, &["a rendering", "facts"]),
        17 | 24 | 25 => (1, &["a rendering", "facts"]),
        12 => (3, &["a rendering", "facts"]),
        13 => (3, &[]),
        18 | 26 => (1, &[]),
        27 => (2, &[]),
        9 => (0, &["a learner subject"]),
        14 => (0, &["a mark row"]),
        15 => (0, &["terms with rows"]),
        16 => (0, &["a waiting mark"]),
        _ => (0, &["a rendering", "facts"]),
    }
}

/// Returns all numbers of a row.
pub fn numbers(table: Definition, key: &[u8], value: &[u8]) -> Vec<Number> {
    let mut found = Found::default();
    match table.name() {
        name if name == BLOCKS.name() => block(key[8], value, &mut found),
        name if name == BLOCK_INDEXES.name() => block_index(value, &mut found),
        name if name == META.name() => meta(key, value, &mut found),
        name if name == JOURNAL.name() => journal(key, value, &mut found),
        name if name == INTEGRATORS.name() && key[0] == b'c' => found.fixed("a state", 0..1),
        _ => {}
    }
    found.numbers
}

#[derive(Default)]
struct Found {
    numbers: Vec<Number>,
    record: Option<Record>,
}

impl Found {
    fn add(&mut self, what: &str, at: Range<usize>, form: Form) {
        self.numbers.push(Number {
            what: what.to_owned(),
            at,
            form,
            record: self.record.clone(),
        });
    }

    fn fixed(&mut self, what: &str, at: Range<usize>) {
        self.add(what, at, Form::Fixed);
    }

    /// Adds the varint that begins at `at`, moves `at` behind it, and returns its value.
    fn varint(&mut self, what: &str, row: &[u8], at: &mut usize) -> usize {
        let start = *at;
        let mut number = 0;
        loop {
            let byte = row[*at];
            number |= u64::from(byte & 0x7f) << (7 * (*at - start));
            *at += 1;
            if byte & 0x80 == 0 {
                break;
            }
        }
        self.add(what, start..*at, Form::Varint);
        usize::try_from(number).unwrap_or(usize::MAX)
    }

    /// Adds a number of this length in bytes, and moves `at` behind it.
    fn bytes(&mut self, what: &str, length: usize, at: &mut usize) {
        if length > 0 {
            self.fixed(what, *at..*at + length);
        }
        *at += length;
    }
}

fn word(row: &[u8], at: usize) -> usize {
    u32::from_le_bytes(row[at..at + 4].try_into().unwrap()) as usize
}

fn block(collection: u8, row: &[u8], found: &mut Found) {
    let (tags, columns) = layout(collection);
    let of = |what: &str| format!("collection {collection}: {what}");
    let count = word(row, 0);
    found.fixed(&of("count"), 0..4);
    found.fixed(&of("count of tags"), 4..6);
    found.fixed(&of("count of columns"), 6..8);
    for (column, name) in columns.iter().enumerate() {
        found.fixed(
            &of(&format!("length of column {name}")),
            8 + 4 * column..12 + 4 * column,
        );
    }
    let keys = 8 + 4 * columns.len();
    for half in 0..2 * count {
        found.fixed(&of("key"), keys + 8 * half..keys + 8 * half + 8);
    }
    let ends = keys + 16 * count;
    for (column, name) in columns.iter().enumerate() {
        for place in column * count..(column + 1) * count {
            found.fixed(
                &of(&format!("end of {name}")),
                ends + 4 * place..ends + 4 * place + 4,
            );
        }
    }
    let presence = ends + 4 * count * columns.len();
    for place in 0..count {
        let at = presence + 2 * place;
        found.fixed(&of("presence"), at..at + 2);
    }
    let filter_columns = presence + 2 * count;
    for tag in 0..tags {
        for place in tag * count..(tag + 1) * count {
            found.fixed(
                &of(&format!("tag {tag}")),
                filter_columns + 8 * place..filter_columns + 8 * place + 8,
            );
        }
    }
    let mut start = filter_columns + 8 * tags * count;
    for (column, name) in columns.iter().enumerate() {
        let separator = usize::from(matches!(*name, "a rendering" | "a name"));
        let mut from = 0;
        for index in 0..count {
            let to = word(row, ends + 4 * (column * count + index));
            found.record = Some(Record {
                length: 8 + 4 * column,
                ends: ends + 4 * (column * count + index)..ends + 4 * (column + 1) * count,
            });
            let first = found.numbers.len();
            record(name, collection == 7, row, start + from..start + to, found);
            for number in &mut found.numbers[first..] {
                number.what = of(&format!("{name}, {}", number.what));
            }
            found.record = None;
            from = to + separator;
        }
        start += word(row, 8 + 4 * column);
    }
}

/// Adds the numbers of a record's part of a column.
fn record(column: &str, of_learner: bool, row: &[u8], part: Range<usize>, found: &mut Found) {
    let (mut at, end) = (part.start, part.end);
    match column {
        "a mark row" => {
            let subjects = found.varint("count of subjects", row, &mut at);
            for _ in 0..subjects {
                found.varint("subject", row, &mut at);
            }
            while at < end {
                mark(row, &mut at, found);
            }
        }
        "a waiting mark" => mark(row, &mut at, found),
        "terms with rows" => {
            while at < end {
                found.varint("term", row, &mut at);
            }
        }
        "a learner subject" => {
            found.varint("grade", row, &mut at);
            let terms = found.varint("count of terms", row, &mut at);
            for _ in 0..terms {
                found.varint("term", row, &mut at);
                found.varint("group", row, &mut at);
                let way = usize::from(row[at]);
                found.bytes("way of the mark", 1, &mut at);
                found.bytes("mark", [0, 2, 4, 8][way], &mut at);
            }
            while at < end {
                at += found.varint("length of a group", row, &mut at);
            }
        }
        "facts" => facts(of_learner, row, part, found),
        _ => {}
    }
}

/// Adds the numbers of the residual fields: their total length, the number and length of each, the
/// spans of a learner, and the edits of v2 after them.
fn facts(of_learner: bool, row: &[u8], part: Range<usize>, found: &mut Found) {
    let mut at = part.start;
    let count = part.end - 1;
    let end = found.varint("length of all facts", row, &mut at);
    let end = at + end;
    while at < end {
        found.bytes("number of a fact", 1, &mut at);
        at += found.varint("length of a fact", row, &mut at);
    }
    if of_learner {
        for _ in 0..8 {
            found.varint("span", row, &mut at);
        }
    }
    while at < count {
        found.bytes("edit", 2, &mut at);
    }
    found.bytes("count of edits", 1, &mut at);
}

/// Adds the numbers of a slot of a mark row, which contains a mark or nothing.
fn mark(row: &[u8], at: &mut usize, found: &mut Found) {
    let flags = usize::from(row[*at]);
    found.bytes("flags of a mark", 1, at);
    if flags & 1 != 0 {
        found.bytes("time of a mark", 5 * (flags >> 3 & 1), at);
        found.bytes("points of a mark", [0, 2, 4, 8][flags >> 4 & 3], at);
        found.bytes("percentage of a mark", [0, 2, 4, 8][flags >> 6 & 3], at);
    }
}

fn block_index(row: &[u8], found: &mut Found) {
    found.fixed("block index: next block", 0..4);
    for entry in (4..row.len()).step_by(32) {
        found.fixed("block index: first key", entry..entry + 8);
        found.fixed("block index: first key", entry + 8..entry + 16);
        found.fixed("block index: number of a block", entry + 16..entry + 20);
        found.fixed("block index: count of a block", entry + 20..entry + 24);
    }
}

/// Adds the numbers of the head of a log partition, or of an entry of the journal.
fn journal(key: &[u8], row: &[u8], found: &mut Found) {
    if key.ends_with(&[0; 8]) {
        found.fixed("journal: floor", 0..8);
        found.fixed("journal: bytes", 8..16);
        return;
    }
    found.fixed("journal: coverage", 0..1);
    let mut at = 1;
    while at < row.len() {
        found.fixed("journal: kind", at..at + 1);
        found.fixed("journal: numbers of a key", at + 1..at + 2);
        let words = usize::from(row[at + 1]);
        at += 2;
        let count = found.varint("journal: count", row, &mut at);
        for _ in 0..count {
            let mut first = 0;
            if words > 1 {
                first = usize::from(row[at]);
                found.fixed("journal: first number", at..at + 1);
                at += 1;
            }
            for _ in first..words {
                found.varint("journal: number", row, &mut at);
            }
        }
    }
}

fn meta(key: &[u8], row: &[u8], found: &mut Found) {
    let name = String::from_utf8_lossy(key);
    let name = name.split_inclusive('-').next().unwrap_or_default();
    let (start, size) = match name {
        "idempotency-" => (
            row.iter().position(|byte| *byte == 0xff).unwrap_or(0) + 1,
            8,
        ),
        "totals" | "sequence" | "incarnations" => (0, 8),
        _ => (0, 4),
    };
    for at in (start..row.len()).step_by(size) {
        found.fixed(&format!("meta: {name}"), at..(at + size).min(row.len()));
    }
}

impl Number {
    /// Returns the current value.
    pub fn now(&self, row: &[u8]) -> u64 {
        let bytes = &row[self.at.clone()];
        match self.form {
            Form::Fixed => little_endian(bytes),
            Form::Varint => varint_of(bytes),
        }
    }

    /// Returns other values: 0, 1, the maximum, and the current value with each bit flipped. Each
    /// has a name.
    pub fn others(&self, row: &[u8]) -> Vec<(String, u64)> {
        let now = self.now(row);
        let bits = match self.form {
            Form::Fixed => 8 * self.at.len(),
            Form::Varint => 64,
        };
        let set = [0, 1, u64::MAX >> (64 - bits)].map(|number| (format!("{number}"), number));
        let flipped = (0..bits).map(|bit| (format!("bit {bit}"), now ^ 1 << bit));
        let others = set.into_iter().chain(flipped);
        others.filter(|(_, number)| *number != now).collect()
    }

    /// Returns the row with another value of this number. If its encoding has another length, the
    /// bytes after it move, and the lengths are corrected, as if an engine had written the row.
    pub fn with(&self, row: &[u8], number: u64) -> Vec<u8> {
        let bytes = match self.form {
            Form::Fixed => number.to_le_bytes()[..self.at.len()].to_vec(),
            Form::Varint => varint(number),
        };
        let longer = bytes.len().wrapping_sub(self.at.len());
        let mut row = row.to_vec();
        row.splice(self.at.clone(), bytes);
        if let Some(Record { length, ends }) = &self.record {
            for at in [*length].into_iter().chain(ends.clone().step_by(4)) {
                let moved = u32::try_from(word(&row, at).wrapping_add(longer)).unwrap();
                row[at..at + 4].copy_from_slice(&moved.to_le_bytes());
            }
        }
        row
    }
}

fn little_endian(bytes: &[u8]) -> u64 {
    let folded = bytes.iter().rev();
    folded.fold(0, |number, byte| number << 8 | u64::from(*byte))
}

fn varint_of(bytes: &[u8]) -> u64 {
    let folded = bytes.iter().rev();
    folded.fold(0, |number, byte| number << 7 | u64::from(byte & 0x7f))
}

fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    bytes.push(number.to_le_bytes()[0]);
    bytes
}
