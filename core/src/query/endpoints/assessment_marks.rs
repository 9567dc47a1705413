//! Get Learner Assessment Marks (4.2).

use crate::error::Result;
use crate::json::{ApiVersion, OutputBuffer};
use crate::query::coverage_check::not_synced;
use crate::query::decoded::integrators::Family;
use crate::query::endpoint::{Endpoint, Last, Path};
use crate::query::marks::assessment_layout::Wanted;
use crate::query::marks::flat_marks;
use crate::query::marks::selection::MarksSelection;
use crate::query::parameters::params::Params;
use crate::query::walk::Identity;
use crate::query::{CoverageCheck, Outcome, PageWriter, Query, Question, Rule, Then, View};
use crate::record::replication::coverage_key::{CoverageKey, CoverageKind};
use crate::record::replication::erased_learners::is_erased;
use crate::store::{Collection, Sources};

/// Get Learner Assessment Marks (4.2): nested objects by grade, year, term, learner, subject,
/// learning outcome and assessment (2.6).
///
/// `learner_id` or `grade_id` is required. The answer contains the marks of a learning program
/// from its release date on, or if it has none, from the end of the term on.
///
/// ```
/// # fn main() -> rollbook::Result<()> {
/// use rollbook::{AssessmentMarks, Engine, Options};
/// let engine = Engine::memory(Options::default())?;
/// let neither = AssessmentMarks { school: 1, ..AssessmentMarks::default() };
/// let answer = engine.ask(&neither)?;
/// assert_eq!(answer.status.code, 400);
/// assert!(answer.text().contains("Please provide a learner_id or grade_id"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AssessmentMarks {
    /// The school's login id.
    pub school: u64,
    /// Selects one learner.
    pub learner_id: Option<u64>,
    /// Selects one grade.
    pub grade_id: Option<u64>,
    /// Selects one subject.
    pub subject_id: Option<u64>,
    /// The year. The default is the school's current year.
    pub year: Option<u64>,
    /// Selects one term.
    pub term: Option<u64>,
    /// Selects one learning outcome.
    pub learning_outcome_id: Option<u64>,
    /// Selects one assessment.
    pub assessment_id: Option<u64>,
    /// Returns only the structure without marks, whether they are released or not.
    pub structure: bool,
}

pub(crate) static ENDPOINT: Endpoint = Endpoint {
    name: "learnerassessmentmarks",
    v1: Path("currplus/learnerassessmentmarks", Last::SCHOOL),
    v2: Path("currplus/learnerassessmentmarks", Last::None),
    family: Some(Family::Curriculum),
    nothing: "No subject mark records found",
    ..Endpoint::new(read)
};

fn read(params: &mut Params<'_>, then: Then<'_>) -> Result<Outcome> {
    let marks = AssessmentMarks {
        school: params.school(),
        learner_id: params.id("learner_id"),
        grade_id: params.id("grade_id"),
        subject_id: params.id("subject_id"),
        year: params.number("year"),
        term: params.number("term"),
        learning_outcome_id: params.id("learning_outcome_id"),
        assessment_id: params.id("assessment_id"),
        structure: params.boolean("structure"),
    };
    params.ask(&marks, then)
}

impl Question for AssessmentMarks {}

const LEARNER_OR_GRADE_REQUIRED: Rule = Rule {
    fields: ["learner_id", "grade_id"],
    text: "Please provide a learner_id or grade_id",
};

impl AssessmentMarks {
    /// Returns the selected marks, or `None` if there is no year.
    fn selection<'a>(
        &self,
        view: View<'a>,
        version: ApiVersion,
    ) -> Result<Option<MarksSelection<'a>>> {
        let tables = view.tables(self.school, version)?;
        let year = self.year.or(view.current_year(&tables.facts));
        Ok(year.map(|year| MarksSelection {
            snapshot: view.snapshot,
            today: tables.facts.today(view.now),
            tables,
            school: self.school,
            year,
            learner: self.learner_id,
            grade: self.grade_id,
            wanted: Wanted {
                term: self.term,
                subject: self.subject_id,
                outcome: self.learning_outcome_id,
                assessment: self.assessment_id,
            },
            structure: self.structure,
        }))
    }
}

impl Query for AssessmentMarks {
    fn endpoint(&self) -> &'static Endpoint {
        &ENDPOINT
    }

    fn learner(&self) -> Option<u64> {
        self.learner_id
    }

    fn about(&self) -> Option<u64> {
        Some(self.school)
    }

    fn broken_rule(&self, _: View<'_>) -> Result<Option<Rule>> {
        let names_nobody = self.learner_id.is_none() && self.grade_id.is_none();
        Ok(names_nobody.then_some(LEARNER_OR_GRADE_REQUIRED))
    }

    fn sources(&self) -> Sources {
        const ALWAYS: Sources = Sources::new(&[
            Collection::Years,
            Collection::Grades,
            Collection::Subjects,
            Collection::LearningOutcomes,
            Collection::Assessments,
            Collection::MarkRows,
        ]);
        const RELEASES: Sources = Sources::new(&[Collection::LearningPrograms, Collection::Terms]);
        ALWAYS
            .and_if(self.has_day(), RELEASES)
            .and_if(
                self.has_day() || self.year.is_none(),
                Sources::new(&[Collection::Schools]),
            )
            .and_if(
                self.grade_id.is_none(),
                Sources::new(&[Collection::MarkRowIndex]),
            )
    }

    fn has_day(&self) -> bool {
        !self.structure
    }

    fn require_coverage(&self, reads: &CoverageCheck<'_>) -> Result<()> {
        let year = match self.year {
            Some(year) => year,
            None => reads.current_year(self.school)?,
        };
        let of = |kind, id: Option<u64>| id.map(|id| CoverageKey::of_id(kind, year, id));
        if self.structure {
            let learner = of(CoverageKind::StructureOfLearner, self.learner_id);
            let grade = of(CoverageKind::StructureOfGrade, self.grade_id);
            let coverage_keys: Vec<_> = learner.into_iter().chain(grade).collect();
            return reads.require_any(self.school, &coverage_keys);
        }
        if let Some(learner) = self.learner_id
            && is_erased(reads.view().snapshot, self.school, learner)?
        {
            return Ok(());
        }
        match (
            of(CoverageKind::MarksOfGrade, self.grade_id),
            self.learner_id,
        ) {
            (Some(grade), _) => reads.require(self.school, grade),
            // The marks of a learner are fetched with those of the grade.
            (None, learner) => {
                let learner = learner.unwrap_or_default();
                let what = format!("the assessment marks of the learner {learner} in {year}");
                Err(not_synced(Some(self.school), what))
            }
        }
    }

    fn answer(&self, view: View<'_>, out: &mut OutputBuffer<'_>) -> Result<Outcome> {
        if let Some(rule) = self.broken_rule(view)? {
            return Ok(rule.into());
        }
        match self.selection(view, ApiVersion::V1)? {
            Some(marks) => marks.write_nested(out),
            None => Ok(Outcome::Nothing),
        }
    }

    fn write(&self, page: PageWriter<'_, '_>) -> Result<Outcome> {
        let PageWriter {
            view, walk, out, ..
        } = page;
        if let Some(rule) = self.broken_rule(view)? {
            return Ok(rule.into());
        }
        if let Some(marks) = self.selection(view, ApiVersion::V2)? {
            flat_marks::write(&marks, walk, out)?;
        }
        Ok(Outcome::Found)
    }

    fn identify(&self, view: View<'_>, identity: &mut Identity) -> Result<()> {
        identity.number("school", Some(self.school));
        for (name, number) in [
            ("learner_id", self.learner_id),
            ("grade_id", self.grade_id),
            ("subject_id", self.subject_id),
            (
                "year",
                self.year
                    .map_or_else(|| Query::year(self, view), |year| Ok(Some(year)))?,
            ),
            ("term", self.term),
            ("learning_outcome_id", self.learning_outcome_id),
            ("assessment_id", self.assessment_id),
        ] {
            identity.number(name, number);
        }
        identity.flag("structure", self.structure);
        Ok(())
    }

    fn year(&self, view: View<'_>) -> Result<Option<u64>> {
        Ok(view.current_year(&*view.facts(self.school)?))
    }
}
