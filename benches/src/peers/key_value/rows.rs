//! One rendered row a key. A learner's value begins with its facts; that of a
//! learner's subject with the learner's status.

use super::shared::{
    Filter, MarkPlaces, NONE, PARENTS, STATUS, TAGS, each_term, put_facts, tags, year,
};
use super::{Key, KeyValue, Moment, Put, Table};
use crate::ask::{Ask, What};
use crate::peer::Peer;
use crate::peers::rendered::{
    CURRENT, MarksAnswer, OutcomeFilter, Place, Rendered, array, day, push_family, push_row,
};
use crate::schools::Schools;
use anyhow::{Context, Result};
use memchr::memmem::Finder;
use std::ops::ControlFlow;
use std::path::Path;

/// A store with a rendered row a key.
pub struct Rows<S> {
    /// Always there but while it is opened again.
    store: Option<S>,
    released: Vec<u64>,
    kept: Vec<u8>,
}

impl<S: KeyValue> Rows<S> {
    /// Loads the schools into a store in this folder, each in one transaction.
    pub fn load(folder: &Path, schools: &Schools) -> Result<Rows<S>> {
        let mut store = S::create(&folder.join(S::ROWS))?;
        for school in &schools.all {
            let rendered = Rendered::of(&schools.engine, school)?;
            store.append(&mut |put| put_school(&rendered, put))?;
        }
        Ok(Rows {
            store: Some(store),
            released: Vec::new(),
            kept: Vec::new(),
        })
    }

    fn marks(&mut self, ask: &Ask, out: &mut Vec<u8>) -> Result<()> {
        let moment = self.store.as_ref().context("closed")?.moment()?;
        let filter = OutcomeFilter::of(ask.what);
        let kept = &mut self.kept;
        let mut answer = MarksAnswer::new(out);
        each_term(&moment, ask, &mut self.released, |term| {
            let of = Key::of(&[ask.school, term.year, term.grade, term.term]);
            let [first, last] = term.learners;
            let (from, to) = (of.with(&[first, 0]), of.with(&[last, u64::MAX]));
            moment.scan(Table::Marks, &from, &to, |key, row| {
                let [learner, subject] = Key::last(key);
                let place = term.place(learner);
                if term.released.contains(&subject) {
                    match &filter {
                        None => answer.push(term.heading, place, row),
                        Some(filter) => {
                            if filter.narrow(row, kept)? {
                                answer.push(term.heading, place, kept);
                            }
                        }
                    }
                }
                Ok(ControlFlow::Continue(()))
            })
        })?;
        answer.finish();
        Ok(())
    }
}

impl<S: KeyValue> Peer for Rows<S> {
    fn name(&self) -> &'static str {
        S::ROWS
    }

    fn answer(&mut self, ask: &Ask, out: &mut Vec<u8>) -> Result<()> {
        if let What::MarksOfLearner(_) | What::MarksOfGrade { .. } | What::MarksOfOutcome { .. } =
            ask.what
        {
            return self.marks(ask, out);
        }
        let moment = self.store.as_ref().context("closed")?.moment()?;
        let school = ask.school;
        array(out, |out| match ask.what {
            What::Learner(id) => {
                let key = Key::of(&[school, id]);
                moment.get(Table::Learners, &key, |value| {
                    let learner = Learner::open(value)?;
                    if learner.tag(STATUS) == CURRENT {
                        push_row(learner.row, out);
                    }
                    Ok(())
                })?;
                Ok(())
            }
            What::SubjectsPerTerm(learner) => {
                list_subjects(&moment, Table::SubjectsPerTerm, school, learner, out)
            }
            What::SubjectMarks(learner) => {
                list_subjects(&moment, Table::SubjectMarks, school, learner, out)
            }
            What::LearnerSubjects => {
                let year = year(&moment, school)?;
                let from = Key::of(&[school, year, 0, 0]);
                let to = Key::of(&[school, year, u64::MAX, u64::MAX]);
                moment.scan(Table::LearnerSubjects, &from, &to, |_, value| {
                    let (status, row) = value.split_first().context("an empty value")?;
                    if u64::from(*status) == CURRENT {
                        push_row(row, out);
                    }
                    Ok(ControlFlow::Continue(()))
                })
            }
            What::Absentees { from, to } => {
                let from = Key::of(&[school, day(from)?.into(), 0]);
                let to = Key::of(&[school, day(to)?.into(), u64::MAX]);
                list(&moment, Table::Absentees, &from, &to, out)
            }
            _ => list_learners(&moment, ask, out),
        })
    }

    fn forget(&mut self) -> Result<()> {
        let store = self.store.take().context("closed")?;
        self.store = Some(store.reopen()?);
        Ok(())
    }
}

/// Adds all rows between two keys.
fn list(moment: &impl Moment, table: Table, from: &Key, to: &Key, out: &mut Vec<u8>) -> Result<()> {
    moment.scan(table, from, to, |_, row| {
        push_row(row, out);
        Ok(ControlFlow::Continue(()))
    })
}

/// Adds a learner's rows of the current year.
fn list_subjects(
    moment: &impl Moment,
    table: Table,
    school: u64,
    learner: u64,
    out: &mut Vec<u8>,
) -> Result<()> {
    let year = year(moment, school)?;
    let from = Key::of(&[school, year, learner, 0]);
    let to = Key::of(&[school, year, learner, u64::MAX]);
    list(moment, table, &from, &to, out)
}

fn list_learners(moment: &impl Moment, ask: &Ask, out: &mut Vec<u8>) -> Result<()> {
    let school = ask.school;
    let filter = Filter::of(ask.what)?;
    let name = match ask.what {
        What::Name(name) => Some(Finder::new(name)),
        _ => None,
    };
    let with_parents = matches!(ask.what, What::GradesWithParents(_));
    let (from, to) = (Key::of(&[school, 0]), Key::of(&[school, u64::MAX]));
    moment.scan(Table::Learners, &from, &to, |_, value| {
        let learner = Learner::open(value)?;
        let is_named = || {
            name.as_ref()
                .is_none_or(|name| name.find(learner.name).is_some())
        };
        if !filter.passes(|tag| learner.tag(tag)) || !is_named() {
            return Ok(ControlFlow::Continue(()));
        }
        if with_parents {
            push_family(learner.row, out, |out| {
                for parent in PARENTS.map(|tag| learner.tag(tag)) {
                    if parent != NONE {
                        let key = Key::of(&[school, parent]);
                        moment.get(Table::Parents, &key, |row| {
                            push_row(row, out);
                            Ok(())
                        })?;
                    }
                }
                Ok(())
            })?;
        } else {
            push_row(learner.row, out);
        }
        Ok(ControlFlow::Continue(()))
    })
}

/// A learner's value: its facts, the length of its folded name as one more, the
/// name, the row.
struct Learner<'a> {
    tags: &'a [[u8; 8]],
    name: &'a [u8],
    row: &'a [u8],
}

impl<'a> Learner<'a> {
    #[inline]
    fn open(value: &'a [u8]) -> Result<Learner<'a>> {
        let parts = || {
            let (tags, rest) = value.split_at_checked(TAGS * 8)?;
            let (length, rest) = rest.split_first_chunk()?;
            let length = usize::try_from(u64::from_be_bytes(*length)).ok()?;
            let (name, row) = rest.split_at_checked(length)?;
            let tags = tags.as_chunks().0;
            Some(Learner { tags, name, row })
        };
        parts().context("a learner is cut")
    }

    #[inline]
    fn tag(&self, tag: usize) -> u64 {
        let bytes = self.tags.get(tag).copied();
        bytes.map_or(NONE, u64::from_be_bytes)
    }
}

/// Adds a school, each table in the order of its keys.
fn put_school(rendered: &Rendered<'_>, put: &mut Put<'_>) -> Result<()> {
    let (school, year) = (rendered.school, rendered.year);
    put_facts(rendered, put)?;
    let mut value = Vec::new();
    for of in rendered.learners.values() {
        value.clear();
        value.extend_from_slice(&Key::of(&tags(of)));
        value.extend_from_slice(&Key::of(&[of.name.len() as u64]));
        value.extend_from_slice(of.name.as_bytes());
        value.extend_from_slice(of.row.as_bytes());
        put(Table::Learners, &Key::of(&[school, of.id]), &value)?;
    }
    for (id, row) in &rendered.parents {
        put(Table::Parents, &Key::of(&[school, *id]), row.as_bytes())?;
    }
    for of in &rendered.absences {
        let key = Key::of(&[school, of.day.into(), of.id]);
        put(Table::Absentees, &key, of.row.as_bytes())?;
    }
    for of in &rendered.learner_subjects {
        value.clear();
        value.push(u8::try_from(rendered.status(of.learner))?);
        value.extend_from_slice(of.row.as_bytes());
        let key = Key::of(&[school, year, of.learner, of.subject]);
        put(Table::LearnerSubjects, &key, &value)?;
    }
    for (table, rows) in [
        (Table::SubjectsPerTerm, &rendered.subjects_per_term),
        (Table::SubjectMarks, &rendered.subject_marks),
    ] {
        for of in rows {
            let key = Key::of(&[school, year, of.learner, of.subject]);
            put(table, &key, of.row.as_bytes())?;
        }
    }
    let mut places = MarkPlaces::default();
    rendered.each_marks_row(|of| {
        let Place {
            grade,
            term,
            learner,
        } = of.place;
        places.add(of.place);
        let key = Key::of(&[school, year, grade, term, learner, of.subject]);
        put(Table::Marks, &key, of.row.as_bytes())
    })?;
    places.put(rendered, put)
}
