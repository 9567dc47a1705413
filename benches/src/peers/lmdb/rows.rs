//! One pre-rendered row per key. The value of a row that filters read begins with the data for the
//! filters: the status for a learner's subject; the filter values, the length of the folded name
//! and the folded name for a learner.

use super::key::Key;
use super::shared::{Filter, NONE, PARENTS, STATUS, TAGS, each_term, put_school, year};
use super::store::{Put, Snapshot, Store};
use crate::ask::{Ask, What};
use crate::peer::Peer;
use crate::peers::rendered::{
    CURRENT, MarksAnswer, OutcomeFilter, Row, Table, array, day, push_family, push_row,
};
use crate::schools::Schools;
use anyhow::{Context, Result};
use memchr::memmem::Finder;
use std::ops::ControlFlow;
use std::path::Path;

/// A store with one pre-rendered row per key.
pub(in crate::peers) struct Rows {
    store: Store,
    released: Vec<u64>,
    narrowed: Vec<u8>,
}

impl Rows {
    const NAME: &'static str = "LMDB rows";

    /// Loads the schools into a store in this folder.
    pub(in crate::peers) fn load(folder: &Path, schools: &Schools) -> Result<Rows> {
        let store = Store::load(&folder.join(Rows::NAME), schools, |rendered, put| {
            put_school(rendered, put, put_row)
        })?;
        Ok(Rows {
            store,
            released: Vec::new(),
            narrowed: Vec::new(),
        })
    }

    fn marks(&mut self, ask: &Ask, out: &mut Vec<u8>) -> Result<()> {
        let snapshot = self.store.snapshot()?;
        let filter = OutcomeFilter::for_question(ask.what);
        let narrowed = &mut self.narrowed;
        let mut answer = MarksAnswer::new(out);
        each_term(&snapshot, ask, &mut self.released, |term| {
            let of = Key::new(&[ask.school, term.year, term.grade, term.term]);
            let [first, last] = term.learners;
            let (from, to) = (of.with(&[first, 0]), of.with(&[last, u64::MAX]));
            snapshot.scan(Table::Marks, &from, &to, |key, row| {
                let [learner, subject] = Key::last(key);
                let place = term.place(learner);
                if term.released.contains(&subject) {
                    match &filter {
                        None => answer.push(term.heading, place, row),
                        Some(filter) => {
                            if filter.narrow(row, narrowed)? {
                                answer.push(term.heading, place, narrowed);
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

impl Peer for Rows {
    fn name(&self) -> &'static str {
        Rows::NAME
    }

    fn answer(&mut self, ask: &Ask, out: &mut Vec<u8>) -> Result<()> {
        if let What::MarksOfLearner(_) | What::MarksOfGrade { .. } | What::MarksOfOutcome { .. } =
            ask.what
        {
            return self.marks(ask, out);
        }
        let snapshot = self.store.snapshot()?;
        let school = ask.school;
        let of_year = |learners: [u64; 2]| {
            let year = year(&snapshot, school)?;
            let [first, last] = learners;
            let from = Key::new(&[school, year, first, 0]);
            anyhow::Ok((from, Key::new(&[school, year, last, u64::MAX])))
        };
        array(out, |out| match ask.what {
            What::Learner(id) => {
                let key = Key::new(&[school, id]);
                if let Some(value) = snapshot.get(Table::Learners, &key)? {
                    let learner = Learner::open(value)?;
                    if learner.tag(STATUS) == CURRENT {
                        push_row(learner.row, out);
                    }
                }
                Ok(())
            }
            What::SubjectsPerTerm(learner) => list(
                &snapshot,
                Table::SubjectsPerTerm,
                of_year([learner; 2])?,
                out,
            ),
            What::SubjectMarks(learner) => {
                list(&snapshot, Table::SubjectMarks, of_year([learner; 2])?, out)
            }
            What::LearnerSubjects => {
                let (from, to) = of_year([0, u64::MAX])?;
                snapshot.scan(Table::LearnerSubjects, &from, &to, |_, value| {
                    let (status, row) = value.split_first_chunk().context("a cut value")?;
                    if u64::from_be_bytes(*status) == CURRENT {
                        push_row(row, out);
                    }
                    Ok(ControlFlow::Continue(()))
                })
            }
            What::Absentees { from, to } => {
                let from = Key::new(&[school, day(from)?, 0]);
                let to = Key::new(&[school, day(to)?, u64::MAX]);
                list(&snapshot, Table::Absentees, (from, to), out)
            }
            _ => list_learners(&snapshot, ask, out),
        })
    }

    fn forget(&mut self) -> Result<()> {
        self.store.reopen()
    }
}

/// Adds all rows between two keys.
fn list(
    snapshot: &Snapshot<'_>,
    table: Table,
    (from, to): (Key, Key),
    out: &mut Vec<u8>,
) -> Result<()> {
    snapshot.scan(table, &from, &to, |_, row| {
        push_row(row, out);
        Ok(ControlFlow::Continue(()))
    })
}

fn list_learners(snapshot: &Snapshot<'_>, ask: &Ask, out: &mut Vec<u8>) -> Result<()> {
    let school = ask.school;
    let filter = Filter::for_question(ask.what)?;
    let name = match ask.what {
        What::Name(name) => Some(Finder::new(name)),
        _ => None,
    };
    let with_parents = matches!(ask.what, What::GradesWithParents(_));
    let (from, to) = (Key::new(&[school, 0]), Key::new(&[school, u64::MAX]));
    snapshot.scan(Table::Learners, &from, &to, |_, value| {
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
                        let key = Key::new(&[school, parent]);
                        if let Some(row) = snapshot.get(Table::Parents, &key)? {
                            push_row(row, out);
                        }
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

/// The value of a learner.
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
        parts().context("a learner is truncated")
    }

    #[inline]
    fn tag(&self, tag: usize) -> u64 {
        let bytes = self.tags.get(tag).copied();
        bytes.map_or(NONE, u64::from_be_bytes)
    }
}

fn put_row(row: &Row<'_>, put: &mut Put<'_>) -> Result<()> {
    let mut value = Vec::new();
    for tag in row.tags {
        value.extend_from_slice(&tag.unwrap_or(NONE).to_be_bytes());
    }
    if row.table == Table::Learners {
        value.extend_from_slice(&(row.name.len() as u64).to_be_bytes());
        value.extend_from_slice(row.name.as_bytes());
    }
    value.extend_from_slice(row.json.as_bytes());
    let key = Key::new(row.partition).with(row.key);
    put(row.table, &key, &value)
}
