//! Get Learner Subject Marks (4.4).

use super::tables::Subject;
use super::{Array, Outcome, Question, View};
use crate::Result;
use crate::json;
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
        for page in view.snapshot.records(subjects)?.between(from, to) {
            let (page, indices) = page?;
            let run = page.run()?;
            for index in indices {
                let Key(_, subject) = run.key(index)?;
                let kept = LearnerSubject::open(run.record(0, index)?)?;
                let start = out.len();
                out.extend_from_slice(b"{\"year\":");
                json::push_quoted_integer(out, year);
                out.push(b',');
                match tables.subject(subject) {
                    Some(subject) => out.extend_from_slice(&subject.named),
                    None => out.extend_from_slice(&Subject::new(subject, "", "", "").named),
                }
                out.extend_from_slice(b",\"grade_id\":");
                json::push_quoted_integer(out, kept.grade);
                out.extend_from_slice(b",\"grade\":\"");
                out.extend_from_slice(tables.grade(kept.grade));
                out.extend_from_slice(b"\",\"terms\":[");
                let empty = out.len();
                for term in kept.terms() {
                    let term = term?;
                    let Some(mark) = term.mark else {
                        continue;
                    };
                    out.extend_from_slice(b"{\"term\":");
                    json::push_quoted_integer(out, term.term);
                    out.extend_from_slice(b",\"mark\":\"");
                    mark.push_rounded(out);
                    out.extend_from_slice(b"\"},");
                }
                if out.len() == empty {
                    out.truncate(start);
                    continue;
                }
                out.pop();
                out.extend_from_slice(b"]},");
            }
        }
        Ok(array.close(out))
    }
}
