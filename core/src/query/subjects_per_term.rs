//! Get Learner Subjects Per Term (4.3).

use super::endpoint::{Endpoint, Last, Path};
use super::enrolled::{self, EnrolledContext};
use super::integrators::Family;
use super::params::Params;
use super::walk::{Identity, Walk};
use super::{Array, Outcome, Query, Question, Reads, Then, View};
use crate::error::Result;
use crate::json::{Chunks, Wire};
use crate::record::coverage::{Part, Unit};
use crate::record::learner_subject::LearnerSubject;
use crate::record::terms::{FIELDS, GROUP_FIELDS};
use crate::record::typed;
use crate::store::{Collection, Key, Run, Sources};

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

pub(super) static ENDPOINT: Endpoint = Endpoint {
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

    fn about(&self) -> Option<u64> {
        Some(self.school)
    }

    fn sources(&self) -> Sources {
        enrolled::SOURCES.and(Sources::of(&[Collection::Terms]))
    }

    fn reads(&self, reads: &Reads<'_>) -> Result<()> {
        let year = reads.current_year(self.school)?;
        let unit = Unit::of_id(Part::SubjectsPerTerm, year, self.learner_id);
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

/// One record and a comma.
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
    if !kept.is_in_grade() {
        // It says that the subject is taken, and nothing that is asked here.
        return Ok(());
    }
    context.push_opening(subject, kept.grade, true, written)?;
    let groups = kept.groups()?;
    let empty = written.len();
    for term in kept.terms() {
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
        match wire {
            Wire::V1 => written.push_text_and_bytes(listed, group, b','),
            Wire::V2 => {
                let mut members = Vec::new();
                let fields = FIELDS.get(GROUP_FIELDS).unwrap_or_default();
                typed::push_members(fields, group, &mut members)?;
                members.push(b'}');
                written.push_text_and_bytes(listed, &members, b',');
            }
        }
    }
    if written.len() > empty {
        written.pop();
    }
    written.push(b"]},");
    Ok(())
}
