//! The subjects in which one learner is enrolled in the current year. Two endpoints answer from
//! them.

use crate::error::Result;
use crate::json::{ApiVersion, OutputBuffer, Padded};
use crate::query::decoded::school_tables::{Tables, Term};
use crate::query::{Outcome, PageWriter};
use crate::record::kinds::learner_subject::LearnerSubject;
use crate::store::{Collection, Key, Partition, Snapshot, Sources};
use std::borrow::Cow;

/// The values that the records of a learner's subjects share.
pub(crate) struct EnrolledContext<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) tables: &'a Tables,
    pub(crate) year: u64,
    pub(crate) version: ApiVersion,
    /// The text `{"year":"2026",`.
    in_year: Cow<'a, Padded>,
    /// The cached terms of the year, if it is the current year.
    terms: &'a [(Key, Term)],
}

impl EnrolledContext<'_> {
    /// Returns a term if its number is one more than its index, which is the most common case.
    #[inline]
    pub(crate) fn term(&self, term: u64) -> Option<&Term> {
        let index = usize::try_from(term.wrapping_sub(1)).ok()?;
        let (key, found) = self.terms.get(index)?;
        (key.1 == term).then_some(found)
    }

    /// Writes the text that precedes the terms. `WHOLE` selects all texts of the subject
    /// instead of only its name.
    #[inline]
    pub(crate) fn push_opening<const WHOLE: bool>(
        &self,
        subject: u64,
        grade: u64,
        out: &mut OutputBuffer<'_>,
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
        let taken = if WHOLE {
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

/// The collections from which both answers are made.
pub(crate) const SOURCES: Sources = Sources::new(&[
    Collection::Schools,
    Collection::Grades,
    Collection::Subjects,
    Collection::LearnerSubjects,
]);

/// Writes the records of the page, ordered by subject. `push` writes the record of a subject with a
/// comma, or nothing if the answer does not contain it.
#[inline]
pub(crate) fn write(
    page: PageWriter<'_, '_>,
    (school, learner): (u64, u64),
    push: impl Fn(&EnrolledContext<'_>, u64, &LearnerSubject<'_>, &mut OutputBuffer<'_>) -> Result<()>,
) -> Result<Outcome> {
    let PageWriter { view, version, .. } = page;
    let tables = view.tables(school, version)?;
    let Some(year) = view.current_year(&tables.facts) else {
        return Ok(Outcome::Found);
    };
    let context = EnrolledContext {
        snapshot: view.snapshot,
        tables: &tables,
        year,
        version,
        in_year: tables.in_year(year),
        terms: match tables.facts.current_year {
            Some(current) if current == year => tables.current_terms(),
            _ => &[],
        },
    };
    let subjects = Partition::of_year(school, Collection::LearnerSubjects, year);
    let keys = Key::range_from(Some(learner));
    page.write(subjects, keys, &mut |Key(_, subject), block, index, out| {
        let stored = LearnerSubject::open(block.record(0, index)?)?;
        push(&context, subject, &stored, out)
    })
}
