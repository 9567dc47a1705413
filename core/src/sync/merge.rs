//! What several answers say of one record, and what was kept of it, as one record. Whole
//! answers of one state of the service make the same records, however they are put together.

use super::ask::{Ask, Listing};
use super::owns::Source;
use super::told::{Fields, ToldRecord};
use crate::record::coverage::{Part, Unit};
use crate::record::field::{Field, position};
use crate::record::value::EnrolledTerm;
use crate::record::{Kind, Value, accountable_person, assessment, grade, learner, learner_subject};
use crate::record::{learning_outcome, learning_program, mark, term, year};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// What one answer says of a record: some fields, or that it is not there.
#[derive(Clone)]
pub(super) struct Said<'a> {
    pub(super) ask: Ask,
    pub(super) told: Option<ToldRecord<'a>>,
}

/// What is known of the school beside the record.
pub(super) struct Context<'c> {
    /// What was read whole: then and now.
    pub(super) whole: &'c BTreeSet<Unit>,
    /// Of a mark, where its assessment lies.
    pub(super) at: Option<assessment::Belongs>,
    /// Of a grade, whether something of the current year is in it.
    pub(super) is_named: bool,
}

impl Context<'_> {
    fn has(&self, part: Part) -> bool {
        self.whole.contains(&Unit::of(part))
    }

    fn has_of(&self, part: Part, year: u64, id: u64) -> bool {
        self.whole.contains(&Unit::of_id(part, year, id))
    }
}

type Values<'a> = Vec<Value<'a>>;

/// The record after what was said of it, in the order in which it was asked; nothing if it
/// is not there any more. `old` is what is kept.
pub(super) fn merge<'a>(
    kind: Kind,
    old: Option<Values<'a>>,
    said: &[Said<'a>],
    known: &Context<'_>,
) -> Option<Values<'a>> {
    let record = Record {
        kind,
        said,
        known,
        was_there: old.is_some(),
    };
    let key = || said.iter().find_map(|said| said.told.as_ref());
    let mut values = match old {
        Some(values) => values,
        None => record.key_of(key()?),
    };
    match kind {
        Kind::Learner => record.learner(&mut values),
        Kind::LearnerSubject => record.learner_subject(&mut values),
        Kind::Mark => record.mark(&mut values),
        Kind::AccountablePerson => record.accountable_person(&mut values),
        Kind::LearningProgram => record.learning_program(&mut values),
        Kind::Assessment => record.assessment(&mut values),
        _ => record.other(&mut values),
    }
    .then_some(values)
}

struct Record<'s, 'a> {
    kind: Kind,
    said: &'s [Said<'a>],
    known: &'s Context<'s>,
    was_there: bool,
}

impl<'a> Record<'_, 'a> {
    fn key_of(&self, told: &ToldRecord<'a>) -> Values<'a> {
        let fields = self.kind.fields().iter().zip(&told.values);
        let key = |(field, value): (&Field, &Value<'a>)| {
            if field.is_key() {
                value.clone()
            } else {
                Value::Empty
            }
        };
        fields.map(key).collect()
    }

    /// What a record is never without.
    fn key(&self) -> Fields {
        let fields = self.kind.fields().iter().enumerate();
        let key = fields.filter(|(_, field)| field.is_key());
        key.fold(0, |key, (index, _)| key | 1 << index)
    }

    /// Whether an answer of this source tells the record.
    fn tells(&self, source: Source) -> bool {
        let mut said = self.said.iter();
        said.any(|said| Source::of(said.ask) == source && said.told.is_some())
    }

    /// Whether an answer of this source was whole over the record, and does not tell it.
    fn lacks(&self, source: Source) -> bool {
        let mut said = self.said.iter();
        said.any(|said| Source::of(said.ask) == source && said.told.is_none())
    }

    /// Empties what those own who do not tell the record, and takes what the others say:
    /// what is lent where it `may` be, then what is owned.
    fn take(&self, values: &mut Values<'a>, may_lend: bool) {
        for said in self.said.iter().filter(|said| said.told.is_none()) {
            let source = Source::of(said.ask);
            // Who is not in the list of the open ones has an account all the same.
            if !matches!(source, Source::OpenAccounts | Source::OpenDebtors) {
                set(values, source.owns(self.kind) & !self.key(), &[]);
            }
        }
        let told = || {
            self.said
                .iter()
                .filter_map(|said| Some((said.ask, said.told.as_ref()?)))
        };
        for (ask, told) in told().filter(|_| may_lend) {
            set(
                values,
                told.told & Source::of(ask).lends(self.kind),
                &told.values,
            );
        }
        for (ask, told) in told() {
            set(
                values,
                told.told & Source::of(ask).owns(self.kind),
                &told.values,
            );
        }
    }

    /// Records of one source, or of several that say the same.
    fn other(&self, values: &mut Values<'a>) -> bool {
        let may_lend = !self.known.has(Part::School);
        self.take(values, may_lend);
        if self.kind == Kind::Grade && self.is_nameless(values) {
            put(values, grade::SHORT_NAME, Value::Empty);
        }
        let is_told = self.said.iter().any(|said| said.told.is_some());
        let has = |field: usize| !is_empty(values, field);
        match self.kind {
            // A name that is empty, and the id 0, are answered where there is no record.
            Kind::Year if is_told => has(year::NAME),
            Kind::LearningOutcome if is_told => has(learning_outcome::NAME),
            Kind::Term if is_told => values.get(term::TERM_ID).and_then(Value::integer) != Some(0),
            // A grade is in the list of them, or its short name shows it. One that was kept
            // is shown as long as something is in the grade.
            Kind::Grade => {
                let was_listed = self.was_there && !self.lacks(Source::Grades);
                let is_shown = has(grade::SHORT_NAME) && (self.is_shown() || self.known.is_named);
                self.tells(Source::Grades) || was_listed || is_shown
            }
            _ => is_told || self.said.is_empty(),
        }
    }

    /// Whether a grade has no short name any more: the list of them would have made its name
    /// of it, and nobody shows it.
    fn is_nameless(&self, values: &Values<'a>) -> bool {
        let is_named = !is_empty(values, grade::NAME);
        self.tells(Source::Grades) && !is_named && !self.is_shown()
    }

    /// Whether an answer shows the short name of a grade.
    fn is_shown(&self) -> bool {
        let mut told = self.said.iter().filter_map(|said| said.told.as_ref());
        told.any(|told| !is_empty(&told.values, grade::SHORT_NAME))
    }

    /// A learner is in a list, or known by its account alone: then it has left, or it
    /// would be in a list.
    fn learner(&self, values: &mut Values<'a>) -> bool {
        let status = |values: &Values<'a>| match values.get(STATUS).map_or("", Value::text) {
            "" if self.was_there => Listing::Current.status().to_owned(),
            status => status.to_owned(),
        };
        let before = status(values);
        let is_listed = self.tells(Source::Listing)
            || (self.was_there && before != LEFT && !self.lacks(Source::Listing));
        let has_accounts = self.known.has(Part::AllAccounts);
        let is_open = values
            .get(ACCOUNT)
            .is_some_and(|account| account.text() == OPEN);
        let had_account = before == LEFT || is_open || has_accounts;
        let is_named = self.tells(Source::AllAccounts) || self.tells(Source::OpenAccounts);
        let has_account =
            is_named || (self.was_there && had_account && !self.lacks(Source::AllAccounts));
        let kept = values.clone();
        self.take(values, !is_listed);
        if !is_listed && !is_named {
            // What was known of it by a list is known of it until its account is read.
            set(values, Source::AllAccounts.lends(Kind::Learner), &kept);
        }
        if !is_listed {
            put(values, STATUS, text(LEFT.to_owned()));
        } else if !self.tells(Source::Listing) {
            put(values, STATUS, text(before));
        }
        self.account(values, ACCOUNT, Source::OpenAccounts, Part::OpenAccounts);
        is_listed || has_account
    }

    /// Whether an account is open: it is in the list of the open ones, or it is not and
    /// that list was read.
    fn account(&self, values: &mut Values<'a>, field: usize, open: Source, of_open: Part) {
        if self.tells(open) {
            put(values, field, text(OPEN.to_owned()));
        } else if self.lacks(open) || is_empty(values, field) && self.known.has(of_open) {
            put(values, field, text(CLOSED.to_owned()));
        }
    }

    /// A person is in the list of all of them, or stands in a learner's account.
    fn accountable_person(&self, values: &mut Values<'a>) -> bool {
        let is_listed = self.tells(Source::AllDebtors) || self.tells(Source::OpenDebtors);
        let was_listed = self.was_there
            && !self.lacks(Source::AllDebtors)
            && [Part::OpenDebtors, Part::AllDebtors]
                .into_iter()
                .any(|part| self.known.has(part));
        let is_named = self.tells(Source::AllAccounts) || self.tells(Source::OpenAccounts);
        self.take(values, !is_listed && !was_listed);
        self.account(
            values,
            DEBTOR_ACCOUNT,
            Source::OpenDebtors,
            Part::OpenDebtors,
        );
        is_listed || is_named || (self.was_there && !self.lacks(Source::AllDebtors))
    }

    /// That it is shown is a programme's release. That it is not is known if the
    /// structure shows it and the marks were read.
    fn learning_program(&self, values: &mut Values<'a>) -> bool {
        let number = |field: usize| values.get(field).and_then(Value::integer);
        let of = number(PROGRAM_YEAR).zip(number(PROGRAM_GRADE));
        let has = |part| of.is_some_and(|(year, grade)| self.known.has_of(part, year, grade));
        let is_shown =
            |values: &Values<'a>| values.get(RELEASED).and_then(Value::integer) == Some(1);
        let was_shown = self.was_there && is_shown(values);
        self.take(values, false);
        let in_structure = self.tells(Source::Structure)
            || (self.was_there
                && !self.lacks(Source::Structure)
                && (!was_shown || has(Part::StructureOfGrade)));
        if !is_shown(values) {
            let is_known = has(Part::MarksOfGrade);
            let released = if is_known {
                Value::Integer(0)
            } else {
                Value::Empty
            };
            put(values, RELEASED, released);
        }
        is_shown(values) || in_structure
    }

    fn assessment(&self, values: &mut Values<'a>) -> bool {
        let has_marks = !is_empty(values, MARK_OUT_OF);
        let has_structure = self.has_structure(assessment::Belongs::of(values));
        let in_structure = self.tells(Source::Structure)
            || (self.was_there && !self.lacks(Source::Structure) && has_structure);
        let in_marks = self.tells(Source::Marks)
            || (self.was_there && (has_marks || !has_structure) && !self.lacks(Source::Marks));
        let kept = values.clone();
        self.take(values, false);
        let is_told = self.tells(Source::Marks) || self.tells(Source::Structure);
        if !is_told {
            // One of them lacks it, the other still shows it.
            set(values, Source::Structure.owns(self.kind), &kept);
        }
        in_structure || in_marks
    }

    /// Subjects per term say which subjects and terms there are, subject marks the marks
    /// of these; by themselves they are all that is known.
    fn learner_subject(&self, values: &mut Values<'a>) -> bool {
        let learner = values.get(1).and_then(Value::integer);
        let year = values.get(2).and_then(Value::integer);
        let of = |(year, id)| self.known.has_of(Part::SubjectsPerTerm, year, id);
        let has_per_term = year.zip(learner).is_some_and(of);
        let is_taken = self.tells(Source::SubjectsPerTerm)
            || (self.was_there && has_per_term && !self.lacks(Source::SubjectsPerTerm));
        let before = terms(values);
        let told = |source| {
            let mut said = self
                .said
                .iter()
                .rev()
                .filter(|said| Source::of(said.ask) == source);
            said.find_map(|said| said.told.as_ref())
                .map(|told| terms(&told.values))
        };
        let (groups, marks) = (told(Source::SubjectsPerTerm), told(Source::SubjectMarks));
        let has_marks = marks.is_some();
        let marks = if self.lacks(Source::SubjectMarks) && !has_marks {
            Vec::new()
        } else {
            marks.unwrap_or_else(|| before.clone())
        };
        let mut taken = match groups {
            Some(groups) => groups,
            None if is_taken => before,
            None => marks.clone(),
        };
        for term in &mut taken {
            let mark = marks.iter().find(|other| other.term == term.term);
            term.mark = mark.and_then(|other| other.mark);
        }
        self.take(values, !is_taken);
        put(values, TERMS, Value::Terms(taken));
        let marked = has_marks || (self.was_there && !self.lacks(Source::SubjectMarks));
        is_taken || (!has_per_term && marked)
    }

    fn has_structure(&self, at: Option<assessment::Belongs>) -> bool {
        at.is_some_and(|at| self.known.has_of(Part::StructureOfGrade, at.year, at.grade))
    }

    /// Marks say what it is, the structure that there may be one.
    fn mark(&self, values: &mut Values<'a>) -> bool {
        let told = |source| {
            let mut said = self
                .said
                .iter()
                .rev()
                .filter(|said| Source::of(said.ask) == source);
            said.find_map(|said| said.told.as_ref())
        };
        if let Some(told) = told(Source::Marks) {
            values.clone_from(&told.values);
            return true;
        }
        if self.was_there && !self.lacks(Source::Marks) && !tells_nothing(values) {
            return true;
        }
        if let Some(told) = told(Source::Structure) {
            values.clone_from(&told.values);
            return true;
        }
        let may_be =
            self.was_there && !self.lacks(Source::Structure) && self.has_structure(self.known.at);
        let nothing = mark::Mark {
            captured: false,
            absent: false,
            dtime: None,
            mark: None,
            percentage: None,
        };
        for (slot, value) in values.iter_mut().skip(3).zip(nothing.values()) {
            *slot = value;
        }
        may_be
    }
}

/// Whether a mark says no more than that it may be there.
fn tells_nothing(values: &[Value<'_>]) -> bool {
    let mark = mark::Mark::of(values);
    !mark.captured && mark.dtime.is_none() && mark.mark.is_none() && mark.percentage.is_none()
}

/// Takes these fields of a record over; what it has not is empty.
fn set<'a>(values: &mut Values<'a>, fields: Fields, from: &[Value<'a>]) {
    for (index, slot) in values.iter_mut().enumerate() {
        if fields >> index & 1 == 1 {
            *slot = from.get(index).cloned().unwrap_or_default();
        }
    }
}

fn put<'a>(values: &mut Values<'a>, field: usize, value: Value<'a>) {
    if let Some(slot) = values.get_mut(field) {
        *slot = value;
    }
}

fn is_empty(values: &Values<'_>, field: usize) -> bool {
    values.get(field).is_none_or(Value::is_empty)
}

fn text(text: String) -> Value<'static> {
    Value::Text(Cow::Owned(text))
}

fn terms<'a>(values: &[Value<'a>]) -> Vec<EnrolledTerm<'a>> {
    match values.get(TERMS) {
        Some(Value::Terms(terms)) => terms.clone(),
        _ => Vec::new(),
    }
}

pub(super) const LEFT: &str = "left";
const OPEN: &str = "open";
const CLOSED: &str = "closed";
const STATUS: usize = position(learner::FIELDS, "status");
const ACCOUNT: usize = position(learner::FIELDS, "account");
const DEBTOR_ACCOUNT: usize = position(accountable_person::FIELDS, "account");
const RELEASED: usize = position(learning_program::FIELDS, "released");
const PROGRAM_GRADE: usize = position(learning_program::FIELDS, "grade_id");
const PROGRAM_YEAR: usize = position(learning_program::FIELDS, "year");
const MARK_OUT_OF: usize = position(assessment::FIELDS, "mark_out_of");
const TERMS: usize = position(learner_subject::FIELDS, "terms");
