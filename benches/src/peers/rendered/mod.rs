//! A school as rows of finished JSON, cut out of the engine's answers, with the
//! facts that filters need beside them.

mod answers;
mod facts;
mod marks;

pub use answers::{MarksAnswer, OutcomeFilter, Place, array, push_family, push_row};
pub use marks::MarksRow;

use crate::ask::NOW;
use anyhow::{Context, Result, bail};
use facts::Facts;
use rollbook::{
    Absentees, AssessmentMarks, Date, Engine, LearnerStatus, LearnerSubjects, Learners, Question,
    SubjectMarks, SubjectsPerTerm,
};
use rollbook_tests::sample::SampleSchool;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// A date as a number: 20260611.
pub type Day = u32;

/// A date as a number.
pub fn day(date: &str) -> Result<Day> {
    let digits = date.bytes().filter(u8::is_ascii_digit);
    match date.len() {
        10 => Ok(digits.fold(0, |day, digit| day * 10 + Day::from(digit - b'0'))),
        _ => bail!("{date:?} is no date"),
    }
}

/// The status of a learner at the school.
pub const CURRENT: u64 = 0;
/// The status of one who has left.
pub const LEFT: u64 = 1;
/// The status of one who waits for a place.
pub const WAITLIST: u64 = 2;

/// A learner: its record without parents, and its facts.
#[derive(Debug, Default)]
#[expect(missing_docs, reason = "the fields of the dataset")]
pub struct Learner {
    pub id: u64,
    pub status: u64,
    pub grade: Option<u64>,
    pub family: Option<u64>,
    pub transfer: Option<Day>,
    pub parents: [Option<u64>; 2],
    /// First name, blank, last name, folded.
    pub name: String,
    pub row: String,
}

/// An absence.
#[derive(Debug)]
#[expect(missing_docs, reason = "the fields of the dataset")]
pub struct Absence {
    pub day: Day,
    pub id: u64,
    pub row: String,
}

/// A record of a learner and subject.
#[derive(Debug)]
#[expect(missing_docs, reason = "the fields of the dataset")]
pub struct SubjectRow {
    pub learner: u64,
    pub subject: u64,
    pub row: String,
}

/// What the assessment marks of a grade share.
#[derive(Debug)]
pub struct Sheet {
    /// The grade.
    pub grade: u64,
    /// The answer from the grade down to its terms.
    pub heading: String,
    /// By term, then subject.
    pub programmes: Vec<Programme>,
}

/// A subject as it is taught to a grade in a term.
#[derive(Debug)]
pub struct Programme {
    /// The term.
    pub term: u64,
    /// The subject.
    pub subject: u64,
    /// The day from which its marks may be seen, if there is one.
    pub release: Option<Day>,
}

/// A school's rows in the order of their keys. Its assessment marks, which are
/// most of it, are rendered as they are walked through.
pub struct Rendered<'a> {
    engine: &'a Engine,
    /// The school.
    pub school: u64,
    /// Its current year, the one of all its records.
    pub year: u64,
    /// Every grade that is assessed.
    pub sheets: Vec<Sheet>,
    /// Learners of all statuses.
    pub learners: BTreeMap<u64, Learner>,
    /// The parents of learners.
    pub parents: BTreeMap<u64, String>,
    /// By day, then id.
    pub absences: Vec<Absence>,
    /// Who takes which subject (4.5), whatever the learner's status.
    pub learner_subjects: Vec<SubjectRow>,
    /// Subjects by term (4.3).
    pub subjects_per_term: Vec<SubjectRow>,
    /// Term marks (4.4).
    pub subject_marks: Vec<SubjectRow>,
}

impl<'a> Rendered<'a> {
    /// The rows of a school that the engine holds.
    pub fn of(engine: &'a Engine, school: &SampleSchool) -> Result<Rendered<'a>> {
        let mut facts = Facts::of(school)?;
        let mut rendered = Rendered {
            engine,
            school: school.school_id,
            year: facts.year,
            sheets: facts.sheets()?,
            learners: std::mem::take(&mut facts.learners),
            parents: BTreeMap::new(),
            absences: Vec::new(),
            learner_subjects: Vec::new(),
            subjects_per_term: Vec::new(),
            subject_marks: Vec::new(),
        };
        rendered.cut_learners()?;
        rendered.cut_absences(&facts)?;
        rendered.cut_subjects()?;
        Ok(rendered)
    }

    /// The status of a learner.
    pub fn status(&self, learner: u64) -> u64 {
        let learner = self.learners.get(&learner);
        learner.map_or(CURRENT, |learner| learner.status)
    }

    fn answer(&self, question: &impl Question, answer: &mut Vec<u8>) -> Result<bool> {
        answer.clear();
        let status = self.engine.ask_into(question, Some(NOW), answer)?;
        match status.code {
            200 => Ok(true),
            404 => Ok(false),
            code => bail!("{code}: {}", String::from_utf8_lossy(answer)),
        }
    }

    fn cut_learners(&mut self) -> Result<()> {
        let mut answer = Vec::new();
        for id in self.learners.keys().copied().collect::<Vec<_>>() {
            let learner = self.learners.get(&id).context("a learner")?;
            let left = learner.transfer.and_then(date);
            let question = Learners {
                school: self.school,
                learner_id: Some(id),
                status: match learner.status {
                    LEFT => LearnerStatus::Left,
                    WAITLIST => LearnerStatus::Waitlist,
                    _ => LearnerStatus::Current,
                },
                since: left,
                until: left,
                ..Learners::default()
            };
            self.answer(&question, &mut answer)?;
            let [row]: [&RawValue; 1] = serde_json::from_slice(&answer)?;
            let row = row.get().to_owned();
            let with_parents = Learners {
                include_parents: true,
                ..question
            };
            self.answer(&with_parents, &mut answer)?;
            let [family]: [Family<'_>; 1] = serde_json::from_slice(&answer)?;
            for parent in family.parents {
                let id = serde_json::from_str::<Id<'_>>(parent.get())?.id;
                self.parents.insert(number(id)?, parent.get().to_owned());
            }
            self.learners.entry(id).or_default().row = row;
        }
        Ok(())
    }

    fn cut_absences(&mut self, facts: &Facts) -> Result<()> {
        let mut answer = Vec::new();
        for date in &facts.absent {
            let question = Absentees {
                school: self.school,
                from_date: date.parse().ok(),
                to_date: date.parse().ok(),
                ..Absentees::default()
            };
            self.answer(&question, &mut answer)?;
            for row in serde_json::from_slice::<Vec<&RawValue>>(&answer)? {
                self.absences.push(Absence {
                    day: day(date)?,
                    id: number(serde_json::from_str::<Id<'_>>(row.get())?.id)?,
                    row: row.get().to_owned(),
                });
            }
        }
        Ok(())
    }

    fn cut_subjects(&mut self) -> Result<()> {
        let school = self.school;
        for learner_id in self.learners.keys().copied().collect::<Vec<_>>() {
            let taken = LearnerSubjects {
                school,
                learner_id: Some(learner_id),
            };
            let taken = self.subject_rows(learner_id, &taken)?;
            self.learner_subjects.extend(taken);
            let per_term = SubjectsPerTerm { school, learner_id };
            let per_term = self.subject_rows(learner_id, &per_term)?;
            self.subjects_per_term.extend(per_term);
            let marks = SubjectMarks { school, learner_id };
            let marks = self.subject_rows(learner_id, &marks)?;
            self.subject_marks.extend(marks);
        }
        Ok(())
    }

    fn subject_rows(&self, learner: u64, question: &impl Question) -> Result<Vec<SubjectRow>> {
        let mut answer = Vec::new();
        if !self.answer(question, &mut answer)? {
            return Ok(Vec::new());
        }
        let rows: Vec<&RawValue> = serde_json::from_slice(&answer)?;
        let rows = rows.into_iter().map(|row| {
            let id: SubjectId<'_> = serde_json::from_str(row.get())?;
            Ok(SubjectRow {
                learner,
                subject: number(id.subject_id.get())?,
                row: row.get().to_owned(),
            })
        });
        rows.collect()
    }

    /// Hands on the assessment marks by grade, term, learner and subject,
    /// released or not.
    pub fn each_marks_row(&self, mut each: impl FnMut(&MarksRow<'_>) -> Result<()>) -> Result<()> {
        let mut answer = Vec::new();
        for sheet in &self.sheets {
            let mut terms: Vec<u64> = sheet.programmes.iter().map(|of| of.term).collect();
            terms.dedup();
            for term in terms {
                let question = AssessmentMarks {
                    school: self.school,
                    grade_id: Some(sheet.grade),
                    term: Some(term),
                    ..AssessmentMarks::default()
                };
                if self.answer(&question, &mut answer)? {
                    marks::each_row(&answer, &mut each)?;
                }
            }
        }
        Ok(())
    }
}

fn date(day: Day) -> Option<Date> {
    let (year, month, day) = (day / 10_000, day / 100 % 100, day % 100);
    Date::new(
        year.try_into().ok()?,
        month.try_into().ok()?,
        day.try_into().ok()?,
    )
}

/// An id of an answer, with quotes or without.
fn number(id: &str) -> Result<u64> {
    id.trim_matches('"').parse().context("an id is no number")
}

#[derive(Deserialize)]
struct Id<'a> {
    id: &'a str,
}

#[derive(Deserialize)]
struct SubjectId<'a> {
    #[serde(borrow)]
    subject_id: &'a RawValue,
}

#[derive(Deserialize)]
struct Family<'a> {
    #[serde(borrow)]
    parents: Vec<&'a RawValue>,
}
