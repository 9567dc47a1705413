//! Receives a feed. Lines are checked and staged outside any transaction, and the end of each part
//! of a feed commits that part in one transaction.

use super::compare::Compared;
use super::feed_lines::{FeedHead, FeedLine, LineChecksum, digest_of};
use super::feed_part::{FeedPart, not_followed};
use crate::dataset::{Line, Lines, Progress, SpillingStage, SplitLine, Summary, parse_line};
use crate::error::{Error, Failure, Fault, Result};
use crate::record::Value;
use crate::record::replication::erased_learners::ErasedLearners;
use crate::record::replication::position::{FollowerPosition, FollowerState};
use crate::record::replication::scope::{RecordOwner, Scope};
use crate::store::{ChangePosition, Store, Write};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A feed that is being received. Push its bytes in pieces of any size, then call
/// [`finish`](Self::finish).
///
/// Each part of a feed is stored durably together with the position after it, or not at all. A feed
/// may therefore be cut anywhere: complete parts are stored, and the next feed is requested after
/// the position that [`Engine::followed`](crate::Engine::followed) returns. Parts that arrive late
/// or twice change nothing.
pub struct Follow {
    store: Arc<Store>,
    lines: Lines,
    stage: SpillingStage,
    /// The feed whose parts are arriving.
    feed: Option<FeedState>,
    part: Option<OpenPart>,
    failed: Option<Failure>,
    progress: Progress,
    summary: Summary,
    /// Whether a part was committed.
    has_committed: bool,
    /// Whether [`finish`](Follow::finish) was called after the end of the last part.
    is_finished: bool,
}

/// A feed whose head has arrived.
struct FeedState {
    change_position: ChangePosition,
    /// The scope after the whole feed, if it differs from the scope before.
    scope: Option<Scope>,
    /// The schools whose records later parts contain.
    pending: BTreeSet<u64>,
}

impl FeedState {
    /// Returns the schools that later parts must still send, where `scope` is the scope that the
    /// store has so far.
    fn pending_schools(&self, scope: &Scope) -> impl Iterator<Item = u64> {
        let pending = self.pending.iter().copied();
        pending.filter(|school| scope.audience(*school).is_none())
    }
}

/// The part of a feed whose lines are arriving.
struct OpenPart {
    /// `None` if the part was committed before. Its lines are then ignored.
    part: Option<Box<FeedPart>>,
    /// The count and digest of the lines so far.
    sum: LineChecksum,
}

impl Follow {
    pub(crate) fn new(store: Arc<Store>) -> Follow {
        Follow {
            stage: SpillingStage::new(store.clone()),
            store,
            lines: Lines::default(),
            feed: None,
            part: None,
            failed: None,
            progress: Progress::default(),
            summary: Summary::default(),
            has_committed: false,
            is_finished: false,
        }
    }

    /// Receives the next bytes of a feed.
    ///
    /// # Errors
    /// Fails with `bad_dataset` for the first faulty line; with `out_of_sync` if a part does not
    /// begin at the position of this store; with `busy` or `io`. Nothing of the incomplete part is
    /// stored, but all parts before it are. Fails with `diverged` if, after a part, the records of
    /// this store differ from those of its source: that part is stored too, and the next feed sends
    /// everything again, once. After an error, every further call returns the same error.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.progress.bytes += bytes.len() as u64;
        Ok(self.receive(|lines, each| lines.push(bytes, each))?)
    }

    /// Returns how many lines and bytes were received so far.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// Ends the feed and returns a summary of its changes. If the feed removed people, because they
    /// were erased at the source or left the scope, this call also erases their data from the file
    /// of the store, which takes as long as [`Engine::compact`](crate::Engine::compact). If the
    /// process is killed meanwhile, the erasure is repeated when the store is opened again.
    ///
    /// # Errors
    /// Fails as [`push`](Self::push) does, and with `bad_dataset` if the end of the last part is
    /// missing. If the erasure fails, it fails as
    /// [`Engine::erase_learner`](crate::Engine::erase_learner) does: all of the feed is stored, and
    /// the next feed repeats the erasure.
    pub fn finish(mut self) -> Result<Summary, Error> {
        self.receive(Lines::finish)?;
        if self.part.is_some() {
            return Err(fault(self.progress.lines, CUT).into());
        }
        self.is_finished = true;
        self.store.erase_leftovers()?;
        let mut summary = std::mem::take(&mut self.summary);
        summary.lines = self.progress.lines;
        summary.bytes = self.progress.bytes;
        Ok(summary)
    }

    fn receive(
        &mut self,
        split: impl FnOnce(&mut Lines, &mut dyn FnMut(u64, SplitLine<'_>) -> Result<()>) -> Result<()>,
    ) -> Result<()> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let mut lines = std::mem::take(&mut self.lines);
        let outcome = split(&mut lines, &mut |number, cut| {
            self.receive_line(number, &cut)
        });
        self.lines = lines;
        self.failed = outcome.as_ref().err().cloned();
        outcome
    }

    fn receive_line(&mut self, number: u64, cut: &SplitLine<'_>) -> Result<()> {
        self.progress.lines = number;
        let SplitLine::Line(line) = cut else {
            return Err(fault(number, "is longer than 1 MiB"));
        };
        match FeedLine::parse(line) {
            Some(Ok(feed_line)) => self.receive_feed_line(number, feed_line)?,
            Some(Err(what)) => return Err(fault(number, &what)),
            None => self.receive_record(number, line)?,
        }
        if let Some(open) = &mut self.part {
            open.sum.add(line);
        }
        Ok(())
    }

    fn receive_feed_line(&mut self, number: u64, line: FeedLine) -> Result<()> {
        match (line, &mut self.part) {
            (FeedLine::Feed(_) | FeedLine::Part(..), Some(_)) => Err(fault(number, CUT)),
            (FeedLine::Feed(head), None) => self.begin_feed(number, *head),
            (FeedLine::Part(from, schools), None) => self.begin_part(number, &from, &schools),
            (_, None) => Err(fault(number, BEFORE_HEAD)),
            (FeedLine::End(sum), Some(open)) if open.part.is_some() && sum != open.sum => {
                Err(fault(number, ALTERED))
            }
            (FeedLine::End(_), Some(_)) => self.end_part(),
            (_, Some(OpenPart { part: None, .. })) => Ok(()),
            (
                line,
                Some(OpenPart {
                    part: Some(part), ..
                }),
            ) => {
                let added = part.add(line);
                added.map_err(|what| fault(number, &what))
            }
        }
    }

    /// Begins the first part of a feed.
    fn begin_feed(&mut self, number: u64, head: FeedHead) -> Result<()> {
        let FeedHead {
            from,
            change_position,
            parts,
            scope,
            pending,
        } = head;
        let followed = self.read_followed()?;
        let mut to = None;
        if is_next(followed.as_ref(), from.as_deref(), change_position)? {
            let before = followed.as_ref().map(|followed| &followed.position.scope);
            let mut first_scope = match scope.as_ref().or(before) {
                Some(first_scope) => first_scope.clone(),
                None => return Err(fault(number, "names no scope")),
            };
            if !pending
                .iter()
                .all(|school| first_scope.audience(*school).is_some())
            {
                return Err(fault(number, "a pending school is not in the scope"));
            }
            first_scope
                .schools
                .retain(|school, _| !pending.contains(school));
            to = Some(FollowerPosition {
                change_position,
                parts,
                scope: first_scope,
                is_incomplete: !pending.is_empty(),
                wants_checksums: false,
            });
        }
        self.feed = Some(FeedState {
            change_position,
            scope,
            pending,
        });
        self.open_part(followed, to);
        Ok(())
    }

    /// Begins a later part of the feed, which contains the records of `schools`.
    fn begin_part(&mut self, number: u64, from: &str, schools: &BTreeSet<u64>) -> Result<()> {
        let followed = self.read_followed()?;
        let Some(feed) = &self.feed else {
            return Err(fault(number, BEFORE_HEAD));
        };
        if !schools.is_subset(&feed.pending) {
            return Err(fault(number, "contains a school that is not pending"));
        }
        let mut to = None;
        if is_next(followed.as_ref(), Some(from), feed.change_position)?
            && let Some(before) = &followed
        {
            let mut position = before.position.clone();
            for school in schools {
                let new = feed
                    .scope
                    .as_ref()
                    .and_then(|scope| scope.audience(*school));
                let audience = new.or_else(|| before.awaiting_resend.audience(*school));
                let audience = audience.ok_or_else(|| fault(number, &not_followed(*school)))?;
                position.scope.schools.insert(*school, audience.clone());
            }
            position.change_position = feed.change_position;
            position.parts = position.parts.saturating_add(1);
            position.is_incomplete = feed.pending_schools(&position.scope).next().is_some();
            to = Some(position);
        }
        self.open_part(followed, to);
        Ok(())
    }

    /// Opens a part that ends at the position `to`. If `to` is `None`, the part was committed
    /// before.
    fn open_part(&mut self, before: Option<FollowerState>, to: Option<FollowerPosition>) {
        let feed = self.feed.as_ref();
        let part = to.map(|to| {
            let pending = feed
                .into_iter()
                .flat_map(|feed| feed.pending_schools(&to.scope));
            Box::new(FeedPart {
                pending: pending.collect(),
                to,
                before,
                whole: BTreeSet::new(),
                erased: BTreeMap::new(),
                coverage: BTreeMap::new(),
                entry_count: 0,
                sums: BTreeMap::new(),
            })
        });
        self.part = Some(OpenPart {
            part,
            sum: LineChecksum::default(),
        });
    }

    fn read_followed(&self) -> Result<Option<FollowerState>> {
        self.store.read(|snapshot| FollowerState::read(&**snapshot))
    }

    fn receive_record(&mut self, number: u64, line: &[u8]) -> Result<()> {
        let part = match &mut self.part {
            Some(OpenPart { part: None, .. }) => return Ok(()),
            Some(OpenPart { part, .. }) => part.as_mut(),
            None => None,
        };
        let Some(part) = part else {
            return match parse_line(line) {
                Ok(None) => Ok(()),
                _ => Err(fault(number, BEFORE_HEAD)),
            };
        };
        let Some(mut line) = parse_line(line).map_err(|what: String| fault(number, &what))? else {
            return Ok(());
        };
        if RecordOwner::of_kind(line.kind) == RecordOwner::App {
            let what = format!("{}: does not belong in a feed", line.kind.name());
            return Err(fault(number, &what));
        }
        let key: Vec<u64> = line.key().collect();
        let school = line.kind.is_of_school().then(|| key.first()).flatten();
        if let Some(school) = school {
            let scope = &part.to.scope;
            if scope.audience(*school).is_none() {
                let what = format!("{}: {}", line.kind.name(), not_followed(*school));
                return Err(fault(number, &what));
            }
            let owner = owner(&line, &key);
            if !line.deleted && !scope.may_have(line.kind, *school, owner) {
                let what = format!("{}: is not in the scope", line.kind.name());
                return Err(fault(number, &what));
            }
            let read = |snapshot: &Arc<_>| ErasedLearners::read(snapshot, *school);
            let erased = match part.erased.entry(*school) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(unknown) => unknown.insert(self.store.read(read)?),
            };
            // This store may contain the record with another learner as its owner, so it is
            // removed.
            line.deleted |= !erased.is_empty() && owner.is_some_and(|owner| erased.has(owner));
        }
        self.stage.push(number, &line, None)
    }

    /// Commits the part whose end has arrived, and compares the records if the part has sums.
    fn end_part(&mut self) -> Result<()> {
        let staged = self.stage.take();
        if let Some(OpenPart {
            part: Some(part), ..
        }) = self.part.take()
        {
            let mut sorter = Some(staged);
            let compared = Compared {
                at: part.to.clone(),
                sums: part.sums.clone(),
                was_resent: part.asked_again(),
            };
            let commit =
                |write: &mut Write<'_>| part.commit(write, sorter.take().unwrap_or_default());
            self.summary.add(&self.store.write(commit)?);
            self.has_committed = true;
            self.stage.clear();
            return compared.compare(&self.store);
        }
        self.stage.clear();
        Ok(())
    }
}

impl Drop for Follow {
    fn drop(&mut self) {
        self.stage.clear();
        // Parts of an incomplete feed may also have removed people. If the erasure fails, the next
        // feed repeats it.
        if !self.is_finished && self.has_committed {
            let _ = self.store.erase_leftovers();
        }
    }
}

const ALTERED: &str = "lines of the feed are missing or altered: request it again with the position that `followed` returns";

const CUT: &str =
    "the feed is incomplete: request it again with the position that `followed` returns";

const BEFORE_HEAD: &str = "precedes the head of a feed";

/// Returns whether a part that leads to the change position `to` begins at the position of the
/// store. Returns false if the part was committed before, and fails with `out_of_sync` otherwise.
fn is_next(
    followed: Option<&FollowerState>,
    from: Option<&str>,
    to: ChangePosition,
) -> Result<bool> {
    let position = followed.map(|followed| &followed.position);
    let now = position.map(|now| digest_of(&now.to_text()));
    // The source does not know whether its follower wants checksums after a feed.
    let sent = position.map(|now| digest_of(&now.without_checksums().to_text()));
    if now.as_deref() == from || sent.as_deref() == from {
        return Ok(true);
    }
    match position.map(|now| now.change_position) {
        Some(now) if to.incarnation == now.incarnation && to.sequence <= now.sequence => Ok(false),
        _ => Err(Error::OutOfSync.into()),
    }
}

/// Returns the learner to whom a record belongs.
fn owner(line: &Line<'_>, key: &[u64]) -> Option<u64> {
    let of = |column: usize| {
        let mut fields = line.kind.fields().iter().zip(&line.values);
        let field = fields.find(|(field, _)| field.filter_column.map(usize::from) == Some(column));
        Ok(field.and_then(|(_, value)| Value::integer(value)))
    };
    line.kind.learner(key, of).ok().flatten()
}

fn fault(line: u64, what: &str) -> Failure {
    let what = what.to_owned();
    Error::BadDataset(Fault { line, what }).into()
}
