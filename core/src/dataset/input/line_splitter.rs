//! Splits bytes that arrive in pieces into lines.

use crate::json;

/// The maximum length of a line, without its line feed.
pub(crate) const LINE_BYTES: usize = 1 << 20;

/// Joins pieces into lines. It stores at most one unfinished line.
#[derive(Default)]
pub(crate) struct Lines {
    unfinished: Vec<u8>,
    /// Whether the unfinished line is too long. Its bytes are then discarded.
    too_long: bool,
    /// The number of the last complete line.
    number: u64,
}

/// A complete line.
pub(crate) enum SplitLine<'a> {
    Line(&'a [u8]),
    TooLong,
}

impl Lines {
    /// Passes every line that these bytes complete to `each`, with its number.
    #[cfg_attr(module, optimize(speed))]
    pub(crate) fn push<E>(
        &mut self,
        mut bytes: &[u8],
        each: &mut dyn FnMut(u64, SplitLine<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            let (line, rest) = bytes.split_at(end);
            bytes = rest.get(1..).unwrap_or_default();
            if self.unfinished.is_empty() && !self.too_long {
                self.number += 1;
                each(self.number, self.cut(line))?;
            } else {
                self.append(line);
                self.end_line(each)?;
            }
        }
        self.append(bytes);
        Ok(())
    }

    /// Passes the last line to `each`, if it lacks its line feed.
    pub(crate) fn finish<E>(
        &mut self,
        each: &mut dyn FnMut(u64, SplitLine<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.unfinished.is_empty() && !self.too_long {
            return Ok(());
        }
        self.end_line(each)
    }

    /// Appends bytes to the unfinished line, or discards them if the line is too long.
    fn append(&mut self, bytes: &[u8]) {
        self.too_long |= self.unfinished.len() + bytes.len() > LINE_BYTES;
        if self.too_long {
            self.unfinished = Vec::new();
        } else {
            self.unfinished.extend_from_slice(bytes);
        }
    }

    /// Passes the unfinished line to `each`.
    fn end_line<E>(
        &mut self,
        each: &mut dyn FnMut(u64, SplitLine<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.number += 1;
        let line = std::mem::take(&mut self.unfinished);
        let ended = if std::mem::take(&mut self.too_long) {
            each(self.number, SplitLine::TooLong)
        } else {
            each(self.number, self.cut(&line))
        };
        self.unfinished = line;
        self.unfinished.clear();
        ended
    }

    /// Returns the current line. The first one may begin with a byte order mark, which is skipped.
    fn cut<'l>(&self, line: &'l [u8]) -> SplitLine<'l> {
        let line = match self.number {
            1 => json::without_byte_order_mark(line),
            _ => line,
        };
        if line.len() > LINE_BYTES {
            SplitLine::TooLong
        } else {
            SplitLine::Line(line)
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::dataset::input::line_splitter::*;

    fn cut_by(text: &[u8], pieces: usize) -> Vec<(u64, Option<Vec<u8>>)> {
        let mut lines = Lines::default();
        let mut all = Vec::new();
        let mut each = |number, cut: SplitLine<'_>| {
            all.push(match cut {
                SplitLine::Line(line) => (number, Some(line.to_vec())),
                SplitLine::TooLong => (number, None),
            });
            Ok::<(), ()>(())
        };
        for piece in text.chunks(pieces) {
            assert_eq!(lines.push(piece, &mut each), Ok(()));
        }
        assert_eq!(lines.finish(&mut each), Ok(()));
        all
    }

    #[test]
    fn a_byte_order_mark_before_the_first_line_is_skipped() {
        let text = "\u{feff}a\n\u{feff}b\n".as_bytes();
        let line = |number, line: &str| (number, Some(line.as_bytes().to_vec()));
        for pieces in [1, 2, 3, 4, 100] {
            assert_eq!(cut_by(text, pieces), [line(1, "a"), line(2, "\u{feff}b")]);
        }
        assert_eq!(cut_by("\u{feff}".as_bytes(), 1), [line(1, "")]);
    }

    #[test]
    fn lines_do_not_depend_on_the_pieces() {
        let long = [
            b"x".repeat(LINE_BYTES),
            b"\n".to_vec(),
            b"y".repeat(LINE_BYTES + 1),
        ]
        .concat();
        for text in [
            b"a\nbc\n\nd".to_vec(),
            b"".to_vec(),
            b"\n\n".to_vec(),
            [&long[..], b"\nz"].concat(),
        ] {
            let whole: Vec<_> = text
                .split(|byte| *byte == b'\n')
                .map(<[u8]>::to_vec)
                .collect();
            let mut expected: Vec<_> = whole
                .into_iter()
                .enumerate()
                .map(|(at, line)| (at as u64 + 1, (line.len() <= LINE_BYTES).then_some(line)))
                .collect();
            expected.pop_if(|(_, last)| last.as_ref().is_some_and(Vec::is_empty));
            for pieces in [1, 3, 100_000, usize::MAX] {
                if pieces > 1 || text.len() < 100 {
                    assert_eq!(cut_by(&text, pieces), expected);
                }
            }
        }
    }
}
