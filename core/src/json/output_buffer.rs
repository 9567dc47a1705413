//! A buffer for many small parts. A copy whose length is unknown at compile time costs more than
//! the additional bytes of a longer one. Therefore parts are copied in fixed lengths, and the next
//! part overwrites the surplus.

use std::ops::Range;

/// The number of bytes of a text that are copied at once, in blocks of a size that needs no call.
const AT_ONCE: usize = 3 * BLOCK;
const BLOCK: usize = 64;
/// The number of bytes that are copied of a short text.
const HALF: usize = BLOCK / 2;
const OVER_ONE: usize = BLOCK + 1;
const TWO: usize = 2 * BLOCK;
const OVER_TWO: usize = TWO + 1;
const FOUR: usize = 4 * BLOCK;

/// The number of bytes that are copied of a short value.
pub(crate) const FEW: usize = 16;
const NULL: &[u8; 4] = b"null";

/// The maximum length of a part of a source that is copied without checking its length.
pub(crate) const MOST: usize = 6 * BLOCK;
/// The number of bytes that are read from the start of a part of a source.
pub(crate) const SOURCE_SLACK: usize = MOST + 2 * FEW;

/// A text that can be copied in fixed lengths.
#[derive(Debug, Clone, Default)]
pub(crate) struct Padded {
    /// The text, followed by at least [`AT_ONCE`] bytes.
    bytes: Vec<u8>,
    length: usize,
}

impl Padded {
    pub(crate) fn new(text: &[u8]) -> Padded {
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

    /// Returns the memory used, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.capacity()
    }

    /// Replaces the text by the concatenation of these parts.
    #[cfg_attr(module, optimize(speed))]
    pub(crate) fn set(&mut self, parts: &[&[u8]]) {
        self.length = parts.iter().map(|part| part.len()).sum();
        if self.bytes.len() < self.length + AT_ONCE {
            self.bytes.resize(self.length + AT_ONCE, 0);
        }
        let mut target = self.bytes.as_mut_slice();
        for part in parts {
            let whole = std::mem::take(&mut target);
            if let Some((to, rest)) = whole.split_at_mut_checked(part.len()) {
                to.copy_from_slice(part);
                target = rest;
            }
        }
    }

    /// Appends to the text. Returns the range of the new part.
    pub(crate) fn add(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> Range<usize> {
        let start = self.length;
        self.bytes.truncate(start);
        write(&mut self.bytes);
        self.length = self.bytes.len();
        self.bytes.resize(self.length + AT_ONCE, 0);
        start..self.length
    }
}

/// Writes to a vector, which is longer than the written part until this value is dropped.
pub(crate) struct OutputBuffer<'a> {
    out: &'a mut Vec<u8>,
    written: usize,
}

impl<'a> OutputBuffer<'a> {
    /// Creates a buffer that overwrites the content of the vector.
    pub(crate) fn over(out: &'a mut Vec<u8>) -> OutputBuffer<'a> {
        OutputBuffer { out, written: 0 }
    }

    /// Creates a buffer that appends to the content of the vector.
    pub(crate) fn new(out: &'a mut Vec<u8>) -> OutputBuffer<'a> {
        let written = out.len();
        OutputBuffer { out, written }
    }

    pub(crate) fn len(&self) -> usize {
        self.written
    }

    /// Removes the bytes after this length.
    pub(crate) fn truncate(&mut self, length: usize) {
        self.written = self.written.min(length);
    }

    /// Removes the last byte.
    pub(crate) fn pop(&mut self) {
        self.written = self.written.saturating_sub(1);
    }

    /// Returns space for this many bytes after the written part.
    #[inline]
    pub(crate) fn window(&mut self, bytes: usize) -> WriteWindow<'_> {
        if self.out.len() - self.written < bytes {
            self.grow(bytes);
        }
        WriteWindow {
            target: self.out.get_mut(self.written..).unwrap_or_default(),
            at: 0,
        }
    }

    /// Adds this many bytes of the last window to the written part.
    #[inline]
    pub(crate) fn advance(&mut self, bytes: usize) {
        self.written = (self.written + bytes).min(self.out.len());
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, bytes: usize) {
        // The step is small, so that the new bytes are still in the processor's cache when they
        // are overwritten.
        const STEP: usize = 1024;
        self.out.resize(self.written + bytes.max(STEP), 0);
    }

    #[inline]
    #[cfg_attr(module, optimize(speed))]
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let end = self.written + bytes.len();
        match self.out.get_mut(self.written..end) {
            Some(target) => target.copy_from_slice(bytes),
            None => self.append(bytes),
        }
        self.written = end;
    }

    /// Appends bytes for which the vector has no space.
    #[inline(never)]
    fn append(&mut self, bytes: &[u8]) {
        self.out.truncate(self.written);
        self.out.extend_from_slice(bytes);
    }

    /// Appends a padded text.
    #[inline]
    pub(crate) fn push_padded(&mut self, text: &Padded) {
        self.push_part(text, 0..text.len());
    }

    /// Appends the first bytes of several padded texts. If all of them are short, as usual, they
    /// are copied in fixed lengths.
    #[inline]
    #[cfg_attr(module, optimize(speed))]
    pub(crate) fn push_starts<const N: usize>(&mut self, starts: [(&Padded, usize); N]) {
        if starts.iter().any(|(_, length)| *length > TWO) {
            return self.push_long_starts(&starts);
        }
        let mut window = self.window(N * TWO);
        for (text, length) in starts {
            let target = window.target.get_mut(window.at..);
            let target = target.and_then(<[u8]>::first_chunk_mut::<TWO>);
            if let (Some(target), Some(from)) = (target, text.bytes.first_chunk()) {
                *target = *from;
            }
            window.at += length;
        }
        let written = window.written();
        self.advance(written);
    }

    #[cold]
    #[inline(never)]
    fn push_long_starts(&mut self, starts: &[(&Padded, usize)]) {
        for (text, length) in starts {
            self.push_part(text, 0..*length);
        }
    }

    /// Appends a short padded text and the first bytes of a little-endian word, if there is space
    /// for both. Returns whether it did.
    #[inline]
    #[cfg_attr(module, optimize(speed))]
    pub(crate) fn push_half_and_word(&mut self, text: &Padded, word: u64, length: usize) -> bool {
        const NEEDED: usize = HALF + size_of::<u64>();
        let target = self.out.get_mut(self.written..);
        let target = target.and_then(<[u8]>::first_chunk_mut::<NEEDED>);
        let (Some(target), Some(from)) = (target, text.bytes.first_chunk::<HALF>()) else {
            return false;
        };
        if text.length > HALF {
            return false;
        }
        if let Some(target) = target.first_chunk_mut() {
            *target = *from;
        }
        if let Some(target) = target.get_mut(text.length..text.length + size_of::<u64>()) {
            target.copy_from_slice(&word.to_le_bytes());
        }
        self.written += text.length + length;
        true
    }

    /// Appends a part of a padded text.
    #[inline]
    #[cfg_attr(module, optimize(speed))]
    pub(crate) fn push_part(&mut self, text: &Padded, part: Range<usize>) {
        let length = part.len();
        let mut window = self.window(length.max(AT_ONCE));
        window.part(text, part);
        self.advance(length);
    }

    /// Appends an unsigned integer without quotes.
    #[inline]
    pub(crate) fn push_integer(&mut self, number: u64) {
        self.push(itoa::Buffer::new().format(number).as_bytes());
    }

    /// Appends an unsigned integer as a JSON string.
    #[inline]
    pub(crate) fn push_quoted_integer(&mut self, number: u64) {
        self.push(b"\"");
        self.push_integer(number);
        self.push(b"\"");
    }
}

impl Drop for OutputBuffer<'_> {
    fn drop(&mut self) {
        self.out.truncate(self.written);
    }
}

/// Space to write to, whose size is checked once.
pub(crate) struct WriteWindow<'a> {
    target: &'a mut [u8],
    at: usize,
}

impl WriteWindow<'_> {
    /// Returns the number of bytes that were written to the window.
    #[inline]
    pub(crate) fn written(&self) -> usize {
        self.at
    }

    /// Writes the first `length` bytes of little-endian words. All words are copied.
    #[inline]
    #[cfg_attr(module, optimize(speed))]
    pub(crate) fn words<const N: usize>(&mut self, words: [u64; N], length: usize) {
        if let Some(target) = self.target.get_mut(self.at..self.at + 8 * N) {
            let (target, _) = target.as_chunks_mut::<8>();
            for (to, word) in target.iter_mut().zip(words) {
                *to = word.to_le_bytes();
            }
        }
        self.at += length;
    }

    #[inline]
    pub(crate) fn bytes<const N: usize>(&mut self, bytes: &[u8; N]) {
        if let Some(target) = self.target.get_mut(self.at..self.at + N) {
            target.copy_from_slice(bytes);
        }
        self.at += N;
    }

    /// Writes a part of a padded text.
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
        let target = self.target.get_mut(self.at..self.at + N * BLOCK);
        let from = bytes.get(start..start + N * BLOCK);
        if let (Some(target), Some(from)) = (target, from) {
            let (target, from) = (
                target.as_chunks_mut::<BLOCK>().0,
                from.as_chunks::<BLOCK>().0,
            );
            for (target, from) in target.iter_mut().zip(from) {
                *target = *from;
            }
        }
    }

    /// Writes a part of a source, and then the content of the quotes after it, without the quotes.
    /// The part has at most [`MOST`] bytes, and the source has at least [`SOURCE_SLACK`] bytes from
    /// `start` on. The content has at most [`FEW`] bytes; if it is empty, `null` is written.
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
        let target = self.target.get_mut(self.at..);
        if let (Some(from), Some(target)) = (from, target.and_then(<[u8]>::first_chunk_mut)) {
            copy(from, target, length);
            bare(from, target, length.min(MOST), quoted);
        }
        self.at += length + quoted + NULL.len() * usize::from(quoted == 0);
    }

    #[cold]
    #[inline(never)]
    fn long(&mut self, bytes: &[u8], part: Range<usize>) {
        let target = self.target.get_mut(self.at..self.at + part.len());
        if let (Some(target), Some(from)) = (target, bytes.get(part)) {
            target.copy_from_slice(from);
        }
    }
}

/// The bytes that are read of a source at once.
type SourceBytes = [u8; SOURCE_SLACK];

/// Copies at least `length` bytes.
#[inline]
fn copy(from: &SourceBytes, target: &mut SourceBytes, length: usize) {
    // There are few different lengths, so the processor can predict the branch.
    match length {
        0..=BLOCK => copy_blocks::<1>(from, target),
        OVER_ONE..=TWO => copy_blocks::<2>(from, target),
        OVER_TWO..=FOUR => copy_blocks::<4>(from, target),
        _ => copy_blocks::<{ MOST / BLOCK }>(from, target),
    }
}

#[inline]
fn copy_blocks<const N: usize>(from: &SourceBytes, target: &mut SourceBytes) {
    let (target, from) = (
        target.as_chunks_mut::<BLOCK>().0,
        from.as_chunks::<BLOCK>().0,
    );
    for (target, from) in target.iter_mut().zip(from).take(N) {
        *target = *from;
    }
}

/// Copies the content of the quotes at a position, without the quotes.
#[inline]
fn bare(from: &SourceBytes, target: &mut SourceBytes, start: usize, quoted: usize) {
    let from = from.get(start + 1..start + 1 + FEW);
    let target = target.get_mut(start..start + FEW);
    if let (Some(from), Some(target)) = (from.and_then(<[u8]>::first_chunk::<FEW>), target) {
        // Whether the content is empty cannot be predicted, so there is no branch.
        let is_null = u128::from(quoted == 0);
        let null = u128::from(u32::from_le_bytes(*NULL)) & is_null.wrapping_neg();
        let word = u128::from_le_bytes(*from) & is_null.wrapping_sub(1) | null;
        target.copy_from_slice(&word.to_le_bytes());
    }
}

#[cfg(test)]
mod tests;
