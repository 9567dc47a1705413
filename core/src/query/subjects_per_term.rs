//! Get Learner Subjects Per Term (4.3).

use super::tables::{self, Subject};
use super::{Array, Outcome, Question, View};
use crate::json::Chunks;
use crate::record::learner_subject::LearnerSubject;
use crate::store::{Collection, Key, Partition, Reader};
use crate::{Error, Result};

/// Get Learner Subjects Per Term (4.3): the learner's subjects of the current
/// year (2.4), by subject, each with its terms in order.
///
/// ```
/// # fn main() -> rollbook::Result<()> {
/// use rollbook::{Engine, Options, SubjectsPerTerm};
/// let engine = Engine::memory(Options::default())?;
/// engine.apply(r#"{"type":"school","school_id":1,"current_year":2026}
/// {"type":"learner_subject","school_id":1,"learner_id":7,"year":2026,"subject_id":10,"grade_id":9}"#.as_bytes())?;
/// let answer = engine.ask(&SubjectsPerTerm { school: 1, learner_id: 7 })?;
/// assert!(answer.text().ends_with(r#""grade_id":"9","grade":"","terms":[]}]"#));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SubjectsPerTerm {
    /// The school's login id.
    pub school: u64,
    /// The learner.
    pub learner_id: u64,
}

impl Question for SubjectsPerTerm {
    fn answer(&self, view: View<'_>, out: &mut Vec<u8>) -> Result<Outcome> {
        let tables = view.tables(self.school)?;
        let Some(year) = tables.current_year else {
            return Ok(Outcome::Nothing);
        };
        let subjects = Partition::of_year(self.school, Collection::LearnerSubjects, year);
        let (from, to) = (Key(self.learner_id, 0), Key(self.learner_id, u64::MAX));
        let array = Array::open(out);
        let mut written = Chunks::new(out);
        for page in view.snapshot.records(subjects)?.between(from, to) {
            let (page, indices) = page?;
            let run = page.run()?;
            for index in indices {
                let Key(_, subject) = run.key(index)?;
                let kept = LearnerSubject::open(run.record(0, index)?)?;
                written.push_padded(&tables.in_current_year);
                match tables.subject(subject) {
                    Some(subject) => push_subject(subject, &mut written),
                    None => push_subject(&Subject::new(subject, "", "", ""), &mut written),
                }
                match tables.in_grade(kept.grade) {
                    Some(grade) => written.push_padded(grade),
                    None => written.push(&tables::in_grade(kept.grade, b"")),
                }
                let groups = kept.groups()?;
                let empty = written.len();
                for term in kept.terms() {
                    let term = term?;
                    if written.len() > empty {
                        written.push(b",");
                    }
                    match tables.term(year, term.term) {
                        Some(term) => written.push_padded(&term.listed),
                        None => written.push(&tables::listed_term(None, term.term)),
                    }
                    let group = usize::try_from(term.group).ok();
                    let group = group.and_then(|group| groups.get(group));
                    written.push(group.ok_or_else(|| Error::corrupt("a term has no group"))?);
                }
                written.push(b"]},");
            }
        }
        drop(written);
        Ok(array.close(out))
    }
}

fn push_subject(subject: &Subject, written: &mut Chunks<'_>) {
    written.push_padded(&subject.named);
    written.push_padded(&subject.above);
}
