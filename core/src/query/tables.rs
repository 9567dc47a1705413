//! The small tables of a school, decoded: what other records join by id.

use crate::Date;
use crate::clock::Offset;
use crate::error::Result;
use crate::json::{self, Chunks, Padded, Wire};
use crate::record::{Kind, Value, bake, grade, learning_outcome, school, subject, term, year};
use crate::store::{Collection, Key, Partition, Reader, Snapshot, Sources, What};
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
    subjects: Subjects,
    grades: Names,
    /// For each grade `,"grade_id":"9","grade":"7","terms":[`.
    in_grade: Vec<(u64, Padded)>,
    years: Names,
    outcomes: Names,
    terms: Vec<Term>,
    /// The place of the current year's first term.
    current_terms: usize,
}

/// A subject, as parts of answers.
pub(crate) struct Subject {
    /// `101,"subject_name":"…"},`: the end of a learner's subject (2.3).
    pub(crate) listed: Padded,
    /// `"subject_id":"101","subject_name":"…"`.
    pub(crate) named: Padded,
    /// `,"super_subject_id":"…","super_subject_name":"…"`.
    pub(crate) above: Padded,
}

/// The subjects of a school, of which one is looked up for every record of some
/// answers.
struct Subjects {
    by_id: Vec<(u64, Subject)>,
    /// For the low byte of an id, the place of the last subject that has it.
    places: [u16; 256],
}

impl Default for Subjects {
    fn default() -> Subjects {
        Subjects {
            by_id: Vec::new(),
            places: [0; 256],
        }
    }
}

impl Subjects {
    /// Adds a subject, whose id must be above all before it.
    fn add(&mut self, id: u64, subject: Subject) {
        if let (Some(place), Ok(last)) = (
            self.places.get_mut(low_byte(id)),
            u16::try_from(self.by_id.len()),
        ) {
            *place = last;
        }
        self.by_id.push((id, subject));
    }

    #[inline]
    fn get(&self, id: u64) -> Option<&Subject> {
        let place = self.places.get(low_byte(id))?;
        match self.by_id.get(usize::from(*place)) {
            Some((at, subject)) if *at == id => Some(subject),
            _ => self.search(id),
        }
    }

    #[cold]
    fn search(&self, id: u64) -> Option<&Subject> {
        let place = self.by_id.binary_search_by_key(&id, |(id, _)| *id);
        self.by_id.get(place.ok()?).map(|(_, subject)| subject)
    }
}

fn low_byte(id: u64) -> usize {
    let [low, ..] = id.to_le_bytes();
    usize::from(low)
}

/// A term of a year.
pub(crate) struct Term {
    year: u64,
    term: u64,
    pub(crate) end: Option<Date>,
    /// `{"term_id":102,"term":"1",`
    pub(crate) listed: Padded,
    /// `{"term":"1","mark":"`
    pub(crate) marked: Padded,
}

/// Names by id, escaped for JSON.
#[derive(Default)]
struct Names(Vec<(u64, Vec<u8>)>);

impl Names {
    fn get(&self, id: u64) -> &[u8] {
        let place = self.0.binary_search_by_key(&id, |(id, _)| *id);
        place
            .ok()
            .and_then(|place| self.0.get(place))
            .map_or(&[], |(_, name)| name)
    }
}

impl Tables {
    pub(crate) fn today(&self, now: i64) -> Date {
        self.offset.today(now)
    }

    pub(crate) fn subject(&self, id: u64) -> Option<&Subject> {
        self.subjects.get(id)
    }

    /// A subject that has no record: its names are empty.
    pub(crate) fn unknown_subject(&self, id: u64) -> Subject {
        Subject::new(self.wire, id, "", "", "")
    }

    /// The name of a grade; empty if it is unknown.
    pub(crate) fn grade(&self, id: u64) -> &[u8] {
        self.grades.get(id)
    }

    /// `,"grade_id":"9","grade":"7","terms":[`, if the grade is known.
    pub(crate) fn in_grade(&self, id: u64) -> Option<&Padded> {
        let place = self.in_grade.binary_search_by_key(&id, |(id, _)| *id);
        self.in_grade.get(place.ok()?).map(|(_, text)| text)
    }

    /// Writes `{"year":"2026",`.
    #[inline]
    pub(crate) fn push_year(&self, year: u64, out: &mut Chunks<'_>) {
        if self.current_year == Some(year) {
            out.push_padded(&self.in_current_year);
        } else {
            out.push(&in_year(self.wire, year));
        }
    }

    /// The name of a year; empty if it is unknown.
    pub(crate) fn year(&self, year: u64) -> &[u8] {
        self.years.get(year)
    }

    /// The name of a learning outcome; empty if it is unknown.
    pub(crate) fn outcome(&self, id: u64) -> &[u8] {
        self.outcomes.get(id)
    }

    pub(crate) fn term(&self, year: u64, term: u64) -> Option<&Term> {
        // Terms are mostly numbered from 1.
        let guess = usize::try_from(term.wrapping_sub(1)).unwrap_or(usize::MAX);
        let guess = self.terms.get(self.current_terms.saturating_add(guess));
        if let Some(guess) = guess.filter(|guess| (guess.year, guess.term) == (year, term)) {
            return Some(guess);
        }
        let place = self
            .terms
            .binary_search_by_key(&(year, term), |term| (term.year, term.term));
        self.terms.get(place.ok()?)
    }

    fn bytes(&self) -> usize {
        let names = [&self.grades, &self.years, &self.outcomes];
        let names: usize = names
            .iter()
            .flat_map(|names| &names.0)
            .map(|(_, n)| n.len() + 48)
            .sum();
        let subjects = self.subjects.by_id.iter().map(|(_, subject)| {
            size_of::<Subject>() + subject.listed.len() + subject.named.len() + subject.above.len()
        });
        let grades = self.in_grade.len() * size_of::<Names>();
        names + subjects.sum::<usize>() + grades + self.terms.len() * size_of::<Term>()
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
    snapshot.decoded(What::Tables(wire), name, SOURCES, || {
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
        subjects: Subjects::default(),
        grades: names(
            snapshot,
            school,
            Kind::Grade,
            Collection::Grades,
            grade::NAME,
        )?,
        years: names(snapshot, school, Kind::Year, Collection::Years, year::NAME)?,
        outcomes: names(
            snapshot,
            school,
            Kind::LearningOutcome,
            Collection::LearningOutcomes,
            learning_outcome::NAME,
        )?,
        terms: Vec::new(),
        current_terms: 0,
        in_current_year: Padded::default(),
        in_grade: Vec::new(),
    };
    for (id, name) in &tables.grades.0 {
        tables
            .in_grade
            .push((*id, Padded::of(&in_grade(wire, *id, name))));
    }
    // A year without a name of its own is called by its number.
    for (year, name) in &mut tables.years.0 {
        if name.is_empty() {
            json::push_integer(name, *year);
        }
    }
    let schools = snapshot.records(Partition::global(Collection::Schools))?;
    if let Some((page, index)) = schools.get(Key::one(school))? {
        let values = bake::values(Kind::School, &[school], &page.run()?.item(index)?)?;
        let offset = values.get(school::UTC_OFFSET).map_or("", Value::text);
        tables.offset = Offset::parse(offset).unwrap_or(Offset::DEFAULT);
        tables.current_year = values.get(school::CURRENT_YEAR).and_then(Value::integer);
        tables.in_current_year = Padded::of(&in_year(wire, tables.current_year.unwrap_or(0)));
    }
    each(
        snapshot,
        school,
        Kind::Subject,
        Collection::Subjects,
        |key, values| {
            let text = |place: usize| values.get(place).map_or("", Value::text);
            let subject = Subject::new(
                wire,
                key.0,
                text(subject::NAME),
                text(subject::SUPER_ID),
                text(subject::SUPER_NAME),
            );
            tables.subjects.add(key.0, subject);
        },
    )?;
    each(
        snapshot,
        school,
        Kind::Term,
        Collection::Terms,
        |key, values| {
            tables.terms.push(Term {
                year: key.0,
                term: key.1,
                listed: Padded::of(&listed_term(
                    wire,
                    values.get(term::TERM_ID).and_then(Value::integer),
                    key.1,
                )),
                marked: Padded::of(&marked_term(wire, key.1)),
                end: values.get(term::END_DATE).and_then(Value::date),
            });
        },
    )?;
    let current = tables.current_year.unwrap_or(0);
    tables.current_terms = tables.terms.partition_point(|term| term.year < current);
    Ok(tables)
}

/// `{"year":"2026",`
fn in_year(wire: Wire, year: u64) -> Vec<u8> {
    let mut text = b"{\"year\":".to_vec();
    wire.push_number(&mut text, year);
    text.push(b',');
    text
}

/// `,"grade_id":"9","grade":"7","terms":[`
pub(super) fn in_grade(wire: Wire, id: u64, name: &[u8]) -> Vec<u8> {
    let mut text = b",\"grade_id\":".to_vec();
    wire.push_number(&mut text, id);
    text.extend_from_slice(b",\"grade\":");
    wire.push_text(&mut text, name);
    text.extend_from_slice(b",\"terms\":[");
    text
}

/// `{"term_id":102,"term":"1",`; the id of an unknown term is 0.
pub(super) fn listed_term(wire: Wire, id: Option<u64>, term: u64) -> Vec<u8> {
    let mut text = b"{\"term_id\":".to_vec();
    json::push_integer(&mut text, id.unwrap_or(0));
    text.extend_from_slice(b",\"term\":");
    wire.push_number(&mut text, term);
    text.push(b',');
    text
}

/// `{"term":"1","mark":"`, for v2 without the quotes.
pub(super) fn marked_term(wire: Wire, term: u64) -> Vec<u8> {
    let mut text = b"{\"term\":".to_vec();
    wire.push_number(&mut text, term);
    text.extend_from_slice(match wire {
        Wire::V1 => b",\"mark\":\"",
        Wire::V2 => b",\"mark\":",
    });
    text
}

impl Subject {
    /// A subject's parts of answers; an unknown one has empty names.
    fn new(wire: Wire, id: u64, name: &str, above_id: &str, above_name: &str) -> Subject {
        let [name, above_id, above_name] = [name, above_id, above_name].map(|text| {
            let mut escaped = Vec::new();
            json::push_escaped(&mut escaped, text);
            escaped
        });
        let mut listed = Vec::new();
        json::push_integer(&mut listed, id);
        let subject_name = |out: &mut Vec<u8>| {
            out.extend_from_slice(b",\"subject_name\":");
            wire.push_text(out, &name);
        };
        subject_name(&mut listed);
        let mut named = b"\"subject_id\":".to_vec();
        wire.push_number(&mut named, id);
        subject_name(&mut named);
        listed.extend_from_slice(b"},");
        let mut above = b",\"super_subject_id\":".to_vec();
        wire.push_reference(&mut above, &above_id);
        above.extend_from_slice(b",\"super_subject_name\":");
        wire.push_text(&mut above, &above_name);
        Subject {
            listed: Padded::of(&listed),
            named: Padded::of(&named),
            above: Padded::of(&above),
        }
    }
}

fn names(
    snapshot: &Snapshot,
    school: u64,
    kind: Kind,
    collection: Collection,
    place: usize,
) -> Result<Names> {
    let mut names = Names::default();
    each(snapshot, school, kind, collection, |key, values| {
        let mut name = Vec::new();
        json::push_escaped(&mut name, values.get(place).map_or("", Value::text));
        names.0.push((key.0, name));
    })?;
    Ok(names)
}

/// Hands on every record of a small collection, in order.
pub(super) fn each(
    snapshot: &Snapshot,
    school: u64,
    kind: Kind,
    collection: Collection,
    mut each: impl FnMut(Key, &[Value<'_>]),
) -> Result<()> {
    let partition = Partition::of(school, collection);
    for page in snapshot.records(partition)?.all() {
        let (page, _) = page?;
        let run = page.run()?;
        for (index, key) in run.keys().enumerate() {
            let values = bake::values(kind, &kind.key_of(partition, key), &run.item(index)?)?;
            each(key, &values);
        }
    }
    Ok(())
}
