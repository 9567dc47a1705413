//! The small tables of a school: what other records join by id.

use super::grade::{Grade, in_grade};
use super::held::{Decoded, Held, escaped, text};
use crate::clock::Offset;
use crate::date::Date;
use crate::error::Result;
use crate::json::{self, Padded, Wire};
use crate::record::{Kind, Value, bake, learning_outcome, school, subject, term, year};
use crate::store::{Collection, Key, Partition, Reader, Snapshot, Sources};
use std::borrow::Cow;
use std::sync::Arc;

/// What a school's answers join, by id, and its own facts.
pub(crate) struct Tables {
    /// The version of the API that the texts are written for.
    wire: Wire,
    offset: Offset,
    /// The school's current administrative year.
    pub(crate) current_year: Option<u64>,
    /// `{"year":"2026",` for the current year.
    in_current_year: Padded,
    subjects: ById<Subject>,
    grades: ById<Grade>,
    years: Held<Year>,
    outcomes: Held<LearningOutcome>,
    terms: Held<Term>,
    /// The position of the current year's first term.
    current_terms: usize,
}

/// A subject, as parts of answers.
#[derive(Clone)]
pub(crate) struct Subject {
    /// `101,"subject_name":"…"},`: the end of a learner's subject (2.3).
    pub(crate) listed: Padded,
    /// `"subject_id":"101","subject_name":"…"`, and then
    /// `,"super_subject_id":"…","super_subject_name":"…"`.
    pub(crate) taken: Padded,
    /// The length of the first of these two.
    pub(crate) named: usize,
}

/// What is looked up for every record of some answers: subjects and grades.
struct ById<T> {
    held: Held<T>,
    /// For the low byte of an id, the position of the last that has it.
    indices: [u16; 256],
}

impl<T: Decoded> ById<T> {
    fn of(held: Held<T>) -> ById<T> {
        let mut indices = [0; 256];
        for (number, (key, _)) in (0..=u16::MAX).zip(held.by_key()) {
            if let Some(index) = indices.get_mut(low_byte(key.0)) {
                *index = number;
            }
        }
        ById { held, indices }
    }

    #[inline]
    fn get(&self, id: u64) -> Option<&T> {
        let index = self.indices.get(low_byte(id))?;
        match self.held.by_key().get(usize::from(*index)) {
            Some((at, thing)) if at.0 == id => Some(thing),
            _ => self.search(id),
        }
    }

    #[cold]
    fn search(&self, id: u64) -> Option<&T> {
        self.held.get(Key::one(id))
    }
}

fn low_byte(id: u64) -> usize {
    let [low, ..] = id.to_le_bytes();
    usize::from(low)
}

/// A term of a year.
#[derive(Clone)]
pub(crate) struct Term {
    pub(crate) end: Option<Date>,
    /// `{"term_id":102,"term":"1",`
    pub(crate) listed: Padded,
    /// `{"term":"1","mark":"`
    pub(crate) marked: Padded,
}

#[derive(Clone)]
struct Year {
    name: Vec<u8>,
}

#[derive(Clone)]
struct LearningOutcome {
    name: Vec<u8>,
}

impl Tables {
    pub(crate) fn today(&self, now: i64) -> Date {
        self.offset.today(now)
    }

    /// A subject that is held.
    pub(crate) fn subject(&self, id: u64) -> Option<&Subject> {
        self.subjects.get(id)
    }

    /// A subject that is not held; if it has no record, its names are empty.
    pub(crate) fn other_subject(&self, snapshot: &Snapshot, id: u64) -> Result<Subject> {
        let read = self.subjects.held.read_other(snapshot, Key::one(id))?;
        Ok(read.unwrap_or_else(|| Subject::new(self.wire, id, "", "", "")))
    }

    /// The name of a grade; empty if it is unknown.
    pub(crate) fn grade(&self, snapshot: &Snapshot, id: u64) -> Result<Cow<'_, [u8]>> {
        let grade = self.grades.held.find(snapshot, Key::one(id))?;
        Ok(part(grade, |grade| &grade.name, |grade| grade.name))
    }

    /// `,"grade_id":"9","grade":"7","terms":[`, if the grade is held.
    pub(crate) fn in_grade(&self, id: u64) -> Option<&Padded> {
        self.grades.get(id).map(|grade| &grade.opening)
    }

    /// The same of a grade that is not held.
    pub(crate) fn in_other_grade(&self, snapshot: &Snapshot, id: u64) -> Result<Padded> {
        let read = self.grades.held.read_other(snapshot, Key::one(id))?;
        Ok(match read {
            Some(grade) => grade.opening,
            None => Padded::of(&in_grade(self.wire, id, b"")),
        })
    }

    /// A grade that has a record.
    pub(super) fn listed_grade(
        &self,
        snapshot: &Snapshot,
        id: u64,
    ) -> Result<Option<Cow<'_, Grade>>> {
        self.grades.held.find(snapshot, Key::one(id))
    }

    /// `{"year":"2026",`
    pub(crate) fn in_year(&self, year: u64) -> Cow<'_, Padded> {
        if self.current_year == Some(year) {
            Cow::Borrowed(&self.in_current_year)
        } else {
            Cow::Owned(Padded::of(&in_year(self.wire, year)))
        }
    }

    /// The name of a year; empty if it is unknown.
    pub(crate) fn year(&self, snapshot: &Snapshot, year: u64) -> Result<Cow<'_, [u8]>> {
        let year = self.years.find(snapshot, Key::one(year))?;
        Ok(part(year, |year| &year.name, |year| year.name))
    }

    /// The name of a learning outcome; empty if it is unknown.
    pub(crate) fn outcome(&self, snapshot: &Snapshot, id: u64) -> Result<Cow<'_, [u8]>> {
        let outcome = self.outcomes.find(snapshot, Key::one(id))?;
        Ok(part(
            outcome,
            |outcome| &outcome.name,
            |outcome| outcome.name,
        ))
    }

    /// A term that is held.
    pub(crate) fn term(&self, year: u64, term: u64) -> Option<&Term> {
        // Terms are mostly numbered from 1.
        let guess = usize::try_from(term.wrapping_sub(1)).unwrap_or(usize::MAX);
        let terms = self.terms.by_key();
        match terms.get(self.current_terms.saturating_add(guess)) {
            Some((key, guess)) if *key == Key(year, term) => Some(guess),
            _ => self.terms.get(Key(year, term)),
        }
    }

    /// The terms of the current year that are held.
    pub(crate) fn current_terms(&self) -> &[(Key, Term)] {
        let terms = self.terms.by_key().get(self.current_terms..);
        let year = self.current_year.unwrap_or(0);
        let terms = terms.unwrap_or_default();
        let end = terms.partition_point(|(key, _)| key.0 == year);
        terms.get(..end).unwrap_or_default()
    }

    /// A term that is not held; without a record its id is 0.
    pub(crate) fn other_term(&self, snapshot: &Snapshot, year: u64, term: u64) -> Result<Term> {
        let read = self.terms.read_other(snapshot, Key(year, term))?;
        Ok(read.unwrap_or_else(|| Term::new(self.wire, term, None, None)))
    }

    /// The last day of a term, if it is known.
    pub(crate) fn term_end(
        &self,
        snapshot: &Snapshot,
        year: u64,
        term: u64,
    ) -> Result<Option<Date>> {
        match self.term(year, term) {
            Some(term) => Ok(term.end),
            None => Ok(self.other_term(snapshot, year, term)?.end),
        }
    }

    fn bytes(&self) -> usize {
        size_of::<Tables>()
            + self.in_current_year.bytes()
            + self.subjects.held.bytes()
            + self.grades.held.bytes()
            + self.years.bytes()
            + self.outcomes.bytes()
            + self.terms.bytes()
    }
}

/// Part of what is held or was read, or nothing.
fn part<'a, T: Clone>(
    whole: Option<Cow<'a, T>>,
    of_held: impl FnOnce(&'a T) -> &'a [u8],
    of_read: impl FnOnce(T) -> Vec<u8>,
) -> Cow<'a, [u8]> {
    match whole {
        Some(Cow::Borrowed(held)) => Cow::Borrowed(of_held(held)),
        Some(Cow::Owned(read)) => Cow::Owned(of_read(read)),
        None => Cow::Borrowed(&[]),
    }
}

const SOURCES: Sources = Sources::of(&[
    Collection::Schools,
    Collection::Subjects,
    Collection::Grades,
    Collection::Years,
    Collection::Terms,
    Collection::LearningOutcomes,
]);

/// The tables of a school; all empty if there is no such school.
pub(crate) fn of(snapshot: &Snapshot, school: u64, wire: Wire) -> Result<Arc<Tables>> {
    let name = Partition::of(school, Collection::Schools);
    snapshot.decoded(wire as u64, name, SOURCES, || {
        let tables = decode(snapshot, school, wire)?;
        let bytes = tables.bytes();
        Ok((tables, bytes))
    })
}

fn decode(snapshot: &Snapshot, school: u64, wire: Wire) -> Result<Tables> {
    let mut tables = Tables {
        wire,
        offset: Offset::DEFAULT,
        current_year: None,
        in_current_year: Padded::default(),
        subjects: ById::of(Held::read(snapshot, school, wire)?),
        grades: ById::of(Held::read(snapshot, school, wire)?),
        years: Held::read(snapshot, school, wire)?,
        outcomes: Held::read(snapshot, school, wire)?,
        terms: Held::read(snapshot, school, wire)?,
        current_terms: 0,
    };
    let schools = snapshot.records(Partition::global(Collection::Schools))?;
    if let Some((pinned, index)) = schools.get(Key::one(school))? {
        let values = bake::values(Kind::School, &[school], &pinned.run()?.item(index)?)?;
        let offset = values.get(school::UTC_OFFSET).map_or("", Value::text);
        tables.offset = Offset::parse(offset).unwrap_or(Offset::DEFAULT);
        tables.current_year = values.get(school::CURRENT_YEAR).and_then(Value::integer);
        tables.in_current_year = Padded::of(&in_year(wire, tables.current_year.unwrap_or(0)));
    }
    let current = tables.current_year.unwrap_or(0);
    let terms = tables.terms.by_key();
    tables.current_terms = terms.partition_point(|(key, _)| key.0 < current);
    Ok(tables)
}

/// `{"year":"2026",`
fn in_year(wire: Wire, year: u64) -> Vec<u8> {
    let mut text = b"{\"year\":".to_vec();
    wire.push_number(&mut text, year);
    text.push(b',');
    text
}

/// `{"term_id":102,"term":"1",`; the id of an unknown term is 0.
fn listed_term(wire: Wire, id: Option<u64>, term: u64) -> Vec<u8> {
    let mut text = b"{\"term_id\":".to_vec();
    json::push_integer(&mut text, id.unwrap_or(0));
    text.extend_from_slice(b",\"term\":");
    wire.push_number(&mut text, term);
    text.push(b',');
    text
}

/// `{"term":"1","mark":"`, for v2 without the quotes.
fn marked_term(wire: Wire, term: u64) -> Vec<u8> {
    let mut text = b"{\"term\":".to_vec();
    wire.push_number(&mut text, term);
    text.extend_from_slice(match wire {
        Wire::V1 => b",\"mark\":\"",
        Wire::V2 => b",\"mark\":",
    });
    text
}

impl Subject {
    /// `"subject_id":"101","subject_name":"…"`
    pub(crate) fn named(&self) -> &[u8] {
        self.taken.text().get(..self.named).unwrap_or_default()
    }

    /// A subject's parts of answers; an unknown one has empty names.
    fn new(wire: Wire, id: u64, name: &str, above_id: &str, above_name: &str) -> Subject {
        let [name, above_id, above_name] = [name, above_id, above_name].map(escaped);
        let mut listed = Vec::new();
        json::push_integer(&mut listed, id);
        let subject_name = |out: &mut Vec<u8>| {
            out.extend_from_slice(b",\"subject_name\":");
            wire.push_text(out, &name);
        };
        subject_name(&mut listed);
        let mut taken = b"\"subject_id\":".to_vec();
        wire.push_number(&mut taken, id);
        subject_name(&mut taken);
        listed.extend_from_slice(b"},");
        let named = taken.len();
        taken.extend_from_slice(b",\"super_subject_id\":");
        wire.push_reference(&mut taken, &above_id);
        taken.extend_from_slice(b",\"super_subject_name\":");
        wire.push_text(&mut taken, &above_name);
        Subject {
            listed: Padded::of(&listed),
            taken: Padded::of(&taken),
            named,
        }
    }
}

impl Term {
    fn new(wire: Wire, term: u64, id: Option<u64>, end: Option<Date>) -> Term {
        Term {
            end,
            listed: Padded::of(&listed_term(wire, id, term)),
            marked: Padded::of(&marked_term(wire, term)),
        }
    }
}

/// How many bytes of most kinds are held.
const MOST_BYTES: usize = 512 << 10;

impl Decoded for Subject {
    const KIND: Kind = Kind::Subject;
    const COLLECTION: Collection = Collection::Subjects;
    const MOST_BYTES: usize = 2 * MOST_BYTES;

    fn of(wire: Wire, key: Key, values: &[Value<'_>]) -> Subject {
        let text = |index| text(values, index);
        let (above_id, above_name) = (text(subject::SUPER_ID), text(subject::SUPER_NAME));
        Subject::new(wire, key.0, text(subject::NAME), above_id, above_name)
    }

    fn bytes(&self) -> usize {
        self.listed.bytes() + self.taken.bytes()
    }
}

impl Decoded for Year {
    const KIND: Kind = Kind::Year;
    const COLLECTION: Collection = Collection::Years;
    const MOST_BYTES: usize = MOST_BYTES;

    /// A year without a name of its own is called by its number.
    fn of(_: Wire, key: Key, values: &[Value<'_>]) -> Year {
        let mut name = escaped(text(values, year::NAME));
        if name.is_empty() {
            json::push_integer(&mut name, key.0);
        }
        Year { name }
    }

    fn bytes(&self) -> usize {
        self.name.capacity()
    }
}

impl Decoded for LearningOutcome {
    const KIND: Kind = Kind::LearningOutcome;
    const COLLECTION: Collection = Collection::LearningOutcomes;
    const MOST_BYTES: usize = MOST_BYTES;

    fn of(_: Wire, _: Key, values: &[Value<'_>]) -> LearningOutcome {
        let name = escaped(text(values, learning_outcome::NAME));
        LearningOutcome { name }
    }

    fn bytes(&self) -> usize {
        self.name.capacity()
    }
}

impl Decoded for Term {
    const KIND: Kind = Kind::Term;
    const COLLECTION: Collection = Collection::Terms;
    const MOST_BYTES: usize = MOST_BYTES;

    fn of(wire: Wire, key: Key, values: &[Value<'_>]) -> Term {
        let id = values.get(term::TERM_ID).and_then(Value::integer);
        let end = values.get(term::END_DATE).and_then(Value::date);
        Term::new(wire, key.1, id, end)
    }

    fn bytes(&self) -> usize {
        self.listed.bytes() + self.marked.bytes()
    }
}
