//! Pre-rendered rows in runs of just under 64 KiB.

use super::families::Families;
use super::packing::Packer;
use super::run::Run;
use super::shared::{Filter, STATUS, Term, each_term, put_school, year};
use super::span::{FIRST, LAST, Span};
use super::store::{Snapshot, Store};
use crate::ask::{Ask, What};
use crate::peer::Peer;
use crate::peers::rendered::{CURRENT, MarksAnswer, OutcomeFilter, Table, array, day, push_row};
use crate::schools::Schools;
use anyhow::Result;
use memchr::memmem::Finder;
use std::ops::Range;
use std::path::Path;

/// A store with pre-rendered rows in runs.
pub(in crate::peers) struct Runs {
    store: Store,
    released: Vec<u64>,
    narrowed: Vec<u8>,
    families: Families,
}

impl Runs {
    const NAME: &'static str = "LMDB runs";

    /// Loads the schools into a store in this folder.
    pub(in crate::peers) fn load(folder: &Path, schools: &Schools) -> Result<Runs> {
        let store = Store::load(&folder.join(Runs::NAME), schools, |rendered, put| {
            let mut packer = Packer::new();
            put_school(rendered, put, |row, put| packer.push(row, put))?;
            packer.close(put)
        })?;
        Ok(Runs {
            store,
            released: Vec::new(),
            narrowed: Vec::new(),
            families: Families::default(),
        })
    }

    fn marks(&mut self, ask: &Ask, out: &mut Vec<u8>) -> Result<()> {
        let snapshot = self.store.snapshot()?;
        let filter = OutcomeFilter::for_question(ask.what);
        let narrowed = &mut self.narrowed;
        let mut answer = MarksAnswer::new(out);
        each_term(&snapshot, ask, &mut self.released, |term| {
            let [first, last] = term.learners;
            let span = Span {
                table: Table::Marks,
                partition: &[ask.school, term.year, term.grade, term.term],
                from: (first, 0),
                to: (last, u64::MAX),
            };
            span.each(&snapshot, |run, indices| {
                let Some(filter) = &filter else {
                    push_marks(run, indices, term, &mut answer);
                    return Ok(());
                };
                for index in indices {
                    let (learner, subject) = run.key(index);
                    if term.released.contains(&subject)
                        && filter.narrow(run.rows(index..index + 1), narrowed)?
                    {
                        answer.push(term.heading, term.place(learner), narrowed);
                    }
                }
                Ok(())
            })
        })?;
        answer.finish();
        Ok(())
    }
}

impl Peer for Runs {
    fn name(&self) -> &'static str {
        Runs::NAME
    }

    fn answer(&mut self, ask: &Ask, out: &mut Vec<u8>) -> Result<()> {
        if let What::MarksOfLearner(_) | What::MarksOfGrade { .. } | What::MarksOfOutcome { .. } =
            ask.what
        {
            return self.marks(ask, out);
        }
        let snapshot = self.store.snapshot()?;
        let school = ask.school;
        let of_learner = |table, learner, out: &mut Vec<u8>| {
            let span = Span {
                table,
                partition: &[school, year(&snapshot, school)?],
                from: (learner, 0),
                to: (learner, u64::MAX),
            };
            span.push(&snapshot, out)
        };
        array(out, |out| match ask.what {
            What::SubjectsPerTerm(learner) => of_learner(Table::SubjectsPerTerm, learner, out),
            What::SubjectMarks(learner) => of_learner(Table::SubjectMarks, learner, out),
            What::LearnerSubjects => {
                let span = Span {
                    table: Table::LearnerSubjects,
                    partition: &[school, year(&snapshot, school)?],
                    from: FIRST,
                    to: LAST,
                };
                span.each(&snapshot, |run, indices| {
                    let statuses = run.column(STATUS);
                    push_where(run, indices, out, |index| is(statuses, index, CURRENT));
                    Ok(())
                })
            }
            What::Absentees { from, to } => {
                let span = Span {
                    table: Table::Absentees,
                    partition: &[school],
                    from: (day(from)?, 0),
                    to: (day(to)?, u64::MAX),
                };
                span.push(&snapshot, out)
            }
            _ => push_learners(&snapshot, ask, &mut self.families, out),
        })
    }

    fn forget(&mut self) -> Result<()> {
        self.store.reopen()
    }
}

/// Returns whether a filter value of a row is `value`.
#[inline]
fn is(column: &[[u8; 8]], index: usize, value: u64) -> bool {
    column.get(index) == Some(&value.to_le_bytes())
}

/// Adds the rows that pass. Consecutive ones are copied at once.
fn push_where(
    run: &Run<'_>,
    indices: Range<usize>,
    out: &mut Vec<u8>,
    passes: impl Fn(usize) -> bool,
) {
    let mut start = indices.start;
    for index in indices.clone() {
        if !passes(index) {
            if start < index {
                push_row(run.rows(start..index), out);
            }
            start = index + 1;
        }
    }
    if start < indices.end {
        push_row(run.rows(start..indices.end), out);
    }
}

fn push_learners(
    snapshot: &Snapshot<'_>,
    ask: &Ask,
    families: &mut Families,
    out: &mut Vec<u8>,
) -> Result<()> {
    let (from, to) = match ask.what {
        What::Learner(id) => ((id, 0), (id, 0)),
        _ => (FIRST, LAST),
    };
    let span = Span {
        table: Table::Learners,
        partition: &[ask.school],
        from,
        to,
    };
    let filter = Filter::for_question(ask.what)?;
    let name = match ask.what {
        What::Name(name) => Some(Finder::new(name)),
        _ => None,
    };
    span.each(snapshot, |run, indices| {
        let passes = |index| filter.passes(|tag| run.tag(tag, index));
        match ask.what {
            What::Name(_) => {
                let mut at = 0;
                let find = |at| Some(at + name.as_ref()?.find(run.names().get(at..)?)?);
                while let Some(hit) = find(at) {
                    let (index, end) = run.named_at(hit);
                    at = end;
                    if passes(index) {
                        push_row(run.rows(index..index + 1), out);
                    }
                }
            }
            What::GradesWithParents(_) => {
                families.push(
                    snapshot,
                    ask.school,
                    run,
                    indices.filter(|i| passes(*i)),
                    out,
                )?;
            }
            What::Left { .. } => push_where(run, indices, out, passes),
            _ => {
                let statuses = run.column(STATUS);
                push_where(run, indices, out, |index| is(statuses, index, CURRENT));
            }
        }
        Ok(())
    })
}

/// Adds marks. Consecutive rows of a learner are copied at once.
fn push_marks(run: &Run<'_>, indices: Range<usize>, term: &Term<'_>, answer: &mut MarksAnswer<'_>) {
    let mut start = indices.start;
    while start < indices.end {
        let (learner, _) = run.key(start);
        let together = (start..indices.end).take_while(|index| {
            let (of, subject) = run.key(*index);
            of == learner && term.released.contains(&subject)
        });
        let end = start + together.count();
        if end > start {
            answer.push(term.heading, term.place(learner), run.rows(start..end));
        }
        start = end.max(start + 1);
    }
}
