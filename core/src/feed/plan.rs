//! Plans the segments of a feed, from the position of its follower to the state of the source.

use super::feed_lines::{FeedHead, digest_of};
use super::line_sources::ChangedRecords;
use crate::dataset::replication::stored_fetch_log;
use crate::error::{Error, Result};
use crate::record::presence::has_records;
use crate::record::replication::position::{FollowerPosition, FollowerState};
use crate::record::replication::resume_token::ResumeToken;
use crate::record::replication::scope::{Audience, Scope};
use crate::store::{ChangesSince, LogPartition, Snapshot};
use std::collections::{BTreeSet, VecDeque};

/// A segment of a feed. Its lines are made when they are fetched.
pub(super) enum Segment {
    /// The head of the feed, which begins its first part.
    Feed(Box<FeedHead>),
    /// The head of a later part, which contains all records of these schools.
    Part(Vec<u64>),
    /// The end of a part.
    End,
    /// All lists that belong to no school.
    Lists,
    /// The changes of the lists that belong to no school.
    ChangedLists,
    /// All records of a school that are in the scope.
    School(u64),
    /// The changes of a school; also its coverage if `has_coverage_changes` is true.
    Changes {
        school: u64,
        has_coverage_changes: bool,
    },
    /// The sum of the lists that belong to no school, or of the records of a school that are in the
    /// scope.
    Sum(Option<u64>),
}

/// The plan of a feed.
pub(super) struct Plan {
    pub(super) segments: VecDeque<Segment>,
    /// The position of the follower, if this store knows the changes since then.
    pub(super) after: Option<ResumeToken>,
    /// The position of the follower after the first part.
    pub(super) first: FollowerPosition,
    /// The position of the follower after the complete feed, which it sends with its next request.
    pub(super) to: String,
    /// Whether the follower should apply the feed.
    pub(super) must_apply: bool,
}

/// The maximum number of parts of a feed after the first. At the end of each, a follower writes the
/// list of its schools, so that more parts would mean more writing.
const MAX_PARTS: usize = 64;

/// The number of changed records of a log partition above which all of its records are sent.
const MAX_CHANGED: usize = 1 << 16;

struct Planner<'a> {
    snapshot: &'a Snapshot,
    scope: &'a Scope,
    after: Option<&'a ResumeToken>,
    segments: VecDeque<Segment>,
    /// Whether anything changed for the follower.
    has_changes: bool,
    /// The number of bytes of a log partition that may be newer than the position of the follower.
    /// Above this number the position is ageing.
    max_behind: u64,
    /// Whether the position of the follower will soon be too old for this store.
    is_ageing: bool,
}

impl Plan {
    /// Plans a feed. A follower whose position this store does not know receives the complete
    /// scope.
    pub(super) fn new(
        snapshot: &Snapshot,
        scope: &Scope,
        after: Option<&str>,
        journal_bytes: u64,
    ) -> Result<Plan> {
        let change_position = snapshot.change_position()?;
        let token = match after {
            Some(text) => ResumeToken::from_text(text).map_err(|_| Error::ResyncRequired)?,
            None => None,
        };
        let token = token.map(|token| token.resolved(scope));
        let followed = FollowerState::read(snapshot)?;
        check_scope_is_available(snapshot, followed.as_ref(), scope)?;
        check_first_passes(snapshot, scope)?;
        let is_known = match &token {
            Some(token) => snapshot.covers(token.change_position)?,
            None => false,
        };
        let mut planner = Planner {
            snapshot,
            scope,
            after: token.as_ref().filter(|_| is_known),
            segments: VecDeque::new(),
            has_changes: false,
            max_behind: journal_bytes / 2,
            is_ageing: false,
        };
        let whole = planner.plan_changes()?;
        let is_same = token.as_ref().is_some_and(|token| token.has_scope(scope));
        let is_incomplete = token.as_ref().is_some_and(|token| token.is_amid);
        let has_changes = planner.has_changes || !is_same || is_incomplete || !whole.is_empty();
        let before = token.as_ref().map(|token| token.change_position);
        let is_ageing = planner.is_ageing
            || before.is_some_and(|before| before.incarnation != change_position.incarnation);
        let mut segments = planner.segments;
        let mut first = FollowerPosition {
            change_position,
            parts: token.as_ref().map_or(0, |token| token.parts) + 1,
            scope: scope.clone(),
            is_incomplete: !whole.is_empty(),
            wants_checksums: false,
        };
        first
            .scope
            .schools
            .retain(|school, _| !whole.contains(school));
        let mut to = after.unwrap_or_default().to_owned();
        if has_changes || before != Some(change_position) {
            segments.push_front(Segment::Feed(Box::new(FeedHead {
                from: after.map(digest_of),
                change_position,
                parts: first.parts,
                scope: (!is_same).then(|| scope.clone()),
                pending: whole.clone(),
            })));
            if has_changes
                && whole.is_empty()
                && token.as_ref().is_some_and(|token| token.wants_sums)
            {
                let schools = scope.schools.keys().copied().map(Some);
                segments.extend([None].into_iter().chain(schools).map(Segment::Sum));
            }
            segments.push_back(Segment::End);
            let whole: Vec<u64> = whole.into_iter().collect();
            let mut parts = 0;
            for schools in whole.chunks(whole.len().div_ceil(MAX_PARTS).max(1)) {
                segments.push_back(Segment::Part(schools.to_vec()));
                parts += 1;
            }
            let last = FollowerPosition {
                parts: first.parts + parts,
                scope: scope.clone(),
                is_incomplete: false,
                ..first
            };
            to = last.to_text();
        }
        Ok(Plan {
            segments,
            after: token.filter(|_| is_known),
            first,
            to,
            must_apply: has_changes || is_ageing,
        })
    }
}

impl Planner<'_> {
    /// Plans the changes since the position of the follower. Returns the schools that must be sent
    /// completely.
    fn plan_changes(&mut self) -> Result<BTreeSet<u64>> {
        let Some(after) = self.after else {
            self.add(Segment::Lists);
            return Ok(self.scope.schools.keys().copied().collect());
        };
        // If the follower had no schools, the lists may have belonged to its app.
        let was_of_schools = after.has_schools() || self.scope.schools.is_empty();
        let lists = ChangedRecords::of_lists(after.change_position, self.scope.kinds);
        let changed = match self.since(LogPartition::Global)? {
            ChangesSince::Listed { .. } if was_of_schools => {
                lists.count(self.snapshot, MAX_CHANGED)?
            }
            _ => None,
        };
        match changed {
            Some(0) => {}
            Some(_) => self.add(Segment::ChangedLists),
            None => self.add(Segment::Lists),
        }
        let mut whole = BTreeSet::new();
        for (school, audience) in &self.scope.schools {
            if !self.plan_school(*school, audience)? {
                whole.insert(*school);
            }
        }
        Ok(whole)
    }

    fn add(&mut self, segment: Segment) {
        self.has_changes = true;
        self.segments.push_back(segment);
    }

    /// Plans the changes of a school that the follower has. Returns false if the school must be
    /// sent completely.
    fn plan_school(&mut self, school: u64, audience: &Audience) -> Result<bool> {
        let kinds = self.scope.kinds;
        let Some(after) = self.after else {
            return Ok(false);
        };
        let Some(change) = after.change(school, kinds, audience) else {
            return Ok(false);
        };
        let log_partition = LogPartition::School(school);
        let ChangesSince::Listed { coverage, .. } = self.since(log_partition)? else {
            return Ok(false);
        };
        // Coverage contains entries of learners, so it depends on the audience.
        let has_coverage_changes = coverage || !change.is_none();
        let changed = ChangedRecords::new(
            log_partition,
            after.change_position,
            kinds,
            audience.clone(),
            change.staying,
        );
        let Some(count) = changed.count(self.snapshot, MAX_CHANGED)? else {
            return Ok(false);
        };
        if has_coverage_changes || count > 0 {
            self.add(Segment::Changes {
                school,
                has_coverage_changes,
            });
        }
        Ok(true)
    }

    /// Returns what the journal contains of a log partition since the position of the follower.
    fn since(&mut self, log_partition: LogPartition) -> Result<ChangesSince> {
        let Some(after) = self.after else {
            return Ok(ChangesSince::Whole);
        };
        let since = self.snapshot.since(log_partition, after.change_position)?;
        if let ChangesSince::Listed { bytes, .. } = since {
            self.is_ageing |= bytes > self.max_behind;
        }
        Ok(since)
    }
}

/// Fails if this store follows another one and the scope names more than this store has: data of a
/// followed school that is outside its scope, or a school that is neither followed nor belongs to
/// the app.
fn check_scope_is_available(
    snapshot: &Snapshot,
    followed: Option<&FollowerState>,
    scope: &Scope,
) -> Result<()> {
    let Some(followed) = followed else {
        return Ok(());
    };
    let mut requested = scope.clone();
    let followed_scope = &followed.position.scope;
    requested
        .schools
        .retain(|school, _| followed_scope.audience(*school).is_some());
    let mut is_within = requested.schools.is_empty() || requested.is_within(followed_scope);
    for school in scope.schools.keys() {
        if followed.awaiting_resend.audience(*school).is_some() {
            return Err(Error::unsupported(
                "this store has not received all of its scope yet: follow to the end of a feed first",
            ));
        }
        is_within = is_within
            && (requested.schools.contains_key(school)
                || !snapshot.owners().get(*school).is_app()
                || has_records(snapshot, *school)?);
    }
    if is_within {
        return Ok(());
    }
    Err(Error::unsupported(
        "this store does not have all data of the scope: request only the part that it has, or use the store that it follows",
    ))
}

/// Fails if a sync of a school has begun and has not published anything. The school is empty until
/// then, and a follower must not conclude that it has no records.
fn check_first_passes(snapshot: &Snapshot, scope: &Scope) -> Result<()> {
    for school in scope.schools.keys() {
        if snapshot.owners().get(*school).is_app()
            && !has_records(snapshot, *school)?
            && stored_fetch_log::is_begun(snapshot, *school)?
        {
            return Err(Error::NotSynced {
                school: Some(*school),
                what: "any record".to_owned(),
            }
            .into());
        }
    }
    Ok(())
}
