//! Get Learner Subject Marks (4.4).

use super::endpoint::{Endpoint, Last, Path};
use super::enrolled::{self, EnrolledContext};
use super::integrators::Family;
use super::params::Params;
use super::walk::{Identity, Walk};
use super::{Array, Outcome, Query, Question, Reads, Then, View};
use crate::error::Result;
use crate::json::{Chunks, Wire, word};
use crate::record::coverage::{Part, Unit};
use crate::record::decimal::few_hundredths;
use crate::record::learner_subject::LearnerSubject;
use crate::store::{Key, Run, Sources};

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

pub(super) static ENDPOINT: Endpoint = Endpoint {
    name: "learnersubjectmarks",
    v1: Path("currplus/learnersubjectmarks", Last::SCHOOL),
    v2: Path("currplus/learnersubjectmarks", Last::None),
    family: Some(Family::Curriculum),
    nothing: "No subject mark records found",
    ..Endpoint::new(read)
};

fn read(params: &mut Params<'_>, then: Then<'_>) -> Result<Outcome> {
    let marks = SubjectMarks {
        school: params.school(),
        learner_id: params.needed_id("learner_id"),
    };
    params.ask(&marks, then)
}

impl Question for SubjectMarks {}

impl Query for SubjectMarks {
    fn endpoint(&self) -> &'static Endpoint {
        &ENDPOINT
    }

    fn about(&self) -> Option<u64> {
        Some(self.school)
    }

    fn sources(&self) -> Sources {
        enrolled::SOURCES
    }

    fn reads(&self, reads: &Reads<'_>) -> Result<()> {
        let year = reads.current_year(self.school)?;
        let unit = Unit::of_id(Part::SubjectMarks, year, self.learner_id);
        reads.whole(self.school, unit)
    }

    fn answer(&self, view: View<'_>, out: &mut Chunks<'_>) -> Result<Outcome> {
        let array = Array::open(out);
        let mut all = Walk::whole();
        enrolled::walk(
            view,
            self.school,
            self.learner_id,
            Wire::V1,
            &mut all,
            out,
            push,
        )?;
        Ok(array.close(out))
    }

    fn identify(&self, _: View<'_>, identity: &mut Identity) -> Result<()> {
        identity.number("school", Some(self.school));
        identity.number("learner_id", Some(self.learner_id));
        Ok(())
    }

    fn year(&self, view: View<'_>) -> Result<Option<u64>> {
        Ok(view.current_year(&*view.facts(self.school)?))
    }

    fn walk(&self, view: View<'_>, walk: &mut Walk, out: &mut Chunks<'_>) -> Result<Outcome> {
        enrolled::walk(
            view,
            self.school,
            self.learner_id,
            Wire::V2,
            walk,
            out,
            push,
        )?;
        Ok(Outcome::Found)
    }
}

/// One record and a comma; nothing if no term has a mark.
#[inline]
#[cfg_attr(module, optimize(speed))]
fn push(
    context: &EnrolledContext<'_>,
    run: &Run<'_>,
    index: usize,
    written: &mut Chunks<'_>,
) -> Result<()> {
    let EnrolledContext {
        snapshot,
        tables,
        year,
        wire,
        ..
    } = *context;
    let Key(_, subject) = run.key(index)?;
    let kept = LearnerSubject::open(run.record(0, index)?)?;
    let start = written.len();
    context.push_opening(subject, kept.grade, false, written)?;
    let end = match wire {
        Wire::V1 => b"\"},".as_slice(),
        Wire::V2 => b"},",
    };
    let (end_word, end_length) = word(end);
    let empty = written.len();
    let mut terms = kept.terms();
    loop {
        // Most are written at one go.
        if terms.take_common(|term, mark| {
            let (Some(term), Some((mark, length))) = (context.term(term), few_hundredths(mark))
            else {
                return false;
            };
            let word = mark | end_word << (8 * length);
            written.push_half_and_word(&term.marked, word, length + end_length)
        }) {
            continue;
        }
        let Some(term) = terms.next() else {
            break;
        };
        let term = term?;
        let Some(mark) = term.mark else {
            continue;
        };
        match tables.term(year, term.term) {
            Some(term) => written.push_padded(&term.marked),
            None => {
                let term = tables.other_term(snapshot, year, term.term)?;
                written.push_padded(&term.marked);
            }
        }
        mark.write_rounded(written);
        written.push(end);
    }
    if written.len() == empty {
        written.truncate(start);
    } else {
        written.pop();
        written.push(b"]},");
    }
    Ok(())
}
