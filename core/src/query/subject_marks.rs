//! Get Learner Subject Marks (4.4).

use super::tables::{self, Tables};
use super::walk::{Identity, Paged, Walk};
use super::{Array, Outcome, Question, View};
use crate::Result;
use crate::json::{Chunks, Wire};
use crate::record::learner_subject::LearnerSubject;
use crate::store::{Collection, Key, Partition, Reader, Run};

/// Get Learner Subject Marks (4.4): the learner's subjects of the current year
/// that have a term mark (2.5), by subject, each with its marks by term.
///
/// ```
/// # fn main() -> rollbook::Result<()> {
/// use rollbook::{Engine, Options, SubjectMarks};
/// let engine = Engine::memory(Options::default())?;
/// engine.apply(r#"{"type":"school","school_id":1,"current_year":2026}
/// {"type":"learner_subject","school_id":1,"learner_id":7,"year":2026,"subject_id":10,"grade_id":9,"terms":[{"term":1,"mark":"66.665"}]}"#.as_bytes())?;
/// let answer = engine.ask(&SubjectMarks { school: 1, learner_id: 7 })?;
/// assert!(answer.text().ends_with(r#""terms":[{"term":"1","mark":"66.67"}]}]"#));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SubjectMarks {
    /// The school's login id.
    pub school: u64,
    /// The learner.
    pub learner_id: u64,
}

impl Question for SubjectMarks {
    fn answer(&self, view: View<'_>, out: &mut Chunks<'_>) -> Result<Outcome> {
        let tables = view.tables(self.school, Wire::V1)?;
        let Some(year) = tables.current_year else {
            return Ok(Outcome::Nothing);
        };
        let subjects = Partition::of_year(self.school, Collection::LearnerSubjects, year);
        let (from, to) = (Key(self.learner_id, 0), Key(self.learner_id, u64::MAX));
        let array = Array::open(out);
        for page in view.snapshot.records(subjects)?.between(from, to) {
            let (page, indices) = page?;
            let run = page.run()?;
            for index in indices {
                push(&run, index, year, &tables, Wire::V1, out)?;
            }
        }
        Ok(array.close(out))
    }
}

impl Paged for SubjectMarks {
    fn identify(&self, identity: &mut Identity) {
        identity.number("school", Some(self.school));
        identity.number("learner_id", Some(self.learner_id));
    }

    fn walk(&self, view: View<'_>, walk: &mut Walk, out: &mut Chunks<'_>) -> Result<Outcome> {
        let tables = view.tables(self.school, Wire::V2)?;
        let Some(year) = walk.first_number().or(tables.current_year) else {
            return Ok(Outcome::Found);
        };
        let subjects = Partition::of_year(self.school, Collection::LearnerSubjects, year);
        let subjects = view.snapshot.records(subjects)?;
        let (from, to) = (Key(self.learner_id, 0), Key(self.learner_id, u64::MAX));
        let keys = walk.rest(from, to, |[_, subject, ..]| Key(self.learner_id, *subject));
        let Some(keys) = keys else {
            return Ok(Outcome::Found);
        };
        for page in walk.runs(&subjects, keys) {
            let (page, indices) = page?;
            let run = page.run()?;
            for index in walk.places(indices) {
                let Key(_, subject) = run.key(index)?;
                let start = out.len();
                push(&run, index, year, &tables, Wire::V2, out)?;
                if out.len() > start && !walk.take([year, subject, 0, 0, 0, 0, 0]) {
                    out.truncate(start);
                    return Ok(Outcome::Found);
                }
            }
        }
        Ok(Outcome::Found)
    }
}

/// One record and a comma; nothing if no term has a mark.
#[inline]
fn push(
    run: &Run<'_>,
    index: usize,
    year: u64,
    tables: &Tables,
    wire: Wire,
    written: &mut Chunks<'_>,
) -> Result<()> {
    let Key(_, subject) = run.key(index)?;
    let kept = LearnerSubject::open(run.record(0, index)?)?;
    let start = written.len();
    tables.push_year(year, written);
    match tables.subject(subject) {
        Some(subject) => written.push_padded(&subject.named),
        None => written.push_padded(&tables.unknown_subject(subject).named),
    }
    match tables.in_grade(kept.grade) {
        Some(grade) => written.push_padded(grade),
        None => written.push(&tables::in_grade(wire, kept.grade, b"")),
    }
    let empty = written.len();
    for term in kept.terms() {
        let term = term?;
        let Some(mark) = term.mark else {
            continue;
        };
        match tables.term(year, term.term) {
            Some(term) => written.push_padded(&term.marked),
            None => written.push(&tables::marked_term(wire, term.term)),
        }
        mark.write_rounded(written);
        written.push(match wire {
            Wire::V1 => b"\"},".as_slice(),
            Wire::V2 => b"},",
        });
    }
    if written.len() == empty {
        written.truncate(start);
    } else {
        written.pop();
        written.push(b"]},");
    }
    Ok(())
}
