//! Get Learner Subjects Per Term (4.3).

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
use crate::record::stored::conversions;
use crate::record::values::terms::{FIELDS, GROUP_FIELDS};
use crate::store::{Collection, Sources};

/// Get Learner Subjects Per Term (4.3): the learner's subjects of the current year (2.4),
/// ordered by subject, each with its terms in order.
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

pub(crate) static ENDPOINT: Endpoint = Endpoint {
    name: "learnersubjectsperterm",
    v1: Path("currplus/learnersubjectsperterm", Last::SCHOOL),
    v2: Path("currplus/learnersubjectsperterm", Last::None),
    family: Some(Family::Curriculum),
    nothing: "No learner subject records found",
    ..Endpoint::new(read)
};

fn read(params: &mut Params<'_>, then: Then<'_>) -> Result<Outcome> {
    let subjects = SubjectsPerTerm {
        school: params.school(),
        learner_id: params.needed_id("learner_id"),
    };
    params.ask(&subjects, then)
}

impl Question for SubjectsPerTerm {}

impl Query for SubjectsPerTerm {
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
        enrolled_subjects::SOURCES.union(Sources::new(&[Collection::Terms]))
    }

    fn require_coverage(&self, reads: &CoverageCheck<'_>) -> Result<()> {
        let year = reads.current_year(self.school)?;
        let coverage_key = CoverageKey::of_id(CoverageKind::SubjectsPerTerm, year, self.learner_id);
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

/// Writes one record and a comma.
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
    if !stored.is_in_grade() {
        // The record states only that the learner takes the subject.
        return Ok(());
    }
    context.push_opening::<true>(subject, stored.grade, written)?;
    let groups = stored.groups()?;
    let empty = written.len();
    for term in stored.terms() {
        let term = term?;
        let group = groups.get(term.group)?;
        let read;
        let listed = match tables.term(year, term.term) {
            Some(term) => &term.listed,
            None => {
                read = tables.other_term(snapshot, year, term.term)?;
                &read.listed
            }
        };
        written.push_padded(listed);
        match version {
            ApiVersion::V1 => written.push(group),
            ApiVersion::V2 => {
                let fields = FIELDS.get(GROUP_FIELDS).unwrap_or_default();
                conversions::push_members(fields, group, written)?;
                written.push(b"}");
            }
        }
        written.push(b",");
    }
    if written.len() > empty {
        written.pop();
    }
    written.push(b"]},");
    Ok(())
}
