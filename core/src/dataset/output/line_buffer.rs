//! Writes lines in steps of bounded size.

use crate::error::Result;
use crate::store::Snapshot;
use std::collections::VecDeque;

/// A part of an export or a feed. Its lines are written in steps, as they are fetched.
pub(crate) trait LineSource: Send + Sync {
    /// Writes more lines, until the buffer is full or no lines are left. Returns false if none were
    /// left before the call. A step may write nothing and still return true.
    fn write(&mut self, snapshot: &Snapshot, lines: &mut LineBuffer) -> Result<bool>;
}

/// Lines that were written and not fetched yet.
#[derive(Default)]
pub(crate) struct LineBuffer {
    lines: VecDeque<String>,
    bytes: usize,
}

impl LineBuffer {
    /// The number of bytes of lines at which the buffer is full. A step ends when it is reached.
    const FULL: usize = 64 << 10;

    pub(crate) fn push(&mut self, line: String) {
        self.bytes += line.len();
        self.lines.push_back(line);
    }

    /// Returns the next line.
    pub(crate) fn pop(&mut self) -> Option<String> {
        let line = self.lines.pop_front()?;
        self.bytes -= line.len();
        Some(line)
    }

    pub(crate) fn is_full(&self) -> bool {
        self.bytes >= LineBuffer::FULL
    }
}
