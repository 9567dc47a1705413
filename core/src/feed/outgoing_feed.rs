//! A feed that is being sent.

use super::feed_lines::{FeedLine, LineChecksum};
use super::plan::{Plan, Segment};
use super::writer::FeedWriter;
use crate::dataset::LineBuffer;
use crate::error::{Error, Result};
use crate::record::replication::scope::Scope;
use crate::store::Lease;

/// The changes for a follower, line by line: records that were added or changed, records that were
/// removed, and the position of the follower after them.
///
/// The lines show the store as it was when the feed was requested. Calls that erase, compact or
/// suspend wait for an open feed, but only for `writer_wait`; a feed that is not read to its end by
/// then fails with `reader_ended`. The lines are personal data: send them only to a device that may
/// see the scope.
pub struct Feed {
    lease: Lease,
    writer: FeedWriter,
    /// Lines that were written and not fetched yet.
    lines: LineBuffer,
    /// The count and digest of the lines of the current part that were fetched.
    sum: LineChecksum,
    to: String,
    has_changes: bool,
}

/// The maximum length of a head. A head contains the scope, and must be shorter than the longest
/// permitted line.
const MAX_HEAD_BYTES: usize = 512 << 10;

impl Feed {
    pub(crate) fn new(lease: Lease, scope: &Scope, after: Option<&str>) -> Result<Feed> {
        let journal_bytes = lease.journal_bytes();
        let plan = lease.read(|snapshot| Plan::new(snapshot, scope, after, journal_bytes))?;
        if let Some(Segment::Feed(head)) = plan.segments.front()
            && FeedLine::Feed(head.clone()).to_line().len() > MAX_HEAD_BYTES
        {
            return Err(Error::unsupported(
                "a scope of so many learners and schools is too long: use schools instead of learners, or fewer of either",
            ));
        }
        Ok(Feed {
            lease,
            lines: LineBuffer::default(),
            sum: LineChecksum::default(),
            to: plan.to.clone(),
            has_changes: plan.must_apply,
            writer: FeedWriter::new(scope.clone(), plan),
        })
    }

    /// Returns whether the follower should apply the feed: its data changed, or its position will
    /// soon be too old for this store. Otherwise a server can answer that nothing changed, and the
    /// follower need not write anything.
    pub fn has_changes(&self) -> bool {
        self.has_changes
    }

    /// Returns the position of a follower that has applied the complete feed. The next feed may be
    /// requested after this position. Only the position that the follower itself returns
    /// ([`followed`](crate::Engine::followed)) also requests the comparisons that are due.
    pub fn position(&self) -> String {
        self.to.clone()
    }
}

impl Iterator for Feed {
    type Item = Result<String, Error>;

    /// Returns the next line, without its line feed.
    fn next(&mut self) -> Option<Result<String, Error>> {
        loop {
            if let Some(line) = self.lines.pop() {
                self.sum.add(line.as_bytes());
                return Some(Ok(line));
            }
            if self.writer.is_empty() {
                return None;
            }
            let Feed {
                lease,
                writer,
                lines,
                sum,
                ..
            } = self;
            if let Err(error) = lease.read(|snapshot| writer.write(snapshot, lines, sum)) {
                self.writer.clear();
                return Some(Err(error.into()));
            }
        }
    }
}
