//! Writing many small parts. A copy whose length the compiler does not know
//! costs more than the bytes do, so parts are copied by lengths that it knows,
//! and what was too much is written over by the next part.

use std::ops::Range;

/// How much of a text is copied at once, in blocks of a size that needs no
/// call.
const AT_ONCE: usize = 3 * BLOCK;
const BLOCK: usize = 64;
/// What is copied of a text that is shorter than most.
const HALF: usize = BLOCK / 2;
const OVER_ONE: usize = BLOCK + 1;
const TWO: usize = 2 * BLOCK;
const OVER_TWO: usize = TWO + 1;
const FOUR: usize = 4 * BLOCK;

/// How much of a short value is copied at once.
pub(crate) const FEW: usize = 16;
const NULL: &[u8; 4] = b"null";

/// The longest part of a source that is copied without looking at its length.
pub(crate) const MOST: usize = 6 * BLOCK;
/// How much further than a part of a source may be read.
pub(crate) const SOURCE_SLACK: usize = MOST + 2 * FEW;

/// At most eight bytes as a little-endian word, and how many they are.
#[inline]
pub(crate) fn word(text: &[u8]) -> (u64, usize) {
    let mut bytes = [0; 8];
    for (to, from) in bytes.iter_mut().zip(text) {
        *to = *from;
    }
    (u64::from_le_bytes(bytes), text.len().min(bytes.len()))
}

/// A text that can be copied without looking at its length.
#[derive(Debug, Clone, Default)]
pub(crate) struct Padded {
    /// The text and at least [`AT_ONCE`] bytes more.
    bytes: Vec<u8>,
    length: usize,
}

impl Padded {
    pub(crate) fn of(text: &[u8]) -> Padded {
        let mut padded = Padded::default();
        padded.set(&[text]);
        padded
    }

    pub(crate) fn len(&self) -> usize {
        self.length
    }

    pub(crate) fn text(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }

    /// What it costs in memory.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.capacity()
    }

    /// Makes the text that of these parts, one behind the other.
    #[cfg_attr(module, optimize(speed))]
    pub(crate) fn set(&mut self, parts: &[&[u8]]) {
        self.length = parts.iter().map(|part| part.len()).sum();
        if self.bytes.len() < self.length + AT_ONCE {
            self.bytes.resize(self.length + AT_ONCE, 0);
        }
        let mut room = self.bytes.as_mut_slice();
        for part in parts {
            let whole = std::mem::take(&mut room);
            if let Some((to, rest)) = whole.split_at_mut_checked(part.len()) {
                to.copy_from_slice(part);
                room = rest;
            }
        }
    }

    /// Adds to the text; says which part of it is new.
    pub(crate) fn add(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> Range<usize> {
        let start = self.length;
        self.bytes.truncate(start);
        write(&mut self.bytes);
        self.length = self.bytes.len();
        self.bytes.resize(self.length + AT_ONCE, 0);
        start..self.length
    }
}

/// A buffer that is kept longer than what is written to it, until this is
/// dropped.
pub(crate) struct Chunks<'a> {
    out: &'a mut Vec<u8>,
    written: usize,
}

impl<'a> Chunks<'a> {
    /// Writes over what the buffer holds.
    pub(crate) fn over(out: &'a mut Vec<u8>) -> Chunks<'a> {
        Chunks { out, written: 0 }
    }

    /// Writes behind what the buffer holds.
    pub(crate) fn new(out: &'a mut Vec<u8>) -> Chunks<'a> {
        let written = out.len();
        Chunks { out, written }
    }

    pub(crate) fn len(&self) -> usize {
        self.written
    }

    /// Takes back what was written behind this length.
    pub(crate) fn truncate(&mut self, length: usize) {
        self.written = self.written.min(length);
    }

    /// Takes back the last byte.
    pub(crate) fn pop(&mut self) {
        self.written = self.written.saturating_sub(1);
    }

    /// Room for this many bytes behind what is written.
    #[inline]
    pub(crate) fn window(&mut self, bytes: usize) -> Window<'_> {
        if self.out.len() - self.written < bytes {
            self.grow(bytes);
        }
        Window {
            room: self.out.get_mut(self.written..).unwrap_or_default(),
            at: 0,
        }
    }

    /// Keeps so many of the bytes that were put into the last window.
    #[inline]
    pub(crate) fn keep(&mut self, bytes: usize) {
        self.written = (self.written + bytes).min(self.out.len());
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, bytes: usize) {
        // So few that they are still near when they are written over.
        const STEP: usize = 1024;
        self.out.resize(self.written + bytes.max(STEP), 0);
    }

    #[inline]
    #[cfg_attr(module, optimize(speed))]
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let end = self.written + bytes.len();
        match self.out.get_mut(self.written..end) {
            Some(room) => room.copy_from_slice(bytes),
            None => self.append(bytes),
        }
        self.written = end;
    }

    /// Adds what the buffer has no room for.
    #[inline(never)]
    fn append(&mut self, bytes: &[u8]) {
        self.out.truncate(self.written);
        self.out.extend_from_slice(bytes);
    }

    /// A whole padded text.
    #[inline]
    pub(crate) fn push_padded(&mut self, text: &Padded) {
        self.push_part(text, 0..text.len());
    }

    /// The first bytes of padded texts, one behind the other: at one go, if they are as
    /// short as most.
    #[inline]
    #[cfg_attr(module, optimize(speed))]
    pub(crate) fn push_starts<const N: usize>(&mut self, starts: [(&Padded, usize); N]) {
        if starts.iter().any(|(_, length)| *length > TWO) {
            return self.push_long_starts(&starts);
        }
        let mut window = self.window(N * TWO);
        for (text, length) in starts {
            let room = window.room.get_mut(window.at..);
            let room = room.and_then(<[u8]>::first_chunk_mut::<TWO>);
            if let (Some(room), Some(from)) = (room, text.bytes.first_chunk()) {
                *room = *from;
            }
            window.at += length;
        }
        let written = window.written();
        self.keep(written);
    }

    #[cold]
    #[inline(never)]
    fn push_long_starts(&mut self, starts: &[(&Padded, usize)]) {
        for (text, length) in starts {
            self.push_part(text, 0..*length);
        }
    }

    /// A short padded text and the first bytes of a little-endian word, if there is room.
    #[inline]
    #[cfg_attr(module, optimize(speed))]
    pub(crate) fn push_half_and_word(&mut self, text: &Padded, word: u64, length: usize) -> bool {
        const ROOM: usize = HALF + size_of::<u64>();
        let room = self.out.get_mut(self.written..);
        let room = room.and_then(<[u8]>::first_chunk_mut::<ROOM>);
        let (Some(room), Some(from)) = (room, text.bytes.first_chunk::<HALF>()) else {
            return false;
        };
        if text.length > HALF {
            return false;
        }
        if let Some(room) = room.first_chunk_mut() {
            *room = *from;
        }
        if let Some(room) = room.get_mut(text.length..text.length + size_of::<u64>()) {
            room.copy_from_slice(&word.to_le_bytes());
        }
        self.written += text.length + length;
        true
    }

    /// A padded text, some bytes, and one more.
    #[inline]
    #[cfg_attr(module, optimize(speed))]
    pub(crate) fn push_text_and_bytes(&mut self, text: &Padded, bytes: &[u8], last: u8) {
        let end = text.length + bytes.len();
        if text.length > HALF {
            self.push_padded(text);
            self.push(bytes);
            return self.push(&[last]);
        }
        let mut window = self.window(end.max(HALF) + 1);
        let room = window.room.first_chunk_mut::<HALF>();
        if let (Some(room), Some(from)) = (room, text.bytes.first_chunk()) {
            *room = *from;
        }
        window.at = text.length;
        if let Some((to, rest)) = window
            .room
            .get_mut(window.at..)
            .and_then(|room| room.split_at_mut_checked(bytes.len()))
        {
            to.copy_from_slice(bytes);
            if let Some(to) = rest.first_mut() {
                *to = last;
            }
        }
        self.keep(end + 1);
    }

    /// A part of a padded text.
    #[inline]
    #[cfg_attr(module, optimize(speed))]
    pub(crate) fn push_part(&mut self, text: &Padded, part: Range<usize>) {
        let length = part.len();
        let mut window = self.window(length.max(AT_ONCE));
        window.part(text, part);
        self.keep(length);
    }

    /// An unsigned integer, without quotes.
    #[inline]
    pub(crate) fn push_integer(&mut self, number: u64) {
        self.push(itoa::Buffer::new().format(number).as_bytes());
    }

    /// An unsigned integer as a JSON string.
    #[inline]
    pub(crate) fn push_quoted_integer(&mut self, number: u64) {
        self.push(b"\"");
        self.push_integer(number);
        self.push(b"\"");
    }
}

impl Drop for Chunks<'_> {
    fn drop(&mut self) {
        self.out.truncate(self.written);
    }
}

/// Room to write into, of a size that is checked once.
pub(crate) struct Window<'a> {
    room: &'a mut [u8],
    at: usize,
}

impl Window<'_> {
    /// How many bytes were put into it.
    #[inline]
    pub(crate) fn written(&self) -> usize {
        self.at
    }

    /// The first bytes of little-endian words, of which all are copied.
    #[inline]
    #[cfg_attr(module, optimize(speed))]
    pub(crate) fn words<const N: usize>(&mut self, words: [u64; N], length: usize) {
        if let Some(room) = self.room.get_mut(self.at..self.at + 8 * N) {
            let (room, _) = room.as_chunks_mut::<8>();
            for (to, word) in room.iter_mut().zip(words) {
                *to = word.to_le_bytes();
            }
        }
        self.at += length;
    }

    #[inline]
    pub(crate) fn bytes<const N: usize>(&mut self, bytes: &[u8; N]) {
        if let Some(room) = self.room.get_mut(self.at..self.at + N) {
            room.copy_from_slice(bytes);
        }
        self.at += N;
    }

    /// A part of a padded text.
    #[inline]
    #[cfg_attr(module, optimize(speed))]
    pub(crate) fn part(&mut self, text: &Padded, part: Range<usize>) {
        let (start, length) = (part.start, part.len());
        match length {
            0..=BLOCK => self.blocks::<1>(&text.bytes, start),
            OVER_ONE..=TWO => self.blocks::<2>(&text.bytes, start),
            OVER_TWO..=AT_ONCE => self.blocks::<3>(&text.bytes, start),
            _ => self.long(&text.bytes, start..start + length),
        }
        self.at += length;
    }

    #[inline]
    fn blocks<const N: usize>(&mut self, bytes: &[u8], start: usize) {
        let room = self.room.get_mut(self.at..self.at + N * BLOCK);
        let from = bytes.get(start..start + N * BLOCK);
        if let (Some(room), Some(from)) = (room, from) {
            let (room, from) = (room.as_chunks_mut::<BLOCK>().0, from.as_chunks::<BLOCK>().0);
            for (room, from) in room.iter_mut().zip(from) {
                *room = *from;
            }
        }
    }

    /// A part of a source that goes on for [`SOURCE_SLACK`], at most [`MOST`], and
    /// then what stands in quotes behind it: at most [`FEW`] bytes, or `null` if
    /// there are none.
    #[inline]
    #[cfg_attr(module, optimize(speed))]
    pub(crate) fn text_and_bare(
        &mut self,
        source: &[u8],
        start: usize,
        length: usize,
        quoted: usize,
    ) {
        let from = source.get(start..).and_then(<[u8]>::first_chunk);
        let room = self.room.get_mut(self.at..);
        if let (Some(from), Some(room)) = (from, room.and_then(<[u8]>::first_chunk_mut)) {
            copy(from, room, length);
            bare(from, room, length.min(MOST), quoted);
        }
        self.at += length + quoted + NULL.len() * usize::from(quoted == 0);
    }

    #[cold]
    #[inline(never)]
    fn long(&mut self, bytes: &[u8], part: Range<usize>) {
        let room = self.room.get_mut(self.at..self.at + part.len());
        if let (Some(room), Some(from)) = (room, bytes.get(part)) {
            room.copy_from_slice(from);
        }
    }
}

/// What is read of a source at once.
type Source = [u8; SOURCE_SLACK];

/// Copies so many bytes, or some more.
#[inline]
fn copy(from: &Source, room: &mut Source, length: usize) {
    // Few different lengths of copies: which one is needed can be foreseen.
    match length {
        0..=BLOCK => copy_blocks::<1>(from, room),
        OVER_ONE..=TWO => copy_blocks::<2>(from, room),
        OVER_TWO..=FOUR => copy_blocks::<4>(from, room),
        _ => copy_blocks::<{ MOST / BLOCK }>(from, room),
    }
}

#[inline]
fn copy_blocks<const N: usize>(from: &Source, room: &mut Source) {
    let (room, from) = (room.as_chunks_mut::<BLOCK>().0, from.as_chunks::<BLOCK>().0);
    for (room, from) in room.iter_mut().zip(from).take(N) {
        *room = *from;
    }
}

/// Copies what stands in quotes from a position on, without the quotes.
#[inline]
fn bare(from: &Source, room: &mut Source, start: usize, quoted: usize) {
    let from = from.get(start + 1..start + 1 + FEW);
    let room = room.get_mut(start..start + FEW);
    if let (Some(from), Some(room)) = (from.and_then(<[u8]>::first_chunk::<FEW>), room) {
        // Whether there is anything cannot be foreseen, so nothing branches.
        let is_null = u128::from(quoted == 0);
        let null = u128::from(u32::from_le_bytes(*NULL)) & is_null.wrapping_neg();
        let word = u128::from_le_bytes(*from) & is_null.wrapping_sub(1) | null;
        room.copy_from_slice(&word.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts of every length about the one that is copied at once.
    fn texts() -> impl Iterator<Item = Vec<u8>> {
        (0..2 * AT_ONCE + 3).map(|length| (1..=255).cycle().take(length).collect())
    }

    #[test]
    fn parts_stand_one_behind_the_other() {
        let mut out = b"before".to_vec();
        let mut expected = out.clone();
        let mut joined = Padded::default();
        let mut halves = 0;
        let mut chunks = Chunks::new(&mut out);
        for text in texts() {
            let part = joined.add(|all| all.extend_from_slice(&text));
            assert_eq!(joined.text().get(part.clone()), Some(text.as_slice()));
            chunks.push_padded(&Padded::of(&text));
            chunks.push_part(&joined, part);
            chunks.push(&text);
            let padded = Padded::of(&text);
            chunks.push_starts([(&padded, padded.len()), (&padded, padded.len())]);
            for _ in 0..5 {
                expected.extend_from_slice(&text);
            }
            let (number, length) = word(b"12.5\"},");
            if chunks.push_half_and_word(&padded, number, length) {
                assert!(text.len() <= HALF);
                halves += 1;
                expected.extend_from_slice(&text);
                expected.extend_from_slice(b"12.5\"},");
            }
            chunks.push_text_and_bytes(&padded, &text, b',');
            expected.extend_from_slice(&text);
            expected.extend_from_slice(&text);
            expected.push(b',');
        }
        assert!(halves > HALF - 5);
        assert_eq!(chunks.len(), expected.len());
        drop(chunks);
        assert_eq!(out, expected);
    }

    #[test]
    fn what_is_taken_back_is_gone() {
        let mut out = Vec::new();
        let mut chunks = Chunks::new(&mut out);
        chunks.push(b"{\"a\":");
        let before = chunks.len();
        chunks.push_quoted_integer(u64::MAX);
        chunks.truncate(before);
        chunks.truncate(before + 9);
        chunks.push_integer(7);
        chunks.push(b",");
        chunks.pop();
        drop(chunks);
        assert_eq!(out, b"{\"a\":7");
    }

    #[test]
    fn a_window_keeps_what_counts() {
        let mut out = Vec::new();
        let mut chunks = Chunks::new(&mut out);
        for _ in 0..1000 {
            let mut window = chunks.window(64);
            window.words([u64::from_le_bytes(*b"12345678"), 0], 5);
            window.bytes(b"abc");
            let written = window.written();
            chunks.keep(written);
        }
        drop(chunks);
        assert_eq!(out, b"12345abc".repeat(1000));
    }
}
