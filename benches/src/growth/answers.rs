//! How many bytes of v1 JSON a store answers in all.

use super::Task;
use crate::ask::NOW;
use anyhow::{Result, ensure};
use rollbook::{
    Absentees, AssessmentMarks, Engine, LearnerStatus, LearnerSubjects, Learners, Question,
    SubjectMarks, SubjectsPerTerm,
};
use serde::{Deserialize, Serialize};

/// The bytes of everything that a school's store answers, each thing once.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct Answers {
    /// The learners of all three statuses, with their parents.
    pub learners: u64,
    /// The absentees of each month.
    pub absentees: u64,
    /// Who takes which subject.
    pub learner_subjects: u64,
    /// The subjects per term of each learner.
    pub subjects_per_term: u64,
    /// The term marks of each learner.
    pub subject_marks: u64,
    /// The assessment marks of each grade.
    pub assessment_marks: u64,
}

impl Answers {
    /// All together.
    pub fn total(&self) -> u64 {
        self.learners
            + self.absentees
            + self.learner_subjects
            + self.subjects_per_term
            + self.subject_marks
            + self.assessment_marks
    }
}

pub(super) fn count(task: &Task) -> Result<Answers> {
    let engine = task.engine()?;
    let sample = task.school();
    let school = sample.school_id;
    let mut asked = Asked {
        engine: &engine,
        answer: Vec::new(),
    };
    let mut found = Answers::default();
    let statuses = [
        (LearnerStatus::Current, None),
        (LearnerStatus::Left, "2025-12-31".parse().ok()),
        (LearnerStatus::Waitlist, None),
    ];
    for (status, since) in statuses {
        found.learners += asked.bytes(&Learners {
            school,
            status,
            since,
            include_parents: true,
            ..Learners::default()
        })?;
    }
    let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    for (month, days) in (1..).zip(lengths) {
        let date = |day| format!("2026-{month:02}-{day:02}").parse().ok();
        found.absentees += asked.bytes(&Absentees {
            school,
            from_date: date(1),
            to_date: date(days),
            ..Absentees::default()
        })?;
    }
    found.learner_subjects = asked.bytes(&LearnerSubjects {
        school,
        learner_id: None,
    })?;
    for learner_id in 1..=u64::from(task.learners) {
        found.subjects_per_term += asked.bytes(&SubjectsPerTerm { school, learner_id })?;
        found.subject_marks += asked.bytes(&SubjectMarks { school, learner_id })?;
    }
    for grade in sample.grade_ids() {
        found.assessment_marks += asked.bytes(&AssessmentMarks {
            school,
            grade_id: Some(grade),
            ..AssessmentMarks::default()
        })?;
    }
    engine.close()?;
    Ok(found)
}

struct Asked<'a> {
    engine: &'a Engine,
    answer: Vec<u8>,
}

impl Asked<'_> {
    /// The bytes of an answer; none if nothing is found.
    fn bytes(&mut self, question: &impl Question) -> Result<u64> {
        let asked = self.engine.ask_into(question, Some(NOW), &mut self.answer);
        match asked?.code {
            200 => Ok(self.answer.len() as u64),
            404 => Ok(0),
            code => {
                ensure!(false, "{code}: {}", String::from_utf8_lossy(&self.answer));
                Ok(0)
            }
        }
    }
}
