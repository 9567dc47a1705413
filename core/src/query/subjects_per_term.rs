//! Get Learner Subjects Per Term (4.3).

use super::tables::Subject;
use super::{Array, Outcome, Question, View};
use crate::json;
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
        for page in view.snapshot.records(subjects)?.between(from, to) {
            let (page, indices) = page?;
            let run = page.run()?;
            for index in indices {
                let Key(_, subject) = run.key(index)?;
                let kept = LearnerSubject::open(run.record(0, index)?)?;
                out.extend_from_slice(b"{\"year\":");
                json::push_quoted_integer(out, year);
                out.push(b',');
                match tables.subject(subject) {
                    Some(subject) => push_subject(subject, out),
                    None => push_subject(&Subject::new(subject, "", "", ""), out),
                }
                out.extend_from_slice(b",\"grade_id\":");
                json::push_quoted_integer(out, kept.grade);
                out.extend_from_slice(b",\"grade\":\"");
                out.extend_from_slice(tables.grade(kept.grade));
                out.extend_from_slice(b"\",\"terms\":[");
                let groups = kept.groups()?;
                let empty = out.len();
                for term in kept.terms() {
                    let term = term?;
                    if out.len() > empty {
                        out.push(b',');
                    }
                    out.extend_from_slice(b"{\"term_id\":");
                    let known = tables.term(year, term.term);
                    json::push_integer(out, known.map_or(0, |known| known.id));
                    out.extend_from_slice(b",\"term\":");
                    json::push_quoted_integer(out, term.term);
                    out.push(b',');
                    let group = usize::try_from(term.group).ok();
                    let group = group.and_then(|group| groups.get(group));
                    out.extend_from_slice(
                        group.ok_or_else(|| Error::corrupt("a term has no group"))?,
                    );
                }
                out.extend_from_slice(b"]},");
            }
        }
        Ok(array.close(out))
    }
}

fn push_subject(subject: &Subject, out: &mut Vec<u8>) {
    out.extend_from_slice(&subject.named);
    out.extend_from_slice(&subject.above);
}
