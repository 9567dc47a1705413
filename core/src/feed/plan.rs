//! What a feed hands out: from where its follower is to where the source is.

use super::lines::{Head, Mark, UNITS};
use crate::dataset::Named;
use crate::dataset::coverage::{self, Told};
use crate::error::{Error, Result};
use crate::record::Kind;
use crate::record::position::{Followed, Position};
use crate::record::scope::{Belonging, Scope, Whom};
use crate::store::{Area, Since, Snapshot, Touched};
use std::collections::{BTreeSet, VecDeque};
use std::vec::IntoIter;

/// A piece of a feed, from which lines are made when they are fetched.
pub(super) enum Piece {
    Mark(Mark),
    /// All tables that lie under no school.
    Tables,
    /// All of a school that is in the scope.
    School(u64, Whom),
    /// All that is a school's but its learners', of a school of which some are followed.
    TablesOfSchool(u64),
    /// All records of some learners.
    Learners(u64, BTreeSet<u64>),
    /// The records of these keys, or their removal.
    Records(Area, Whom, IntoIter<Touched>),
    /// Records that learners name.
    Named(u64, IntoIter<(Kind, u64)>),
}

/// What is to be handed out.
pub(super) struct Plan {
    pub(super) pieces: VecDeque<Piece>,
    pub(super) to: Position,
    /// Whether anything changed for the follower.
    pub(super) has_changes: bool,
}

struct Planner<'a> {
    snapshot: &'a Snapshot,
    scope: &'a Scope,
    /// What the source follows itself.
    followed: Option<Followed>,
    pieces: VecDeque<Piece>,
    has_changes: bool,
}

impl Plan {
    /// Fails as `begin_anew` if the position is not of this store's history.
    pub(super) fn new(snapshot: &Snapshot, scope: &Scope, after: Option<Position>) -> Result<Plan> {
        let moment = snapshot.moment()?;
        if let Some(after) = &after
            && !snapshot.knows(after.moment)?
        {
            return Err(begin_anew());
        }
        let followed = Followed::read(snapshot)?;
        check_reach(followed.as_ref(), scope)?;
        let mut planner = Planner {
            snapshot,
            scope,
            followed,
            pieces: VecDeque::new(),
            has_changes: false,
        };
        let mut to = Position {
            moment,
            held: Scope {
                schools: scope.schools.clone(),
                kinds: scope.kinds,
            },
            is_amid: false,
        };
        let whole = planner.changes(after.as_ref())?;
        to.held.schools.retain(|school, _| !whole.contains(school));
        to.is_amid = !whole.is_empty();
        if let Some(after) = &after {
            // A school may have waited that is no longer in the scope.
            planner.has_changes |= after.held != to.held || after.is_amid;
        }
        let first = std::mem::take(&mut planner.pieces);
        let is_news = planner.has_changes || after.as_ref() != Some(&to);
        let mut from = after;
        if is_news {
            planner.part(from.replace(to.clone()), &to, &whole, first);
        }
        let mut pending = whole.clone();
        for school in whole {
            pending.remove(&school);
            let Some(whom) = scope.whom(school) else {
                continue;
            };
            to.held.schools.insert(school, whom.clone());
            to.is_amid = !pending.is_empty();
            let pieces = planner.whole_school(school, whom)?;
            planner.part(from.replace(to.clone()), &to, &pending, pieces);
            planner.has_changes = true;
        }
        Ok(Plan {
            pieces: planner.pieces,
            to,
            has_changes: planner.has_changes,
        })
    }
}

impl Planner<'_> {
    fn part(
        &mut self,
        from: Option<Position>,
        to: &Position,
        pending: &BTreeSet<u64>,
        pieces: VecDeque<Piece>,
    ) {
        let head = Head {
            from,
            to: to.clone(),
            pending: pending.clone(),
        };
        self.pieces
            .push_back(Piece::Mark(Mark::Feed(Box::new(head))));
        self.pieces.extend(pieces);
        self.pieces.push_back(Piece::Mark(Mark::End));
    }

    /// What changed since a position; which schools must be given whole.
    fn changes(&mut self, after: Option<&Position>) -> Result<BTreeSet<u64>> {
        let all = self.scope.schools.keys().copied().collect();
        let Some(after) = after else {
            self.tables();
            return Ok(all);
        };
        // Without schools the tables may have been the app's own meanwhile.
        let was_of_schools = !after.held.schools.is_empty() || self.scope.schools.is_empty();
        match self.snapshot.touched_since(Area::Global, after.moment)? {
            Since::Records { touched, .. } if was_of_schools => {
                self.records(Area::Global, &Whom::Everybody, touched);
            }
            _ => self.tables(),
        }
        let mut whole = BTreeSet::new();
        for (school, whom) in &self.scope.schools {
            let held = after.held.whom(*school);
            let is_as_before = after.held.kinds == self.scope.kinds;
            match held.filter(|_| is_as_before) {
                Some(held) if self.school(*school, whom, held, after)? => {}
                _ => drop(whole.insert(*school)),
            }
        }
        Ok(whole)
    }

    fn tables(&mut self) {
        self.has_changes = true;
        self.pieces.push_back(Piece::Mark(Mark::Whole(None)));
        self.pieces.push_back(Piece::Tables);
    }

    /// What changed of a school that the follower holds; whether that can be told.
    fn school(&mut self, school: u64, whom: &Whom, held: &Whom, after: &Position) -> Result<bool> {
        // Of who comes nothing is told that went before.
        let (come, stay) = match (held, whom) {
            (Whom::Everybody, Whom::Everybody) => (BTreeSet::new(), Whom::Everybody),
            (Whom::Learners(before), Whom::Learners(now)) => {
                (now - before, Whom::Learners(now & before))
            }
            _ => return Ok(false),
        };
        let area = Area::School(school);
        let Since::Records { touched, coverage } =
            self.snapshot.touched_since(area, after.moment)?
        else {
            return Ok(false);
        };
        if coverage {
            let seen = self.seen(school, whom)?;
            self.pieces.extend(seen);
            self.has_changes = true;
        }
        if let Whom::Learners(learners) = whom {
            let changed = touched.iter().filter(|one| one.kind == Kind::Learner as u8);
            let mut changed: BTreeSet<u64> = changed.map(|one| one.words[0]).collect();
            changed.retain(|learner| learners.contains(learner));
            changed.extend(&come);
            self.named(school, changed)?;
        }
        let touched = self.relevant(school, whom, &stay, touched)?;
        self.records(area, &stay, touched);
        if !come.is_empty() {
            self.has_changes = true;
            self.pieces.push_back(Piece::Learners(school, come));
        }
        Ok(true)
    }

    /// What was touched of what the follower may know of: of those who stay, and of whom
    /// anybody in the scope names.
    fn relevant(
        &self,
        school: u64,
        whom: &Whom,
        stay: &Whom,
        mut touched: BTreeSet<Touched>,
    ) -> Result<BTreeSet<Touched>> {
        touched
            .retain(|one| Kind::numbered(one.kind).is_some_and(|kind| self.scope.kinds.has(kind)));
        let Some(named) = Named::by(self.snapshot, school, whom, self.scope.kinds)? else {
            return Ok(touched);
        };
        touched.retain(|one| match Kind::numbered(one.kind) {
            Some(kind) => match Belonging::of(kind) {
                Belonging::Table | Belonging::TableOfMarks => true,
                Belonging::Learner => stay.has(learner(kind, one)),
                Belonging::Named => named.has(kind, one.words[0]),
                Belonging::Staff | Belonging::App => false,
            },
            None => false,
        });
        Ok(touched)
    }

    fn records(&mut self, area: Area, whom: &Whom, touched: BTreeSet<Touched>) {
        if !touched.is_empty() {
            self.has_changes = true;
            let touched = touched.into_iter().collect::<Vec<_>>().into_iter();
            self.pieces
                .push_back(Piece::Records(area, whom.clone(), touched));
        }
    }

    /// Whom these learners name, whole: they may be named for the first time.
    fn named(&mut self, school: u64, learners: BTreeSet<u64>) -> Result<()> {
        let learners = Whom::Learners(learners);
        let named = Named::by(self.snapshot, school, &learners, self.scope.kinds)?;
        let named: Vec<_> = named.iter().flat_map(Named::each).collect();
        let named: Vec<_> = named
            .into_iter()
            .filter(|(kind, _)| self.scope.kinds.has(*kind))
            .collect();
        if !named.is_empty() {
            self.pieces
                .push_back(Piece::Named(school, named.into_iter()));
        }
        Ok(())
    }

    fn whole_school(&mut self, school: u64, whom: &Whom) -> Result<VecDeque<Piece>> {
        let mut pieces = VecDeque::from([Piece::Mark(Mark::Whole(Some(school)))]);
        match whom {
            Whom::Everybody => pieces.push_back(Piece::School(school, whom.clone())),
            Whom::Learners(learners) => {
                pieces.push_back(Piece::TablesOfSchool(school));
                let before = std::mem::take(&mut self.pieces);
                self.named(school, learners.clone())?;
                pieces.extend(std::mem::replace(&mut self.pieces, before));
                pieces.push_back(Piece::Learners(school, learners.clone()));
            }
        }
        pieces.extend(self.seen(school, whom)?);
        Ok(pieces)
    }

    /// What the source has seen of a school.
    fn seen(&self, school: u64, whom: &Whom) -> Result<VecDeque<Piece>> {
        let is_complete = !self.snapshot.is_synced(school)
            || self.followed.as_ref().is_some_and(|followed| {
                followed.held(school).is_some() && !followed.told.contains(&school)
            });
        if is_complete {
            return Ok([Piece::Mark(Mark::Complete(school))].into());
        }
        let mut told = coverage::told(self.snapshot, school)?;
        told.retain(|one: &Told| !one.unit.part.is_of_learner() || whom.has(one.unit.key.0));
        let mut pieces = VecDeque::new();
        // A school of which nothing was seen yet is told so, too.
        pieces.push_back(Piece::Mark(Mark::Seen(school, Vec::new())));
        let lines = told.chunks(UNITS);
        pieces.extend(lines.map(|units| Piece::Mark(Mark::Seen(school, units.to_vec()))));
        Ok(pieces)
    }
}

/// The learner whose own a record was that was touched.
pub(super) fn learner(kind: Kind, Touched { words, .. }: &Touched) -> u64 {
    match kind {
        Kind::Learner | Kind::LearnerSubject => words[0],
        _ => words[1],
    }
}

/// A store that follows a part has no more than that to hand out.
fn check_reach(followed: Option<&Followed>, scope: &Scope) -> Result<()> {
    let Some(followed) = followed else {
        return Ok(());
    };
    let mut asked = scope.clone();
    let held = &followed.position.held;
    asked
        .schools
        .retain(|school, _| held.whom(*school).is_some());
    if scope
        .schools
        .keys()
        .any(|school| followed.kept.whom(*school).is_some())
    {
        return Err(Error::unsupported(
            "this store has not been given all of what it follows yet: follow to the end of a feed first",
        ));
    }
    if asked.schools.is_empty() || asked.is_within(held) {
        return Ok(());
    }
    Err(Error::unsupported(
        "this store follows a part of what the scope names: name that part, or ask the store that it follows",
    ))
}

pub(super) fn begin_anew() -> crate::error::Failure {
    Error::BeginAnew.into()
}
