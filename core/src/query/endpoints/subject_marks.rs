//! Get Learner Subject Marks (4.4).

use crate::error::Result;
use crate::json::{ApiVersion, OutputBuffer};
use crate::query::decoded::integrators::Family;
use crate::query::endpoint::{Endpoint, Last, Path};
use crate::query::lists::enrolled_subjects::{self, EnrolledContext};
use crate::query::parameters::params::Params;
use crate::query::walk::Identity;
use crate::query::{CoverageCheck, Outcome, PageWriter, Query, Question, Then, View};
use crate::record::kinds::learner_subject::LearnerSubject;
use crate::record::replication::coverage_key::{CoverageKey, CoverageKind};
use crate::record::values::decimal::few_hundredths;
use crate::store::Sources;

/// Get Learner Subject Marks (4.4): the learner's subjects of the current year that have a term
/// mark (2.5), ordered by subject, each with its marks by term.
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

pub(crate) static ENDPOINT: Endpoint = Endpoint {
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

    fn learner(&self) -> Option<u64> {
        Some(self.learner_id)
    }

    fn about(&self) -> Option<u64> {
        Some(self.school)
    }

    fn sources(&self) -> Sources {
        enrolled_subjects::SOURCES
    }

    fn require_coverage(&self, reads: &CoverageCheck<'_>) -> Result<()> {
        let year = reads.current_year(self.school)?;
        let coverage_key = CoverageKey::of_id(CoverageKind::SubjectMarks, year, self.learner_id);
        reads.require(self.school, coverage_key)
    }

    fn identify(&self, _: View<'_>, identity: &mut Identity) -> Result<()> {
        identity.number("school", Some(self.school));
        identity.number("learner_id", Some(self.learner_id));
        Ok(())
    }

    fn year(&self, view: View<'_>) -> Result<Option<u64>> {
        Ok(view.current_year(&*view.facts(self.school)?))
    }

    fn write(&self, page: PageWriter<'_, '_>) -> Result<Outcome> {
        enrolled_subjects::write(page, (self.school, self.learner_id), push)
    }
}

/// Writes one record and a comma, or nothing if no term has a mark.
#[inline]
#[cfg_attr(module, optimize(speed))]
fn push(
    context: &EnrolledContext<'_>,
    subject: u64,
    stored: &LearnerSubject<'_>,
    written: &mut OutputBuffer<'_>,
) -> Result<()> {
    let EnrolledContext {
        snapshot,
        tables,
        year,
        version,
        ..
    } = *context;
    let start = written.len();
    context.push_opening::<false>(subject, stored.grade, written)?;
    let (end, end_word) = match version {
        ApiVersion::V1 => (b"\"},".as_slice(), u64::from_le_bytes(*b"\"},\0\0\0\0\0")),
        ApiVersion::V2 => (b"},".as_slice(), u64::from_le_bytes(*b"},\0\0\0\0\0\0")),
    };
    let empty = written.len();
    let mut terms = stored.terms();
    loop {
        // Common terms are written in one step.
        if terms.take_common(|term, mark| {
            let (Some(term), Some((mark, length))) = (context.term(term), few_hundredths(mark))
            else {
                return false;
            };
            let word = mark | end_word << (8 * length);
            written.push_half_and_word(&term.marked, word, length + end.len())
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
