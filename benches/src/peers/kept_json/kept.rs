//! What a client keeps of the service's answers.

use crate::ask::YEAR;
use crate::peers::wire::Learner;
use anyhow::{Context, Result};
use rollbook::{
    Absentees, AssessmentMarks, Date, Engine, LearnerStatus, LearnerSubjects, Learners, Question,
    SubjectMarks, SubjectsPerTerm,
};
use rollbook_tests::sample::SampleSchool;
use std::collections::HashMap;

/// The answers that a client has fetched, by school and by the moment at
/// which it fetched them: what may be seen of the marks depends on the day.
pub struct Kept(HashMap<(u64, i64), SchoolAnswers>);

/// The answers of one school, as they came; one without records is empty.
pub(super) struct SchoolAnswers {
    /// The current learners, with their parents.
    pub(super) learners: Vec<u8>,
    /// Who left in each month: the records do not tell the day.
    pub(super) left: Vec<Month>,
    /// The absences of each month.
    pub(super) absentees: Vec<Month>,
    /// Who takes which subject.
    pub(super) learner_subjects: Vec<u8>,
    /// The year's assessment marks of each grade.
    pub(super) marks: HashMap<u64, Vec<u8>>,
    /// What is asked by learner.
    pub(super) by_learner: HashMap<u64, LearnerAnswers>,
}

/// The answer of one month.
pub(super) struct Month {
    pub(super) first: &'static str,
    pub(super) last: &'static str,
    pub(super) json: Vec<u8>,
}

/// The answers of one learner, and its grade, under which its assessment marks are.
pub(super) struct LearnerAnswers {
    pub(super) grade: u64,
    pub(super) subjects_per_term: Vec<u8>,
    pub(super) subject_marks: Vec<u8>,
}

/// The first and the last day of every month of [`YEAR`].
const MONTHS: [(&str, &str); 12] = [
    ("2026-01-01", "2026-01-31"),
    ("2026-02-01", "2026-02-28"),
    ("2026-03-01", "2026-03-31"),
    ("2026-04-01", "2026-04-30"),
    ("2026-05-01", "2026-05-31"),
    ("2026-06-01", "2026-06-30"),
    ("2026-07-01", "2026-07-31"),
    ("2026-08-01", "2026-08-31"),
    ("2026-09-01", "2026-09-30"),
    ("2026-10-01", "2026-10-31"),
    ("2026-11-01", "2026-11-30"),
    ("2026-12-01", "2026-12-31"),
];

impl Kept {
    /// Fetches the schools' answers at each of these moments.
    pub fn fetch(engine: &Engine, schools: &[SampleSchool], moments: &[i64]) -> Result<Kept> {
        let mut kept = HashMap::new();
        for school in schools {
            for &now in moments {
                let answers = SchoolAnswers::fetch(engine, school, now)?;
                kept.insert((school.school_id, now), answers);
            }
        }
        Ok(Kept(kept))
    }

    pub(super) fn of(&self, school: u64, now: i64) -> Result<&SchoolAnswers> {
        let answers = self.0.get(&(school, now));
        answers.with_context(|| format!("nothing is kept of school {school} at {now}"))
    }
}

impl SchoolAnswers {
    fn fetch(engine: &Engine, of: &SampleSchool, now: i64) -> Result<SchoolAnswers> {
        let school = of.school_id;
        let learners = Learners {
            school,
            ..Learners::default()
        };
        let with_parents = Learners {
            include_parents: true,
            ..learners
        };
        let waiting = Learners {
            status: LearnerStatus::Waitlist,
            ..learners
        };
        let left = |since, until| Learners {
            status: LearnerStatus::Left,
            since: Some(since),
            until: Some(until),
            ..learners
        };
        let absentees = |from, to| Absentees {
            school,
            from_date: Some(from),
            to_date: Some(to),
            ..Absentees::default()
        };
        let learner_subjects = LearnerSubjects {
            school,
            learner_id: None,
        };
        let mut answers = SchoolAnswers {
            learners: ask(engine, &with_parents, now)?,
            left: by_month(|since, until| ask(engine, &left(since, until), now))?,
            absentees: by_month(|from, to| ask(engine, &absentees(from, to), now))?,
            learner_subjects: ask(engine, &learner_subjects, now)?,
            marks: HashMap::new(),
            by_learner: HashMap::new(),
        };
        for grade in of.grade_ids() {
            let marks = AssessmentMarks {
                school,
                grade_id: Some(grade),
                year: Some(YEAR),
                ..AssessmentMarks::default()
            };
            answers.marks.insert(grade, ask(engine, &marks, now)?);
        }
        let waiting = ask(engine, &waiting, now)?;
        let left = answers.left.iter().map(|month| &month.json);
        for json in left.chain([&answers.learners, &waiting]) {
            if json.is_empty() {
                continue;
            }
            let learners: Vec<Learner<'_>> = serde_json::from_slice(json)?;
            for learner in learners {
                let learner_id = learner.id.parse()?;
                let of_learner = LearnerAnswers {
                    grade: learner.grade_id.parse()?,
                    subjects_per_term: ask(engine, &SubjectsPerTerm { school, learner_id }, now)?,
                    subject_marks: ask(engine, &SubjectMarks { school, learner_id }, now)?,
                };
                answers.by_learner.insert(learner_id, of_learner);
            }
        }
        Ok(answers)
    }
}

fn by_month(ask: impl Fn(Date, Date) -> Result<Vec<u8>>) -> Result<Vec<Month>> {
    let months = MONTHS.map(|(first, last)| {
        let json = ask(first.parse()?, last.parse()?)?;
        Ok(Month { first, last, json })
    });
    months.into_iter().collect()
}

fn ask(engine: &Engine, question: &impl Question, now: i64) -> Result<Vec<u8>> {
    let mut answer = Vec::new();
    if engine.ask_into(question, Some(now), &mut answer)?.code != 200 {
        answer.clear();
    }
    Ok(answer)
}
