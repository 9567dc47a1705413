//! The small tables of a school, decoded: what other records join by id.

use crate::clock::Offset;
use crate::json;
use crate::record::{Kind, Value, bake, grade, learning_outcome, school, subject, term, year};
use crate::store::{Collection, Key, Partition, Reader, Snapshot, Sources, What};
use crate::{Date, Result};
use std::sync::Arc;

/// What a school's answers join, by id, and its own facts.
pub(crate) struct Tables {
    offset: Offset,
    /// The school's current administrative year.
    pub(crate) current_year: Option<u64>,
    subjects: Vec<Subject>,
    grades: Names,
    years: Names,
    outcomes: Names,
    terms: Vec<Term>,
}

/// A subject, as parts of answers.
pub(crate) struct Subject {
    id: u64,
    /// `101,"subject_name":"…"}`: the end of a learner's subject (2.3).
    pub(crate) listed: Vec<u8>,
    /// `"subject_id":"101","subject_name":"…"`.
    pub(crate) named: Vec<u8>,
    /// `,"super_subject_id":"…","super_subject_name":"…"`.
    pub(crate) above: Vec<u8>,
}

/// A term of a year.
pub(crate) struct Term {
    year: u64,
    term: u64,
    pub(crate) id: u64,
    pub(crate) end: Option<Date>,
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
        let place = self
            .subjects
            .binary_search_by_key(&id, |subject| subject.id)
            .ok()?;
        self.subjects.get(place)
    }

    /// The name of a grade; empty if it is unknown.
    pub(crate) fn grade(&self, id: u64) -> &[u8] {
        self.grades.get(id)
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
        let subjects = self.subjects.iter().map(|subject| {
            size_of::<Subject>() + subject.listed.len() + subject.named.len() + subject.above.len()
        });
        names + subjects.sum::<usize>() + self.terms.len() * size_of::<Term>()
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
pub(crate) fn of(snapshot: &Snapshot, school: u64) -> Result<Arc<Tables>> {
    let name = Partition::of(school, Collection::Schools);
    snapshot.decoded(What::Tables, name, SOURCES, || {
        let tables = decode(snapshot, school)?;
        let bytes = tables.bytes();
        Ok((tables, bytes))
    })
}

fn decode(snapshot: &Snapshot, school: u64) -> Result<Tables> {
    let mut tables = Tables {
        offset: Offset::DEFAULT,
        current_year: None,
        subjects: Vec::new(),
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
    };
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
    }
    each(
        snapshot,
        school,
        Kind::Subject,
        Collection::Subjects,
        |key, values| {
            let text = |place: usize| values.get(place).map_or("", Value::text);
            tables.subjects.push(Subject::new(
                key.0,
                text(subject::NAME),
                text(subject::SUPER_ID),
                text(subject::SUPER_NAME),
            ));
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
                id: values
                    .get(term::TERM_ID)
                    .and_then(Value::integer)
                    .unwrap_or(0),
                end: values.get(term::END_DATE).and_then(Value::date),
            });
        },
    )?;
    Ok(tables)
}

impl Subject {
    /// A subject's parts of answers; an unknown one has empty names.
    pub(crate) fn new(id: u64, name: &str, above_id: &str, above_name: &str) -> Subject {
        let mut listed = Vec::new();
        json::push_integer(&mut listed, id);
        push_member(&mut listed, "subject_name", name);
        let mut named = b"\"subject_id\":".to_vec();
        json::push_quoted_integer(&mut named, id);
        push_member(&mut named, "subject_name", name);
        listed.push(b'}');
        let mut above = Vec::new();
        push_member(&mut above, "super_subject_id", above_id);
        push_member(&mut above, "super_subject_name", above_name);
        Subject {
            id,
            listed,
            named,
            above,
        }
    }
}

fn push_member(out: &mut Vec<u8>, name: &str, text: &str) {
    out.push(b',');
    json::push_string(out, name);
    out.push(b':');
    json::push_string(out, text);
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
