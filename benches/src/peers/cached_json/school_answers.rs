//! The answers of the service that a client has cached.

use crate::ask::{MONTHS, YEAR};
use crate::peers::wire::Learner;
use crate::request::fetch;
use crate::schools::Schools;
use anyhow::{Context, Result};
use rollbook::Engine;
use rollbook_tests::sample::SampleSchool;
use std::collections::HashMap;

/// The answers that a client has fetched, by school and by the time of the fetch. The time matters
/// because it determines which marks are released.
pub(super) struct CachedAnswers(HashMap<(u64, i64), SchoolAnswers>);

/// The unchanged answers of one school. An answer without records is empty.
pub(super) struct SchoolAnswers {
    /// The current learners, with their parents.
    pub(super) learners: Vec<u8>,
    /// The learners who left in each month, because the records do not contain the day.
    pub(super) left: Vec<Month>,
    /// The absences of each month.
    pub(super) absentees: Vec<Month>,
    /// The subjects of all learners.
    pub(super) learner_subjects: Vec<u8>,
    /// The year's assessment marks of each grade.
    pub(super) marks: HashMap<u64, Vec<u8>>,
    /// The answers for single learners.
    pub(super) by_learner: HashMap<u64, LearnerAnswers>,
}

/// The answer for one month.
pub(super) struct Month {
    pub(super) first: &'static str,
    pub(super) last: &'static str,
    pub(super) json: Vec<u8>,
}

/// The answers for one learner, and the grade whose assessment marks include the learner's.
pub(super) struct LearnerAnswers {
    pub(super) grade: u64,
    pub(super) subjects_per_term: Vec<u8>,
    pub(super) subject_marks: Vec<u8>,
}

impl CachedAnswers {
    /// Fetches the schools' answers at each of these times.
    pub(super) fn fetch(schools: &Schools, times: &[i64]) -> Result<CachedAnswers> {
        let mut cached = HashMap::new();
        for school in &schools.all {
            for &now in times {
                let answers = SchoolAnswers::fetch(&schools.engine, school, now)?;
                cached.insert((school.school_id, now), answers);
            }
        }
        Ok(CachedAnswers(cached))
    }

    pub(super) fn answers_at(&self, school: u64, now: i64) -> Result<&SchoolAnswers> {
        let answers = self.0.get(&(school, now));
        answers.with_context(|| format!("nothing is kept of school {school} at {now}"))
    }
}

impl SchoolAnswers {
    fn fetch(engine: &Engine, of: &SampleSchool, now: i64) -> Result<SchoolAnswers> {
        let school = of.school_id;
        let ask = |path: String| fetch(engine, &path, now);
        let learners = format!("adminplus/learners/{school}");
        let mut answers = SchoolAnswers {
            learners: ask(format!("{learners}?include_parents=1"))?,
            left: by_month(|first, last| {
                ask(format!("{learners}?status=left&since={first}&until={last}"))
            })?,
            absentees: by_month(|first, last| {
                let absentees = format!("adminplus/learnerabsentees/{school}");
                ask(format!("{absentees}?from_date={first}&to_date={last}"))
            })?,
            learner_subjects: ask(format!("currplus/learnersubjects/{school}"))?,
            marks: HashMap::new(),
            by_learner: HashMap::new(),
        };
        for grade in of.grade_ids() {
            let marks = format!("currplus/learnerassessmentmarks/{school}");
            let marks = ask(format!("{marks}?grade_id={grade}&year={YEAR}"))?;
            answers.marks.insert(grade, marks);
        }
        let waiting = ask(format!("{learners}?status=waitlist"))?;
        let left = answers.left.iter().map(|month| &month.json);
        for json in left.chain([&answers.learners, &waiting]) {
            let learners: Vec<Learner<'_>> = super::read(json)?;
            for Learner { id, grade_id, .. } in learners {
                let of_learner = LearnerAnswers {
                    grade: grade_id.parse()?,
                    subjects_per_term: ask(format!(
                        "currplus/learnersubjectsperterm/{school}?learner_id={id}"
                    ))?,
                    subject_marks: ask(format!(
                        "currplus/learnersubjectmarks/{school}?learner_id={id}"
                    ))?,
                };
                answers.by_learner.insert(id.parse()?, of_learner);
            }
        }
        Ok(answers)
    }
}

fn by_month(ask: impl Fn(&str, &str) -> Result<Vec<u8>>) -> Result<Vec<Month>> {
    let months = MONTHS.map(|(first, last)| {
        let json = ask(first, last)?;
        Ok(Month { first, last, json })
    });
    months.into_iter().collect()
}
