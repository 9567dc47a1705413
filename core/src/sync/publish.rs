//! What was gathered becomes the school's records, in one transaction with what was
//! seen of it.

use super::ask::{Ask, Listing};
use super::gather::Gathered;
use super::told::Told;
use crate::dataset::coverage::{self, Seen};
use crate::dataset::{self, Line};
use crate::error::{Error, Result};
use crate::record::coverage::{Part, Unit};
use crate::record::field::position;
use crate::record::{Kind, Value};
use crate::store::Store;
use std::borrow::Cow;
use std::collections::BTreeSet;

const CURRENT_YEAR: usize = position(Kind::School.fields(), "current_year");
const STATUS: usize = position(Kind::Learner.fields(), "status");
const ACCOUNT: usize = position(Kind::Learner.fields(), "account");
const DEBTOR_ACCOUNT: usize = position(Kind::AccountablePerson.fields(), "account");
const RELEASED: usize = position(Kind::LearningProgram.fields(), "released");

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
}

impl Pass<'_> {
    /// Publishes it. If that fails it can be tried again.
    pub(super) fn publish(&self, store: &Store) -> Result<()> {
        let mut stage = dataset::Stage::default();
        for (kind, values) in self.gathered()?.records() {
            let mut values = values.to_vec();
            if kind == Kind::Learner
                && let Some(status) = values.get_mut(STATUS)
                && status.is_empty()
            {
                // Told of by its account alone: neither current nor waiting.
                *status = Value::Text(Cow::Borrowed("left"));
            }
            // Reading refused what cannot be kept.
            let line = Line::whole(kind, values).map_err(|_| {
                Error::corrupt("what answers told of a record does not make one together")
            })?;
            stage.push(0, &line, None)?;
        }
        let seen = self.seen()?;
        store.write(|write| {
            if dataset::has_records(write, self.school)? {
                return Err(Error::unsupported(
                    "syncing a school that has records: remove it first",
                ));
            }
            dataset::commit(write, stage)?;
            coverage::see(write, self.school, &seen, self.as_of)
        })
    }

    fn asks(&self) -> impl Iterator<Item = Ask> {
        self.complete.iter().map(|(ask, _)| *ask)
    }

    fn has(&self, is_it: impl Fn(Ask) -> bool) -> bool {
        self.asks().any(is_it)
    }

    fn has_listing(&self, listing: Listing) -> bool {
        self.has(|ask| matches!(ask, Ask::Learners { of, .. } if of == listing))
    }

    /// Whether what was read tells anything. Who is in no list of learners is told of by
    /// its account alone, and has left: that is known only beside all lists.
    fn counts(&self, ask: Ask) -> bool {
        let is_account = matches!(ask, Ask::Accounts { .. });
        !is_account || Listing::ALL.into_iter().all(|of| self.has_listing(of))
    }

    fn gathered(&self) -> Result<Gathered> {
        let mut gathered = Gathered::default();
        for (ask, told) in self.complete {
            if self.counts(*ask) {
                gathered.absorb(told, self.school, &|kind| self.beside(*ask, kind))?;
            }
        }
        let year = Value::Integer(self.year);
        if let Some(slot) = gathered.of_school(self.school).get_mut(CURRENT_YEAR) {
            *slot = year;
        }
        Ok(gathered)
    }

    /// What is told of a record by where it stands. That it does not stand in another
    /// answer tells something only if that one was read whole.
    fn beside(&self, ask: Ask, kind: Kind) -> Option<(usize, Value<'static>)> {
        let open = |all: bool| (!all).then_some("open");
        let text = |text| Value::Text(Cow::Borrowed(text));
        match (ask, kind) {
            (Ask::Accounts { all, .. }, Kind::Learner) => {
                let has_open = || self.has(|ask| matches!(ask, Ask::Accounts { all: false, .. }));
                let told = open(all).or_else(|| has_open().then_some("closed"))?;
                Some((ACCOUNT, text(told)))
            }
            (Ask::Debtors { all }, Kind::AccountablePerson) => {
                let has_open = || self.has(|ask| ask == Ask::Debtors { all: false });
                let told = open(all).or_else(|| has_open().then_some("closed"))?;
                Some((DEBTOR_ACCOUNT, text(told)))
            }
            (
                Ask::Marks {
                    structure: true,
                    grade,
                    ..
                },
                Kind::LearningProgram,
            ) => {
                let year = Some(self.year);
                let marks = Ask::Marks {
                    grade,
                    year,
                    structure: false,
                };
                self.has(|ask| ask == marks)
                    .then_some((RELEASED, Value::Integer(0)))
            }
            _ => None,
        }
    }

    /// What was seen by these answers, each by itself and together.
    fn seen(&self) -> Result<Vec<Seen>> {
        let of_year = |part, id| Seen::Whole(Unit::of_id(part, self.year, id));
        let mut seen = Vec::new();
        let mut has_subjects = BTreeSet::new();
        for ask in self.asks().filter(|ask| self.counts(*ask)) {
            match ask {
                Ask::Marks { grade, year, .. } if !self.is_of_year(grade, year) => continue,
                Ask::SubjectsPerTerm(learner) => {
                    seen.push(of_year(Part::LearnersOwnSubjects, learner));
                    has_subjects.insert(learner);
                }
                _ => {}
            }
            seen.extend(ask.seen(self.year));
        }
        // All of each who is current.
        let mut current = learners(self.school, self.complete, Some(Listing::Current))?;
        if self.has_listing(Listing::Current) && current.all(|id| has_subjects.contains(&id)) {
            seen.push(of_year(Part::LearnerSubjects, 0));
        }
        let lacks_parents = |ask: Ask| ask.with_less().is_none() && ask.endpoint().has_parents;
        if Listing::ALL.into_iter().all(|of| self.has_listing(of)) && !self.has(lacks_parents) {
            seen.push(Seen::Whole(Unit::of(Part::LearnersParents)));
        }
        let has_accounts = |whether: bool| {
            self.has(|ask| matches!(ask, Ask::Accounts { all, .. } if all == whether))
        };
        if has_accounts(true) && has_accounts(false) {
            seen.push(Seen::Whole(Unit::of(Part::LearnersDebtors)));
        }
        Ok(seen)
    }

    /// Whether marks that were asked for are known to be of the year that is taken for the
    /// current one. If nothing told that year, the current one has no marks: the other is
    /// as good if it has none either.
    fn is_of_year(&self, grade: u64, year: Option<u64>) -> bool {
        if self.is_year_told {
            return true;
        }
        let current = Ask::Marks {
            grade,
            year: None,
            structure: true,
        };
        let is_told = |(ask, told): &(Ask, Told)| {
            let is_it = matches!(ask, Ask::Marks { grade: g, year: Some(_), .. } if *g == grade);
            is_it && !told.is_empty()
        };
        year.is_some() && self.has(|ask| ask == current) && !self.complete.iter().any(is_told)
    }
}

/// The learners of a list, or of all.
pub(super) fn learners(
    school: u64,
    complete: &[(Ask, Told)],
    listing: Option<Listing>,
) -> Result<impl Iterator<Item = u64>> {
    let is_asked = |ask: &Ask| matches!(ask, Ask::Learners { of, .. } if listing.is_none_or(|listing| listing == *of));
    let mut ids = BTreeSet::new();
    for (_, told) in complete.iter().filter(|(ask, _)| is_asked(ask)) {
        for record in told.records(school) {
            let record = record?;
            if record.kind == Kind::Learner {
                ids.extend(record.values.get(1).and_then(Value::integer));
            }
        }
    }
    Ok(ids.into_iter())
}
