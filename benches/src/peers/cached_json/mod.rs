//! A cache of the service's own answers: each ask parses one of them, filters it and writes the
//! rest. This is what a client does that caches responses and has no database.
//!
//! The client has fetched the answers that serve the most asks: the current learners with their
//! parents, a month of absences, a year's marks of a grade. It parses and writes with `sonic-rs`,
//! which was faster here than `serde_json` and `simd-json`.
//!
//! - `school_answers`: the cached answers. `marks`: filters of nested objects.

mod marks;
mod school_answers;

use super::fold::push_folded;
use super::wire::{Absentee, Learner, LearnerSubject, Marks, SubjectMarks, SubjectPerTerm};
use crate::ask::{Ask, What};
use crate::peer::Peer;
use crate::schools::Schools;
use anyhow::{Result, ensure};
use marks::Only;
use school_answers::{CachedAnswers, Month, SchoolAnswers};
use serde::{Deserialize, Serialize};

/// A client with cached answers.
pub(super) struct CachedJson(CachedAnswers);

impl CachedJson {
    /// Fetches the schools' answers at each of these times.
    pub(super) fn fetch(schools: &Schools, times: &[i64]) -> Result<CachedJson> {
        Ok(CachedJson(CachedAnswers::fetch(schools, times)?))
    }
}

impl Peer for CachedJson {
    fn name(&self) -> &'static str {
        "kept JSON"
    }

    fn answer(&mut self, ask: &Ask, out: &mut Vec<u8>) -> Result<()> {
        out.clear();
        let answers = self.0.answers_at(ask.school, ask.now)?;
        let of_learner = |id| answers.by_learner.get(&id);
        let all = Only::default();
        match ask.what {
            What::Learners => learners(answers, false, |_| true, out),
            What::GradesWithParents(grades) => {
                let grades = grades.map(|grade| grade.to_string());
                let asked = |learner: &Learner<'_>| grades.iter().any(|id| *id == learner.grade_id);
                learners(answers, true, asked, out)
            }
            What::Learner(id) => {
                let id = id.to_string();
                learners(answers, false, |learner| learner.id == id, out)
            }
            What::Name(name) => {
                let mut folded = String::new();
                let asked = |learner: &Learner<'_>| {
                    folded.clear();
                    push_folded(&mut folded, &learner.first_name);
                    folded.push(' ');
                    push_folded(&mut folded, &learner.last_name);
                    folded.contains(name)
                };
                learners(answers, false, asked, out)
            }
            What::Left { since, until } => left(&answers.left, since, until, out),
            What::MarksOfLearner(id) => {
                let learner = Some(id);
                let of =
                    of_learner(id).map(|of| marks(answers, of.grade, Only { learner, ..all }, out));
                of.unwrap_or(Ok(()))
            }
            What::MarksOfGrade { grade, term } => {
                let term = Some(term);
                marks(answers, grade, Only { term, ..all }, out)
            }
            What::MarksOfOutcome {
                grade,
                term,
                outcome,
            } => {
                let (term, outcome) = (Some(term), Some(outcome));
                let only = Only {
                    term,
                    outcome,
                    ..all
                };
                marks(answers, grade, only, out)
            }
            What::SubjectsPerTerm(id) => {
                let json = of_learner(id).map_or(&[][..], |of| of.subjects_per_term.as_slice());
                write(&read::<Vec<SubjectPerTerm<'_>>>(json)?, out)
            }
            What::SubjectMarks(id) => {
                let json = of_learner(id).map_or(&[][..], |of| of.subject_marks.as_slice());
                write(&read::<Vec<SubjectMarks<'_>>>(json)?, out)
            }
            What::LearnerSubjects => write(
                &read::<Vec<LearnerSubject<'_>>>(&answers.learner_subjects)?,
                out,
            ),
            What::Absentees { from, to } => {
                let mut absentees: Vec<Absentee<'_>> = read_months(&answers.absentees, from, to)?;
                absentees.retain(|absentee| (from..=to).contains(&absentee.absent_date.as_ref()));
                write(&absentees, out)
            }
        }
    }

    /// The peer has no caches besides its data, which it parses again for each ask.
    fn forget(&mut self) -> Result<()> {
        Ok(())
    }
}

/// Parses an answer. An empty one contains nothing.
fn read<'a, T: Deserialize<'a> + Default>(json: &'a [u8]) -> Result<T> {
    if json.is_empty() {
        return Ok(T::default());
    }
    Ok(sonic_rs::from_slice(json)?)
}

/// Returns the records of every month that contains one of these days.
fn read_months<'a, T: Deserialize<'a>>(
    months: &'a [Month],
    from: &str,
    to: &str,
) -> Result<Vec<T>> {
    let mut all = Vec::new();
    for month in months {
        if month.last >= from && month.first <= to {
            all.extend(read::<Vec<T>>(&month.json)?);
        }
    }
    Ok(all)
}

/// Writes the records, if there are any.
fn write<T: Serialize>(records: &[T], out: &mut Vec<u8>) -> Result<()> {
    if records.is_empty() {
        return Ok(());
    }
    Ok(sonic_rs::to_writer(out, &records)?)
}

/// Writes the selected current learners.
fn learners<'a>(
    answers: &'a SchoolAnswers,
    with_parents: bool,
    asked: impl FnMut(&Learner<'a>) -> bool,
    out: &mut Vec<u8>,
) -> Result<()> {
    let mut learners: Vec<Learner<'a>> = read(&answers.learners)?;
    learners.retain(asked);
    if !with_parents {
        for learner in &mut learners {
            learner.parents = None;
        }
    }
    write(&learners, out)
}

/// Writes the learners who left in these months, by id.
fn left(months: &[Month], since: &str, until: &str, out: &mut Vec<u8>) -> Result<()> {
    let whole = months.iter().any(|month| month.first == since)
        && months.iter().any(|month| month.last == until);
    ensure!(whole, "{since} to {until} are no whole months of the year");
    let mut learners: Vec<Learner<'_>> = read_months(months, since, until)?;
    learners.sort_by_cached_key(|learner| learner.id.parse::<u64>().ok());
    write(&learners, out)
}

fn marks(answers: &SchoolAnswers, grade: u64, only: Only, out: &mut Vec<u8>) -> Result<()> {
    let json = answers.marks.get(&grade).map_or(&[][..], Vec::as_slice);
    let mut marks: Marks<'_> = read(json)?;
    only.filter(&mut marks);
    if marks.0.is_empty() {
        return Ok(());
    }
    Ok(sonic_rs::to_writer(out, &marks)?)
}
