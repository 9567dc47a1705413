//! What is kept and what was told, joined record by record: what is to be changed.

use super::ask::Ask;
use super::guard::Losses;
use super::merge::{Context, LEFT, merge};
use super::publish::Pass;
use super::rows::{Domains, Row, Rows};
use super::told::Told;
use crate::dataset::{self, Line, Stage};
use crate::dataset::{coverage, ledger};
use crate::error::{Error, Result};
use crate::record::assessment::Belongs;
use crate::record::coverage::{Part, Unit};
use crate::record::field::position;
use crate::record::{Kind, Value, value};
use crate::store::Write;
use std::collections::{BTreeSet, HashMap, HashSet};

/// How many bytes of records stay in memory; the rest goes to the store.
const STAGE_BYTES: usize = 16 << 20;

/// What comes of it.
pub(super) struct Outcome {
    pub(super) stage: Stage,
    pub(super) losses: Losses,
    /// The learners who are in a list: the current ones, and those on the waitlist.
    pub(super) listed: Listed,
    /// The learners whose marks have changed.
    pub(super) marked: BTreeSet<u64>,
    /// Whether a grade is there that the list of them does not name, as far as it was read.
    pub(super) has_unlisted_grade: bool,
}

/// Who is in a list.
#[derive(Default)]
pub(super) struct Listed {
    /// Whether both lists were seen.
    is_whole: bool,
    pub(super) current: BTreeSet<u64>,
    pub(super) waitlist: BTreeSet<u64>,
}

impl Listed {
    pub(super) fn has(&self, learner: u64) -> bool {
        self.current.contains(&learner) || self.waitlist.contains(&learner)
    }

    /// Whether a learner is known to be in none.
    pub(super) fn lacks(&self, learner: u64) -> bool {
        self.is_whole && !self.has(learner)
    }
}

/// Records on their way.
pub(super) struct Joined<'p> {
    pass: &'p Pass<'p>,
    domains: Domains,
    whole: BTreeSet<Unit>,
    outcome: Outcome,
    /// Where assessments lay and lie.
    lay: HashMap<u64, Belongs>,
    lies: HashMap<u64, Belongs>,
    /// The ids that records refer to, and those that an answer would have told with them.
    named: HashSet<(Kind, u64)>,
    shown: HashSet<u64>,
}

impl<'p> Joined<'p> {
    /// What is published of a pass, but for what is held back.
    pub(super) fn join(pass: &'p Pass<'p>, write: &mut Write<'_>, held: &[Ask]) -> Result<Outcome> {
        let school = pass.school;
        let asks = pass.asks(held);
        let mut whole = coverage::units(write, school)?;
        whole.extend(asks.iter().map(|ask| ask.unit(pass.year)));
        let is_alone = dataset::is_alone(write, school)?;
        let domains = Domains::of(asks.clone(), pass.year, is_alone);
        let mut rows = Rows::default();
        for (number, ask) in (0..).zip(asks) {
            let told = Told::of(ledger::told(write, school, ask.unit(0))?);
            rows.tell(write, number, &told, school)?;
        }
        rows.keep(write, school, domains.marks_of())?;
        let lists = [Part::CurrentLearners, Part::WaitlistLearners].map(Unit::of);
        let listed = Listed {
            is_whole: lists.iter().all(|of| whole.contains(of)),
            ..Listed::default()
        };
        let mut joined = Joined {
            pass,
            domains,
            whole,
            outcome: Outcome {
                stage: Stage::default(),
                losses: Losses::default(),
                listed,
                marked: BTreeSet::new(),
                has_unlisted_grade: false,
            },
            lay: HashMap::new(),
            lies: HashMap::new(),
            named: HashSet::new(),
            shown: HashSet::new(),
        };
        let mut sorted = rows.sorted(write)?;
        while let Some(row) = sorted.next(school)? {
            joined.take(row)?;
            if joined.outcome.stage.sorter.bytes() > STAGE_BYTES {
                write.spill(&mut joined.outcome.stage.sorter, "joined")?;
            }
        }
        Ok(joined.outcome)
    }

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
        let is_gone = self.is_gone(&row, &key);
        let at = place(&self.lies).or_else(|| place(&self.lay));
        let said = self.domains.said(&row, at);
        let was = row.kept.clone();
        let is_said = !said.is_empty() || kind == Kind::School;
        let merged = if is_gone {
            None
        } else if is_said {
            let context = Context {
                whole: &self.whole,
                at,
                is_named: key
                    .get(1)
                    .is_some_and(|id| self.named.contains(&(kind, *id))),
            };
            merge(kind, row.kept, &said, &context)
        } else {
            row.kept
        };
        if !is_gone && was.is_some() {
            let status = merged.as_ref().and_then(|values| values.get(STATUS));
            let has_left = kind == Kind::Learner && status.map_or("", Value::text) == LEFT;
            self.outcome.losses.count(&said, |ask| {
                // Its account may tell a learner whom its list has lost.
                merged.is_some() && !(has_left && matches!(ask, Ask::Learners { .. }))
            });
        }
        let is_other = was != merged;
        if kind == Kind::Mark && is_other {
            self.outcome.marked.extend(key.get(2));
        }
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
        let shows_parents = said
            .iter()
            .any(|said| said.told.is_some() && said.ask.has_parents());
        self.note(kind, &key, &values, shows_parents);
        let list = said.iter().find(|said| said.ask == Ask::Grades);
        let is_listed = list.map_or(was.is_some(), |list| list.told.is_some());
        self.outcome.has_unlisted_grade |= kind == Kind::Grade && !is_listed;
        if !is_said || was.as_ref() == Some(&values) {
            return Ok(());
        }
        // Reading refused what cannot be kept.
        let line = Line::whole(kind, values).map_err(|_| {
            Error::corrupt("what answers told of a record does not make one together")
        })?;
        self.outcome.stage.push(0, &line, None)
    }

    /// Whether what is answered of the current year alone is of another one.
    fn is_over(&self, year: u64) -> bool {
        self.pass.is_year_told && year != self.pass.year
    }

    /// Whether a record goes since nothing leads to it any more: the subjects of who is in no
    /// list, whom nobody asks for, and those of years that are over; what no record names;
    /// parents whom an answer would have told with their child.
    fn is_gone(&self, row: &Row<'_>, key: &[u64]) -> bool {
        let id = key.get(1).copied().unwrap_or_default();
        match row.kind {
            Kind::LearnerSubject => {
                let year = key.get(2).copied().unwrap_or_default();
                self.outcome.listed.lacks(id) || self.is_over(year)
            }
            Kind::Term if row.told.is_empty() => {
                let term = key.get(2).copied().unwrap_or_default();
                self.is_over(id) || !self.named.contains(&(Kind::Term, term))
            }
            Kind::Parent if row.told.is_empty() => {
                self.shown.contains(&id) || !self.named.contains(&(Kind::Parent, id))
            }
            Kind::Year | Kind::Subject | Kind::LearningOutcome if row.told.is_empty() => {
                !self.named.contains(&(row.kind, id))
            }
            _ => false,
        }
    }

    fn remove(&mut self, kind: Kind, key: &[u64]) -> Result<()> {
        let mut values = vec![Value::Empty; kind.fields().len()];
        for (slot, word) in values.iter_mut().zip(key) {
            *slot = Value::Integer(*word);
        }
        let deleted = true;
        self.outcome.stage.push(
            0,
            &Line {
                kind,
                deleted,
                values,
            },
            None,
        )
    }

    /// Notes a grade that is named: what is of other years is not asked for any more.
    fn name_grade(&mut self, year: u64, grade: u64) {
        if year == self.pass.year {
            self.named.insert((Kind::Grade, grade));
        }
    }

    /// Notes what later records lean on.
    fn note(&mut self, kind: Kind, key: &[u64], values: &[Value<'_>], shows_parents: bool) {
        match (kind, key) {
            (Kind::Assessment, [_, id]) => {
                if let Some(at) = Belongs::of(values) {
                    self.lies.insert(*id, at);
                    self.named.insert((Kind::Year, at.year));
                    self.name_grade(at.year, at.grade);
                    self.named.insert((Kind::Subject, at.subject));
                    self.named.insert((Kind::LearningOutcome, at.outcome));
                }
            }
            (Kind::LearnerSubject, [_, _, year, subject]) => {
                self.named.insert((Kind::Subject, *subject));
                if let Some(grade) = values.get(GRADE_TAKEN).and_then(Value::integer) {
                    self.name_grade(*year, grade);
                }
                if let Some(Value::Terms(terms)) = values.get(TERMS) {
                    let terms = terms.iter().map(|term| (Kind::Term, term.term));
                    self.named.extend(terms);
                }
            }
            (Kind::LearningProgram, [_, grade, year, _, subject]) => {
                self.name_grade(*year, *grade);
                self.named.insert((Kind::Year, *year));
                self.named.insert((Kind::Subject, *subject));
            }
            (Kind::Learner, [_, id]) => {
                let listed = &mut self.outcome.listed;
                match values.get(STATUS).map_or("", Value::text) {
                    "" | "current" => drop(listed.current.insert(*id)),
                    "waitlist" => drop(listed.waitlist.insert(*id)),
                    _ => {}
                }
                let parents = PARENTS.iter().filter_map(|field| values.get(*field));
                for parent in parents.filter_map(|parent| value::integer(parent.text())) {
                    self.named.insert((Kind::Parent, parent));
                    if shows_parents {
                        self.shown.insert(parent);
                    }
                }
            }
            _ => {}
        }
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
const STATUS: usize = position(Kind::Learner.fields(), "status");
const PARENTS: [usize; 2] = [
    position(Kind::Learner.fields(), "parent1_id"),
    position(Kind::Learner.fields(), "parent2_id"),
];
