//! What answers told becomes the school's records, in one transaction with what was seen
//! of it.

use super::ask::{Ask, Listing};
use super::claims;
use super::guard::Losses;
use super::merge::{Context, merge, tells_nothing};
use super::rows::{Domains, Row, Rows};
use super::staging::Staging;
use super::told::Told;
use crate::dataset::{self, Line, Stage};
use crate::dataset::{coverage, ledger};
use crate::error::{Error, Result};
use crate::record::assessment::Belongs;
use crate::record::coverage::Unit;
use crate::record::field::position;
use crate::record::{Kind, Value};
use crate::store::Write;
use std::collections::{BTreeSet, HashMap, HashSet};

/// What a pass came to.
pub(super) struct Pass<'a> {
    pub(super) school: u64,
    /// What was read whole, and what it told.
    pub(super) complete: &'a [(Ask, Told)],
    /// The school's current year, and whether an answer told it. Else it is the
    /// calendar's.
    pub(super) year: u64,
    pub(super) is_year_told: bool,
    /// When it began.
    pub(super) as_of: i64,
    /// What was given up.
    pub(super) given_up: &'a [Ask],
    /// Whether all was asked for, and not only what was held back before.
    pub(super) is_whole: bool,
}

/// How many bytes of records stay in memory; the rest goes to the store.
const STAGE_BYTES: usize = 16 << 20;

impl Pass<'_> {
    /// Publishes it. If that fails it can be tried again. Gives what would lose too much of
    /// what it is whole over, and was held back; nothing if the pass is not the one that is
    /// kept any more.
    pub(super) fn publish(&self, staging: &Staging, confirmed: &[Ask]) -> Result<Option<Vec<Ask>>> {
        let mut held: Vec<Ask> = Vec::new();
        staging.store().write(|write| {
            if self.is_whole && !staging.is_under_way(write, self.as_of)? {
                return Ok(None);
            }
            if dataset::has_records(write, self.school)? && !write.is_synced(self.school)? {
                return Err(Error::unsupported(
                    "syncing a school that has records: remove it first",
                ));
            }
            let stage = loop {
                let (stage, losses) = self.joined(write, &held)?;
                let too_much = losses.too_much(confirmed);
                if too_much.is_empty() {
                    break stage;
                }
                held.extend(too_much);
            };
            dataset::commit(write, stage)?;
            claims::claim(self, write, &held)?;
            ledger::forget(write, self.school)?;
            Ok(Some(std::mem::take(&mut held)))
        })
    }

    /// The answers that count, but for those that are held back.
    pub(super) fn asks(&self, held: &[Ask]) -> Vec<(Ask, &Told)> {
        let complete = self.complete.iter();
        let all = complete.filter(|(ask, _)| self.counts(*ask) && !held.contains(ask));
        all.map(|(ask, told)| (*ask, told)).collect()
    }

    pub(super) fn has(&self, is_it: impl Fn(Ask) -> bool) -> bool {
        self.complete.iter().any(|(ask, _)| is_it(*ask))
    }

    pub(super) fn has_listing(&self, listing: Listing) -> bool {
        self.has(|ask| matches!(ask, Ask::Learners { of, .. } if of == listing))
    }

    /// Whether what was read tells anything. Who is in no list of learners is told of by
    /// its account alone, and has left: that is known only beside all lists.
    fn counts(&self, ask: Ask) -> bool {
        let is_account = matches!(ask, Ask::Accounts { .. });
        !is_account || !self.is_whole || Listing::ALL.into_iter().all(|of| self.has_listing(of))
    }

    /// What is kept and what was told, joined record by record.
    fn joined(&self, write: &mut Write<'_>, held: &[Ask]) -> Result<(Stage, Losses)> {
        let units = self.asks(held);
        let asks: Vec<Ask> = units.iter().map(|(ask, _)| *ask).collect();
        let mut whole = coverage::units(write, self.school)?;
        whole.extend(asks.iter().map(|ask| ask.unit(self.year)));
        let accounts = Ask::Accounts {
            all: true,
            parents: true,
        };
        let has_parents = self.is_whole && claims::has_parents(&asks) && asks.contains(&accounts);
        let is_alone = dataset::is_alone(write, self.school)?;
        let domains = Domains::of(asks, self.year, has_parents, is_alone);
        let mut rows = Rows::default();
        rows.keep(write, self.school, &domains.marks_of())?;
        for (number, (_, told)) in (0..).zip(&units) {
            rows.tell(write, number, told, self.school)?;
        }
        let mut joined = Joined {
            pass: self,
            domains,
            whole,
            stage: Stage::default(),
            losses: Losses::default(),
            lay: HashMap::new(),
            lies: HashMap::new(),
            taken: HashSet::new(),
        };
        let mut sorted = rows.sorted(write)?;
        while let Some(row) = sorted.next(self.school)? {
            joined.take(row)?;
            if joined.stage.sorter.bytes() > STAGE_BYTES {
                write.spill(&mut joined.stage.sorter, "joined")?;
            }
        }
        Ok((joined.stage, joined.losses))
    }
}

/// Records on their way.
struct Joined<'p> {
    pass: &'p Pass<'p>,
    domains: Domains,
    whole: BTreeSet<Unit>,
    stage: Stage,
    losses: Losses,
    /// Where assessments lay and lie.
    lay: HashMap<u64, Belongs>,
    lies: HashMap<u64, Belongs>,
    /// Who takes which subject in which term, in which grade and year.
    taken: HashSet<[u64; 5]>,
}

impl Joined<'_> {
    fn take(&mut self, row: Row<'_>) -> Result<()> {
        let kind = row.kind;
        let key = key_of(&row);
        let place = |places: &HashMap<u64, Belongs>| {
            let assessment = key.get(1).filter(|_| kind == Kind::Mark)?;
            places.get(assessment).copied()
        };
        if kind == Kind::Assessment
            && let (Some(values), Some(id)) = (&row.kept, key.get(1))
        {
            self.lay.extend(Belongs::of(values).map(|at| (*id, at)));
        }
        let said = self.domains.said(&row, place(&self.lay));
        let was = row.kept.clone();
        let is_said = !said.is_empty() || kind == Kind::School;
        let merged = if is_said {
            let at = place(&self.lies).or_else(|| place(&self.lay));
            let context = Context {
                whole: &self.whole,
                at,
            };
            merge(kind, row.kept, &said, &context)
        } else {
            row.kept
        };
        self.losses.count(&said, was.is_some(), merged.is_some());
        let merged = match (merged, place(&self.lies)) {
            // It is answered so without one.
            (Some(values), Some(at)) if self.is_superfluous(&key, &values, at) => None,
            (merged, _) => merged,
        };
        let Some(mut values) = merged else {
            return if was.is_some() {
                self.remove(kind, &key)
            } else {
                Ok(())
            };
        };
        if kind == Kind::School {
            put(&mut values, CURRENT_YEAR, Value::Integer(self.pass.year));
        }
        self.note(kind, &key, &values);
        if !is_said || was.as_ref() == Some(&values) {
            return Ok(());
        }
        // Reading refused what cannot be kept.
        let line = Line::whole(kind, values).map_err(|_| {
            Error::corrupt("what answers told of a record does not make one together")
        })?;
        self.stage.push(0, &line, None)
    }

    fn remove(&mut self, kind: Kind, key: &[u64]) -> Result<()> {
        let mut values = vec![Value::Empty; kind.fields().len()];
        for (slot, word) in values.iter_mut().zip(key) {
            *slot = Value::Integer(*word);
        }
        let deleted = true;
        self.stage.push(
            0,
            &Line {
                kind,
                deleted,
                values,
            },
            None,
        )
    }

    /// Notes what the marks, which come last, lean on.
    fn note(&mut self, kind: Kind, key: &[u64], values: &[Value<'_>]) {
        match (kind, key) {
            (Kind::Assessment, [_, id]) => {
                self.lies.extend(Belongs::of(values).map(|at| (*id, at)));
            }
            (Kind::LearnerSubject, [_, learner, year, subject]) => {
                let grade = values.get(GRADE_TAKEN).and_then(Value::integer);
                if let (Some(grade), Some(Value::Terms(terms))) = (grade, values.get(TERMS)) {
                    let taken = |term: u64| [*learner, *year, *subject, grade, term];
                    self.taken.extend(terms.iter().map(|term| taken(term.term)));
                }
            }
            _ => {}
        }
    }

    /// Whether a mark of which nothing is told is answered the same without it, since the
    /// learner takes the subject in the assessment's term.
    fn is_superfluous(&self, key: &[u64], values: &[Value<'_>], at: Belongs) -> bool {
        let Some(learner) = key.get(2) else {
            return false;
        };
        let taken = [*learner, at.year, at.subject, at.grade, at.term];
        tells_nothing(values) && self.taken.contains(&taken)
    }
}

fn key_of(row: &Row<'_>) -> Vec<u64> {
    let told = row.told.first().map(|(_, told)| &told.values);
    let values = row.kept.as_ref().or(told);
    let fields = row.kind.fields().iter().zip(values.into_iter().flatten());
    let key = fields.filter(|(field, _)| field.is_key());
    key.filter_map(|(_, value)| value.integer()).collect()
}

fn put<'a>(values: &mut [Value<'a>], field: usize, value: Value<'a>) {
    if let Some(slot) = values.get_mut(field) {
        *slot = value;
    }
}

const CURRENT_YEAR: usize = position(Kind::School.fields(), "current_year");
const GRADE_TAKEN: usize = position(Kind::LearnerSubject.fields(), "grade_id");
const TERMS: usize = position(Kind::LearnerSubject.fields(), "terms");
