//! A feed on its way in: lines are checked and staged outside any transaction, and each
//! part of a feed is carried out at its end.

use super::lines::{Head, Mark};
use super::take::{Part, Taken};
use crate::dataset::coverage::Erased;
use crate::dataset::{Cut, Line, Lines, Progress, Stage, Summary, parse_line};
use crate::error::{Error, Failure, Fault, Result};
use crate::record::Value;
use crate::record::position::{Followed, Position};
use crate::record::scope::Belonging;
use crate::store::{Moment, Store};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How many bytes of staged records stay in memory; the rest goes to the store.
const STAGE_BYTES: usize = 16 << 20;

/// How many units a part may tell to have been seen: of each of 10,000 learners dozens.
const MOST_UNITS: usize = 1 << 20;

/// A feed that is being followed: push its bytes in pieces of any size, then finish.
///
/// Each part of a feed is kept whole with the position behind it, durably, or not at all.
/// So a feed may be cut anywhere: what came to its end is kept, and the next feed is asked
/// for after [`Engine::followed`](crate::Engine::followed). Parts that come late or twice
/// change nothing.
pub struct Follow {
    store: Arc<Store>,
    lines: Lines,
    stage: Stage,
    part: Option<Open>,
    /// The name under which staged records have gone to the store.
    staged: Option<String>,
    failed: Option<Failure>,
    progress: Progress,
    summary: Summary,
}

/// The part of a feed that is under way.
struct Open {
    part: Part,
    /// It was taken before: its lines are not looked at.
    is_known: bool,
}

impl Follow {
    pub(crate) fn new(store: Arc<Store>) -> Follow {
        Follow {
            store,
            lines: Lines::default(),
            stage: Stage::default(),
            part: None,
            staged: None,
            failed: None,
            progress: Progress::default(),
            summary: Summary::default(),
        }
    }

    /// Takes the next bytes of a feed.
    ///
    /// # Errors
    /// `bad_dataset` for the first faulty line; `out_of_step` if a part does not begin where
    /// this store is; `busy` or `io`. It is over then, and every further call gives the same
    /// error. Nothing of the part is kept, and all before it.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.progress.bytes += bytes.len() as u64;
        Ok(self.cut(|lines, each| lines.push(bytes, each))?)
    }

    /// How far it has come.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// Ends the feed; says what it changed.
    ///
    /// # Errors
    /// As [`push`](Self::push), and `bad_dataset` if the last part lacks its end.
    pub fn finish(mut self) -> Result<Summary, Error> {
        self.cut(Lines::finish)?;
        if self.part.is_some() {
            return Err(fault(self.progress.lines, CUT).into());
        }
        let mut summary = std::mem::take(&mut self.summary);
        summary.lines = self.progress.lines;
        summary.bytes = self.progress.bytes;
        Ok(summary)
    }

    fn cut(
        &mut self,
        cut: impl FnOnce(&mut Lines, &mut dyn FnMut(u64, Cut<'_>) -> Result<()>) -> Result<()>,
    ) -> Result<()> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let mut lines = std::mem::take(&mut self.lines);
        let outcome = cut(&mut lines, &mut |number, cut| self.line(number, &cut));
        self.lines = lines;
        self.failed = outcome.as_ref().err().cloned();
        outcome
    }

    fn line(&mut self, number: u64, cut: &Cut<'_>) -> Result<()> {
        self.progress.lines = number;
        let Cut::Line(line) = cut else {
            return Err(fault(number, "is longer than 1 MiB"));
        };
        match Mark::parse(line) {
            Some(Ok(mark)) => self.mark(number, mark),
            Some(Err(what)) => Err(fault(number, &what)),
            None => self.record(number, line),
        }
    }

    fn mark(&mut self, number: u64, mark: Mark) -> Result<()> {
        match (mark, &mut self.part) {
            (Mark::Feed(head), None) => self.open(*head),
            (Mark::Feed(_), Some(_)) => Err(fault(number, CUT)),
            (_, None) => Err(fault(number, "stands before the head of a feed")),
            (Mark::End, Some(_)) => self.end(),
            (_, Some(open)) if open.is_known => Ok(()),
            (mark, Some(open)) => {
                let noted = note(&mut open.part, mark);
                noted.map_err(|what| fault(number, &what))
            }
        }
    }

    /// Begins a part, if it begins where this store is.
    fn open(&mut self, head: Head) -> Result<()> {
        let before = self.store.read(|snapshot| Followed::read(&**snapshot))?;
        let position = before.as_ref().map(|before| &before.position);
        let is_known = match (position, &head.from) {
            // A source that was put back from a copy may give numbers of commits again, so
            // that what begins anew is never taken for late.
            (_, None) => false,
            (Some(now), Some(from)) if from == now => false,
            (Some(Position { moment: now, .. }), Some(_)) if is_before(head.to.moment, *now) => {
                true
            }
            _ => return Err(Error::OutOfStep.into()),
        };
        let mut erased = BTreeMap::new();
        for school in head.to.held.schools.keys().copied() {
            let of_school = self
                .store
                .read(|snapshot| Erased::under(*snapshot.cursor_key()?, &**snapshot, school))?;
            erased.insert(school, of_school);
        }
        self.part = Some(Open {
            part: Part {
                head,
                before,
                whole: BTreeSet::new(),
                erased,
                seen: BTreeMap::new(),
                units: 0,
            },
            is_known,
        });
        Ok(())
    }

    fn record(&mut self, number: u64, line: &[u8]) -> Result<()> {
        let Some(open) = &mut self.part else {
            return match parse_line(line) {
                Ok(None) => Ok(()),
                _ => Err(fault(number, "stands before the head of a feed")),
            };
        };
        if open.is_known {
            return Ok(());
        }
        let Some(mut line) = parse_line(line).map_err(|what: String| fault(number, &what))? else {
            return Ok(());
        };
        if Belonging::of(line.kind) == Belonging::App {
            let what = format!("{}: is no part of a feed", line.kind.name());
            return Err(fault(number, &what));
        }
        let key: Vec<u64> = line.key().collect();
        let school = line.kind.is_of_school().then(|| key.first()).flatten();
        if let Some(school) = school {
            let held = &open.part.head.to.held;
            if held.whom(*school).is_none() {
                let what = format!("{}: {}", line.kind.name(), not_followed(*school));
                return Err(fault(number, &what));
            }
            let owner = owner(&line, &key);
            if !line.deleted && !held.may_have(line.kind, *school, owner) {
                let what = format!("{}: is not in what is followed", line.kind.name());
                return Err(fault(number, &what));
            }
            // The record may have been another learner's here.
            let erased = open.part.erased.get(school);
            let erased = erased.filter(|erased| !erased.is_nobody());
            line.deleted |= owner
                .zip(erased)
                .is_some_and(|(learner, erased)| erased.has(learner));
        }
        self.stage.push(number, &line, None)?;
        if self.stage.sorter.bytes() > STAGE_BYTES {
            let name = self.staged.get_or_insert_with(|| self.store.staging_name());
            self.store.stage(&mut self.stage.sorter, name)?;
        }
        Ok(())
    }

    /// Carries out the part that is under way.
    fn end(&mut self) -> Result<()> {
        let stage = std::mem::take(&mut self.stage);
        let Some(Open { part, is_known, .. }) = self.part.take() else {
            return Ok(());
        };
        if !is_known {
            let mut sorter = Some(stage.sorter);
            let Taken { summary } = self
                .store
                .write(|write| part.carry_out(write, sorter.take().unwrap_or_default()))?;
            self.summary.add(&summary);
        }
        self.unstage();
        Ok(())
    }

    /// Forgets what went to the store and was not committed.
    fn unstage(&mut self) {
        if let Some(name) = self.staged.take() {
            // If the store cannot be written now, opening it forgets them.
            let _ = self.store.unstage(&name);
        }
    }
}

impl Drop for Follow {
    fn drop(&mut self) {
        self.unstage();
    }
}

const CUT: &str = "the feed is cut: ask for it again after the position that followed gives";

/// Whether a moment is not after another one, as far as can be told.
fn is_before(one: Moment, other: Moment) -> bool {
    one.generation == other.generation && one.sequence <= other.sequence
}

/// The learner whose own a record is.
fn owner(line: &Line<'_>, key: &[u64]) -> Option<u64> {
    let of = |tag: usize| {
        let mut fields = line.kind.fields().iter().zip(&line.values);
        let field = fields.find(|(field, _)| field.tag.map(usize::from) == Some(tag));
        Ok(field.and_then(|(_, value)| Value::integer(value)))
    };
    line.kind.learner(key, of).ok().flatten()
}

/// Takes down what a mark between the head and the end says.
fn note(part: &mut Part, mark: Mark) -> Result<(), String> {
    let school = match mark {
        Mark::Whole(school) => school,
        Mark::Seen(school, _) | Mark::Complete(school) => Some(school),
        Mark::Feed(_) | Mark::End => None,
    };
    // Other schools are the app's own.
    if let Some(school) = school.filter(|school| part.head.to.held.whom(*school).is_none()) {
        return Err(not_followed(school));
    }
    match mark {
        Mark::Whole(of) => {
            part.whole.insert(of);
        }
        Mark::Complete(school) => {
            part.seen.insert(school, None);
        }
        Mark::Seen(school, units) => {
            part.units += units.len();
            if part.units > MOST_UNITS {
                return Err("more was seen than schools can have".to_owned());
            }
            let seen = part.seen.entry(school).or_default();
            seen.get_or_insert_default().extend(units);
        }
        Mark::Feed(_) | Mark::End => {}
    }
    Ok(())
}

fn not_followed(school: u64) -> String {
    format!("school {school} is not followed")
}

fn fault(line: u64, what: &str) -> Failure {
    let what = what.to_owned();
    Error::BadDataset(Fault { line, what }).into()
}
