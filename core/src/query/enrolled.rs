//! The subjects in which one learner is enrolled in the current year, of which two
//! questions tell.

use super::View;
use super::tables::{Tables, Term};
use super::walk::Walk;
use crate::error::Result;
use crate::json::{Chunks, Padded, Wire};
use crate::store::{Collection, Key, Partition, Reader, Run, Snapshot, Sources};
use std::borrow::Cow;

/// What the records of a learner's subjects have in common.
pub(super) struct EnrolledContext<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) tables: &'a Tables,
    pub(super) year: u64,
    pub(super) wire: Wire,
    /// `{"year":"2026",`
    in_year: Cow<'a, Padded>,
    /// The terms of the year that are held, if it is the current one.
    terms: &'a [(Key, Term)],
}

impl EnrolledContext<'_> {
    /// A term, if it is where most are: they are mostly numbered from 1.
    #[inline]
    pub(super) fn term(&self, term: u64) -> Option<&Term> {
        let index = usize::try_from(term.wrapping_sub(1)).ok()?;
        let (key, found) = self.terms.get(index)?;
        (key.1 == term).then_some(found)
    }

    /// Writes what comes before the terms; of the subject all, or its name alone.
    #[inline]
    pub(super) fn push_opening(
        &self,
        subject: u64,
        grade: u64,
        whole: bool,
        out: &mut Chunks<'_>,
    ) -> Result<()> {
        let (read_subject, read_grade);
        let subject = match self.tables.subject(subject) {
            Some(subject) => subject,
            None => {
                read_subject = self.tables.other_subject(self.snapshot, subject)?;
                &read_subject
            }
        };
        let grade = match self.tables.in_grade(grade) {
            Some(grade) => grade,
            None => {
                read_grade = self.tables.in_other_grade(self.snapshot, grade)?;
                &read_grade
            }
        };
        let taken = if whole {
            subject.taken.len()
        } else {
            subject.named
        };
        let year = &*self.in_year;
        out.push_starts([
            (year, year.len()),
            (&subject.taken, taken),
            (grade, grade.len()),
        ]);
        Ok(())
    }
}

/// What both are made from.
pub(super) const SOURCES: Sources = Sources::of(&[
    Collection::Schools,
    Collection::Grades,
    Collection::Subjects,
    Collection::LearnerSubjects,
]);

/// Writes the records of the walk's next page, by subject. `push` writes one
/// with a comma, or nothing if the question tells nothing of it.
#[inline]
pub(super) fn walk(
    view: View<'_>,
    school: u64,
    learner: u64,
    wire: Wire,
    walk: &mut Walk,
    out: &mut Chunks<'_>,
    push: impl Fn(&EnrolledContext<'_>, &Run<'_>, usize, &mut Chunks<'_>) -> Result<()>,
) -> Result<()> {
    let tables = view.tables(school, wire)?;
    let Some(year) = view.current_year(&tables.facts) else {
        return Ok(());
    };
    let context = EnrolledContext {
        snapshot: view.snapshot,
        tables: &tables,
        year,
        wire,
        in_year: tables.in_year(year),
        terms: match tables.facts.current_year {
            Some(current) if current == year => tables.current_terms(),
            _ => &[],
        },
    };
    let subjects = Partition::of_year(school, Collection::LearnerSubjects, year);
    let subjects = view.snapshot.records(subjects)?;
    let (from, to) = (Key(learner, 0), Key(learner, u64::MAX));
    let Some(keys) = walk.rest(from, to, |[subject, ..]| Key(learner, *subject)) else {
        return Ok(());
    };
    for pinned in walk.runs(&subjects, keys) {
        let (pinned, indices) = pinned?;
        let run = pinned.run()?;
        for index in walk.in_order(indices) {
            let Key(_, subject) = run.key(index)?;
            let start = out.len();
            push(&context, &run, index, out)?;
            if out.len() > start && !walk.take([subject, 0, 0, 0, 0, 0, 0]) {
                out.truncate(start);
                return Ok(());
            }
        }
    }
    Ok(())
}
