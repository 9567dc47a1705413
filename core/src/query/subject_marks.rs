//! Get Learner Subject Marks (4.4).

use super::tables::{self, Subject};
use super::{Array, Outcome, Question, View};
use crate::Result;
use crate::json::Chunks;
use crate::record::learner_subject::LearnerSubject;
use crate::store::{Collection, Key, Partition, Reader};

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
                let start = written.len();
                written.push_padded(&tables.in_current_year);
                match tables.subject(subject) {
                    Some(subject) => written.push_padded(&subject.named),
                    None => written.push_padded(&Subject::new(subject, "", "", "").named),
                }
                match tables.in_grade(kept.grade) {
                    Some(grade) => written.push_padded(grade),
                    None => written.push(&tables::in_grade(kept.grade, b"")),
                }
                let empty = written.len();
                for term in kept.terms() {
                    let term = term?;
                    let Some(mark) = term.mark else {
                        continue;
                    };
                    match tables.term(year, term.term) {
                        Some(term) => written.push_padded(&term.marked),
                        None => written.push(&tables::marked_term(term.term)),
                    }
                    mark.write_rounded(&mut written);
                    written.push(b"\"},");
                }
                if written.len() == empty {
                    written.truncate(start);
                    continue;
                }
                written.pop();
                written.push(b"]},");
            }
        }
        drop(written);
        Ok(array.close(out))
    }
}
