//! A feed on its way out.

use super::lines::Mark;
use super::plan::{Piece, Plan, begin_anew};
use crate::dataset::{InScope, LineWriter, OwnRecords, find_record, removal_line};
use crate::error::{Error, Result};
use crate::record::Kind;
use crate::record::position::Position;
use crate::record::scope::{Scope, Whom};
use crate::store::{Area, Lease, Snapshot, Touched};
use std::collections::VecDeque;

/// What changed for a follower, line by line: records that are new or other, those that are
/// gone, and how far the follower has come with them.
///
/// Its lines are those of the moment at which it was asked for; while it lives, the store
/// cannot be compacted or suspended. They hold personal data: hand them to the device alone
/// that may see the scope.
pub struct Feed {
    lease: Lease,
    scope: Scope,
    pieces: VecDeque<Piece>,
    /// What is being exported.
    writer: Option<LineWriter>,
    /// What was written and not yet fetched.
    lines: VecDeque<String>,
    to: Position,
    has_changes: bool,
}

/// A head has two positions, and is far shorter than the longest line.
const LONGEST_POSITION: usize = 256 << 10;

/// How many records are looked up at once.
const AT_ONCE: usize = 1000;

impl Feed {
    pub(crate) fn new(lease: Lease, scope: &Scope, after: Option<&str>) -> Result<Feed> {
        let after = match after {
            Some(text) => Some(Position::from_text(text).ok_or_else(begin_anew)?),
            None => None,
        };
        let plan = lease.read(|snapshot| Plan::new(snapshot, scope, after))?;
        if plan.to.to_text().len() > LONGEST_POSITION {
            return Err(Error::unsupported(
                "a scope of so many learners is too long: name their schools",
            ));
        }
        Ok(Feed {
            lease,
            scope: scope.clone(),
            pieces: plan.pieces,
            writer: None,
            lines: VecDeque::new(),
            to: plan.to,
            has_changes: plan.has_changes,
        })
    }

    /// Whether anything changed for the follower. A feed without changes may still have
    /// lines that move the position on.
    pub fn has_changes(&self) -> bool {
        self.has_changes
    }

    /// Where a follower is that has taken all of it: what to ask for the next feed after.
    pub fn position(&self) -> String {
        self.to.to_text()
    }

    /// Writes the next lines; says whether anything was left.
    fn write(&mut self) -> Result<bool> {
        let Feed {
            lease,
            scope,
            pieces,
            writer,
            lines,
            ..
        } = self;
        lease.read(|snapshot| {
            if let Some(open) = writer {
                match open.next(snapshot)? {
                    Some(line) => lines.push_back(line),
                    None => *writer = None,
                }
                return Ok(true);
            }
            let Some(piece) = pieces.pop_front() else {
                return Ok(false);
            };
            match piece {
                Piece::Mark(mark) => lines.push_back(Mark::to_line(&mark)),
                Piece::Tables => *writer = Some(LineWriter::of_global_tables()),
                Piece::School(school, whom) => {
                    *writer = Some(LineWriter::of_school(
                        school,
                        Box::new(one(scope, school, whom)),
                    ));
                }
                Piece::TablesOfSchool(school) => {
                    let nobody = Whom::Learners([].into());
                    *writer = Some(LineWriter::of_school(
                        school,
                        Box::new(one(scope, school, nobody)),
                    ));
                }
                Piece::Learners(school, learners) => {
                    let own = OwnRecords {
                        snapshot,
                        school,
                        kinds: scope.kinds,
                    };
                    own.each(&learners, &mut |line| lines.push_back(line))?;
                }
                Piece::Named(school, mut named) => {
                    for (kind, id) in named.by_ref().take(AT_ONCE) {
                        let found = find_record(snapshot, kind, &[school, id])?;
                        lines.extend(found.map(|found| found.line));
                    }
                    if named.len() > 0 {
                        pieces.push_front(Piece::Named(school, named));
                    }
                }
                Piece::Records(area, whom, mut touched) => {
                    for touched in touched.by_ref().take(AT_ONCE) {
                        lines.extend(record(snapshot, area, &whom, touched)?);
                    }
                    if touched.len() > 0 {
                        pieces.push_front(Piece::Records(area, whom, touched));
                    }
                }
            }
            Ok(true)
        })
    }
}

/// What an export takes of one school.
fn one(scope: &Scope, school: u64, whom: Whom) -> InScope {
    InScope::new(Scope {
        schools: [(school, whom)].into(),
        kinds: scope.kinds,
    })
}

/// A record as it is now, or its removal.
fn record(
    snapshot: &Snapshot,
    area: Area,
    whom: &Whom,
    touched: Touched,
) -> Result<Option<String>> {
    let Some(kind) = Kind::numbered(touched.kind) else {
        return Ok(None);
    };
    let count = kind.fields().iter().filter(|field| field.is_key()).count();
    let school = match area {
        Area::Global => None,
        Area::School(school) => Some(school),
    };
    let key: Vec<u64> = school
        .into_iter()
        .chain(touched.words)
        .take(count)
        .collect();
    let found = find_record(snapshot, kind, &key)?;
    // It may be another learner's by now.
    let found = found.filter(|found| found.learner.is_none_or(|learner| whom.has(learner)));
    Ok(Some(match found {
        Some(found) => found.line,
        None => removal_line(kind, &key),
    }))
}

impl Iterator for Feed {
    type Item = Result<String, Error>;

    /// The next line, without its line feed.
    fn next(&mut self) -> Option<Result<String, Error>> {
        loop {
            if let Some(line) = self.lines.pop_front() {
                return Some(Ok(line));
            }
            match self.write() {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => {
                    self.pieces.clear();
                    self.writer = None;
                    return Some(Err(error.into()));
                }
            }
        }
    }
}
