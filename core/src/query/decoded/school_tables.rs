//! The small tables of a school, which answers join by id.

use super::bounded_table::{BoundedTable, Decoded, escaped, text};
use super::grade_texts::{Grade, in_grade};
use super::school_facts::{self, SchoolFacts};
use crate::date::Date;
use crate::error::Result;
use crate::json::{self, ApiVersion, Padded};
use crate::record::kinds::{learning_outcome, subject, term, year};
use crate::record::{Kind, Value};
use crate::store::{Collection, Key, Partition, Snapshot, Sources};
use std::borrow::Cow;
use std::sync::Arc;

/// The small tables of a school, by id, and the school's own facts.
pub(crate) struct Tables {
    /// The version of the API for which the texts are rendered.
    version: ApiVersion,
    pub(crate) facts: Arc<SchoolFacts>,
    /// The text `{"year":"2026",` for the current year.
    in_current_year: Padded,
    subjects: ById<Subject>,
    grades: ById<Grade>,
    years: BoundedTable<Year>,
    outcomes: BoundedTable<LearningOutcome>,
    terms: BoundedTable<Term>,
    /// The index of the current year's first term in `terms`.
    current_terms: usize,
}

/// The texts of a subject in answers.
#[derive(Clone)]
pub(crate) struct Subject {
    /// The end of a learner's subject (2.3): `101,"subject_name":"…"},`.
    pub(crate) listed: Padded,
    /// The text `"subject_id":"101","subject_name":"…"`, followed by
    /// `,"super_subject_id":"…","super_subject_name":"…"`.
    pub(crate) taken: Padded,
    /// The length of the first part of `taken`, which ends with the subject's name.
    pub(crate) named: usize,
}

/// A table with a fast look-up by id, for subjects and grades, which some answers look up for
/// every record.
struct ById<T> {
    table: BoundedTable<T>,
    /// For each low byte of an id, the position of the last entry with this low byte.
    indices: [u16; 256],
}

impl<T: Decoded> ById<T> {
    fn new(table: BoundedTable<T>) -> ById<T> {
        let mut indices = [0; 256];
        for (number, (key, _)) in (0..=u16::MAX).zip(table.by_key()) {
            if let Some(index) = indices.get_mut(low_byte(key.0)) {
                *index = number;
            }
        }
        ById { table, indices }
    }

    #[inline]
    fn get(&self, id: u64) -> Option<&T> {
        let index = self.indices.get(low_byte(id))?;
        match self.table.by_key().get(usize::from(*index)) {
            Some((at, thing)) if at.0 == id => Some(thing),
            _ => self.search(id),
        }
    }

    #[cold]
    fn search(&self, id: u64) -> Option<&T> {
        self.table.get(Key::one(id))
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
    /// The text `{"term_id":102,"term":"1",`.
    pub(crate) listed: Padded,
    /// The text `{"term":"1","mark":"`.
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
    /// Returns a cached subject.
    pub(crate) fn subject(&self, id: u64) -> Option<&Subject> {
        self.subjects.get(id)
    }

    /// Reads a subject that is not cached. The names of a subject without a record are empty.
    pub(crate) fn other_subject(&self, snapshot: &Snapshot, id: u64) -> Result<Subject> {
        let read = self.subjects.table.read_other(snapshot, Key::one(id))?;
        Ok(read.unwrap_or_else(|| Subject::new(self.version, id, "", "", "")))
    }

    /// Returns the name of a grade, which is empty if the grade is unknown.
    pub(crate) fn grade(&self, snapshot: &Snapshot, id: u64) -> Result<Cow<'_, [u8]>> {
        let grade = self.grades.table.find(snapshot, Key::one(id))?;
        Ok(part(grade, |grade| &grade.name, |grade| grade.name))
    }

    /// Returns `,"grade_id":"9","grade":"7","terms":[` for a cached grade.
    pub(crate) fn in_grade(&self, id: u64) -> Option<&Padded> {
        self.grades.get(id).map(|grade| &grade.opening)
    }

    /// Returns the same text as [`in_grade`](Self::in_grade) for a grade that is not cached.
    pub(crate) fn in_other_grade(&self, snapshot: &Snapshot, id: u64) -> Result<Padded> {
        let read = self.grades.table.read_other(snapshot, Key::one(id))?;
        Ok(match read {
            Some(grade) => grade.opening,
            None => Padded::new(&in_grade(self.version, id, b"")),
        })
    }

    /// Returns a grade that has a record.
    pub(crate) fn listed_grade(
        &self,
        snapshot: &Snapshot,
        id: u64,
    ) -> Result<Option<Cow<'_, Grade>>> {
        self.grades.table.find(snapshot, Key::one(id))
    }

    /// Returns `{"year":"2026",`.
    pub(crate) fn in_year(&self, year: u64) -> Cow<'_, Padded> {
        if self.facts.current_year == Some(year) {
            Cow::Borrowed(&self.in_current_year)
        } else {
            Cow::Owned(Padded::new(&in_year(self.version, year)))
        }
    }

    /// Returns the name of a year, which is empty if the year is unknown.
    pub(crate) fn year(&self, snapshot: &Snapshot, year: u64) -> Result<Cow<'_, [u8]>> {
        let year = self.years.find(snapshot, Key::one(year))?;
        Ok(part(year, |year| &year.name, |year| year.name))
    }

    /// Returns the name of a learning outcome, which is empty if the outcome is unknown.
    pub(crate) fn outcome(&self, snapshot: &Snapshot, id: u64) -> Result<Cow<'_, [u8]>> {
        let outcome = self.outcomes.find(snapshot, Key::one(id))?;
        Ok(part(
            outcome,
            |outcome| &outcome.name,
            |outcome| outcome.name,
        ))
    }

    /// Returns a cached term.
    pub(crate) fn term(&self, year: u64, term: u64) -> Option<&Term> {
        // Most schools number their terms from 1.
        let guess = usize::try_from(term.wrapping_sub(1)).unwrap_or(usize::MAX);
        let terms = self.terms.by_key();
        match terms.get(self.current_terms.saturating_add(guess)) {
            Some((key, guess)) if *key == Key(year, term) => Some(guess),
            _ => self.terms.get(Key(year, term)),
        }
    }

    /// Returns the cached terms of the current year.
    pub(crate) fn current_terms(&self) -> &[(Key, Term)] {
        let terms = self.terms.by_key().get(self.current_terms..);
        let year = self.facts.current_year.unwrap_or(0);
        let terms = terms.unwrap_or_default();
        let end = terms.partition_point(|(key, _)| key.0 == year);
        terms.get(..end).unwrap_or_default()
    }

    /// Reads a term that is not cached. The id of a term without a record is 0.
    pub(crate) fn other_term(&self, snapshot: &Snapshot, year: u64, term: u64) -> Result<Term> {
        let read = self.terms.read_other(snapshot, Key(year, term))?;
        Ok(read.unwrap_or_else(|| Term::new(self.version, term, None, None)))
    }

    /// Returns the last day of a term, if it is known.
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
            + self.subjects.table.bytes()
            + self.grades.table.bytes()
            + self.years.bytes()
            + self.outcomes.bytes()
            + self.terms.bytes()
    }
}

/// Returns a part of a value that is cached or was read, or an empty slice if there is no
/// value.
fn part<'a, T: Clone>(
    whole: Option<Cow<'a, T>>,
    of_cached: impl FnOnce(&'a T) -> &'a [u8],
    of_read: impl FnOnce(T) -> Vec<u8>,
) -> Cow<'a, [u8]> {
    match whole {
        Some(Cow::Borrowed(cached)) => Cow::Borrowed(of_cached(cached)),
        Some(Cow::Owned(read)) => Cow::Owned(of_read(read)),
        None => Cow::Borrowed(&[]),
    }
}

const SOURCES: Sources = Sources::new(&[
    Collection::Schools,
    Collection::Subjects,
    Collection::Grades,
    Collection::Years,
    Collection::Terms,
    Collection::LearningOutcomes,
]);

/// Returns the tables of a school. All of them are empty if the school does not exist.
pub(crate) fn read(snapshot: &Snapshot, school: u64, version: ApiVersion) -> Result<Arc<Tables>> {
    let name = Partition::new(school, Collection::Schools);
    snapshot.decoded(version as u64, name, SOURCES, || {
        let tables = decode(snapshot, school, version)?;
        let bytes = tables.bytes();
        Ok((tables, bytes))
    })
}

fn decode(snapshot: &Snapshot, school: u64, version: ApiVersion) -> Result<Tables> {
    let facts = school_facts::read(snapshot, school)?;
    let current = facts.current_year.unwrap_or(0);
    let terms = BoundedTable::read(snapshot, school, version)?;
    Ok(Tables {
        version,
        in_current_year: Padded::new(&in_year(version, current)),
        current_terms: terms.by_key().partition_point(|(key, _)| key.0 < current),
        facts,
        subjects: ById::new(BoundedTable::read(snapshot, school, version)?),
        grades: ById::new(BoundedTable::read(snapshot, school, version)?),
        years: BoundedTable::read(snapshot, school, version)?,
        outcomes: BoundedTable::read(snapshot, school, version)?,
        terms,
    })
}

/// Renders `{"year":"2026",`.
fn in_year(version: ApiVersion, year: u64) -> Vec<u8> {
    let mut text = b"{\"year\":".to_vec();
    version.push_number(&mut text, year);
    text.push(b',');
    text
}

/// Renders `{"term_id":102,"term":"1",`. The id of an unknown term is 0.
fn listed_term(version: ApiVersion, id: Option<u64>, term: u64) -> Vec<u8> {
    let mut text = b"{\"term_id\":".to_vec();
    json::push_integer(&mut text, id.unwrap_or(0));
    text.extend_from_slice(b",\"term\":");
    version.push_number(&mut text, term);
    text.push(b',');
    text
}

/// Renders `{"term":"1","mark":"`, without the quotes around the values for v2.
fn marked_term(version: ApiVersion, term: u64) -> Vec<u8> {
    let mut text = b"{\"term\":".to_vec();
    version.push_number(&mut text, term);
    text.extend_from_slice(match version {
        ApiVersion::V1 => b",\"mark\":\"",
        ApiVersion::V2 => b",\"mark\":",
    });
    text
}

impl Subject {
    /// Returns `"subject_id":"101","subject_name":"…"`.
    pub(crate) fn named(&self) -> &[u8] {
        self.taken.text().get(..self.named).unwrap_or_default()
    }

    /// Renders the texts of a subject. The names of an unknown subject are empty.
    fn new(version: ApiVersion, id: u64, name: &str, above_id: &str, above_name: &str) -> Subject {
        let name = escaped(name);
        // The buffer is allocated once and used for both texts.
        let mut text = Vec::with_capacity(USUAL_BYTES + name.len());
        json::push_integer(&mut text, id);
        let subject_name = |text: &mut Vec<u8>| {
            text.extend_from_slice(b",\"subject_name\":");
            version.push_text(text, &name);
        };
        subject_name(&mut text);
        text.extend_from_slice(b"},");
        let listed = Padded::new(&text);
        text.clear();
        text.extend_from_slice(b"\"subject_id\":");
        version.push_number(&mut text, id);
        subject_name(&mut text);
        let named = text.len();
        text.extend_from_slice(b",\"super_subject_id\":");
        version.push_reference(&mut text, &escaped(above_id));
        text.extend_from_slice(b",\"super_subject_name\":");
        version.push_text(&mut text, &escaped(above_name));
        Subject {
            listed,
            taken: Padded::new(&text),
            named,
        }
    }
}

impl Term {
    fn new(version: ApiVersion, term: u64, id: Option<u64>, end: Option<Date>) -> Term {
        Term {
            end,
            listed: Padded::new(&listed_term(version, id, term)),
            marked: Padded::new(&marked_term(version, term)),
        }
    }
}

/// The usual length of a subject's texts without its name, with space for a second name.
const USUAL_BYTES: usize = 160;

/// The limit in bytes for the cached records of most kinds.
const MAX_BYTES: usize = 512 << 10;

impl Decoded for Subject {
    const KIND: Kind = Kind::Subject;
    const COLLECTION: Collection = Collection::Subjects;
    const MAX_BYTES: usize = 2 * MAX_BYTES;

    fn from_values(version: ApiVersion, key: Key, values: &[Value<'_>]) -> Subject {
        let text = |index| text(values, index);
        let (above_id, above_name) = (text(subject::SUPER_ID), text(subject::SUPER_NAME));
        Subject::new(version, key.0, text(subject::NAME), above_id, above_name)
    }

    fn bytes(&self) -> usize {
        self.listed.bytes() + self.taken.bytes()
    }
}

impl Decoded for Year {
    const KIND: Kind = Kind::Year;
    const COLLECTION: Collection = Collection::Years;
    const MAX_BYTES: usize = MAX_BYTES;

    /// A year without a name is named by its number.
    fn from_values(_: ApiVersion, key: Key, values: &[Value<'_>]) -> Year {
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
    const MAX_BYTES: usize = MAX_BYTES;

    fn from_values(_: ApiVersion, _: Key, values: &[Value<'_>]) -> LearningOutcome {
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
    const MAX_BYTES: usize = MAX_BYTES;

    fn from_values(version: ApiVersion, key: Key, values: &[Value<'_>]) -> Term {
        let id = values.get(term::TERM_ID).and_then(Value::integer);
        let end = values.get(term::END_DATE).and_then(Value::date);
        Term::new(version, key.1, id, end)
    }

    fn bytes(&self) -> usize {
        self.listed.bytes() + self.marked.bytes()
    }
}
