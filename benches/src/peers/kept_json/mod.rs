//! The service's own answers, kept as they came: each ask reads one of them,
//! filters it and writes the rest. What a client does that caches responses
//! and has no database.
//!
//! It has fetched what serves the most asks: the current learners with their
//! parents, a month of absences, a year's marks of a grade.
//!
//! - `kept`: the answers. `library`: what reads and writes them.
//! - `marks`, `members`: assessment marks and their nested objects.

mod kept;
mod library;
mod marks;
mod members;

pub use kept::Kept;
pub use library::{Library, SerdeJson, SimdJson, SimdScratch, SonicRs};

use super::fold::push_folded;
use super::wire::{Absentee, Learner, LearnerSubject, SubjectMarks, SubjectPerTerm};
use crate::ask::{Ask, What};
use crate::peer::Peer;
use anyhow::{Result, ensure};
use kept::{LearnerAnswers, Month, SchoolAnswers};
use marks::{Marks, Only};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// The client, with a library that reads and writes JSON.
pub struct KeptJson<L: Library> {
    kept: Rc<Kept>,
    scratch: Scratch<L>,
}

impl<L: Library> KeptJson<L> {
    /// A client that has fetched this.
    pub fn new(kept: Rc<Kept>) -> KeptJson<L> {
        KeptJson {
            kept,
            scratch: Scratch {
                whole: L::Scratch::default(),
                months: Vec::new(),
            },
        }
    }
}

impl<L: Library> Peer for KeptJson<L> {
    fn name(&self) -> &'static str {
        L::PEER
    }

    fn answer(&mut self, ask: &Ask, out: &mut Vec<u8>) -> Result<()> {
        out.clear();
        let kept = self.kept.of(ask.school, ask.now)?;
        let scratch = &mut self.scratch;
        match ask.what {
            What::Learners => learners(kept, scratch, false, |_| true, out),
            What::GradesWithParents(grades) => {
                let grades = grades.map(|grade| grade.to_string());
                let asked = |learner: &Learner<'_>| grades.iter().any(|id| *id == learner.grade_id);
                learners(kept, scratch, true, asked, out)
            }
            What::Learner(id) => {
                let id = id.to_string();
                learners(kept, scratch, false, |learner| learner.id == id, out)
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
                learners(kept, scratch, false, asked, out)
            }
            What::Left { since, until } => left(&kept.left, scratch, since, until, out),
            What::MarksOfLearner(id) => match kept.by_learner.get(&id) {
                Some(LearnerAnswers { grade, .. }) => {
                    let only = Only {
                        learner: Some(id),
                        ..Only::default()
                    };
                    marks(kept, scratch, *grade, only, out)
                }
                None => Ok(()),
            },
            What::MarksOfGrade { grade, term } => {
                let only = Only {
                    term: Some(term),
                    ..Only::default()
                };
                marks(kept, scratch, grade, only, out)
            }
            What::MarksOfOutcome {
                grade,
                term,
                outcome,
            } => {
                let only = Only {
                    term: Some(term),
                    outcome: Some(outcome),
                    ..Only::default()
                };
                marks(kept, scratch, grade, only, out)
            }
            What::SubjectsPerTerm(id) => match kept.by_learner.get(&id) {
                Some(learner) => {
                    let subjects: Vec<SubjectPerTerm<'_>> =
                        scratch.read(&learner.subjects_per_term)?;
                    write::<L, _>(&subjects, out)
                }
                None => Ok(()),
            },
            What::SubjectMarks(id) => match kept.by_learner.get(&id) {
                Some(learner) => {
                    let subjects: Vec<SubjectMarks<'_>> = scratch.read(&learner.subject_marks)?;
                    write::<L, _>(&subjects, out)
                }
                None => Ok(()),
            },
            What::LearnerSubjects => {
                let subjects: Vec<LearnerSubject<'_>> = scratch.read(&kept.learner_subjects)?;
                write::<L, _>(&subjects, out)
            }
            What::Absentees { from, to } => {
                let mut absentees: Vec<Absentee<'_>> =
                    scratch.read_months(&kept.absentees, from, to)?;
                absentees.retain(|absentee| (from..=to).contains(&absentee.absent_date.as_ref()));
                write::<L, _>(&absentees, out)
            }
        }
    }

    /// There is nothing to forget: what it keeps is what it has, and it reads
    /// that anew at each ask.
    fn forget(&mut self) -> Result<()> {
        Ok(())
    }
}

/// What the library reuses: for an answer that is read alone, and for each of
/// several months.
struct Scratch<L: Library> {
    whole: L::Scratch,
    months: Vec<L::Scratch>,
}

impl<L: Library> Scratch<L> {
    fn read<'a, T: Deserialize<'a> + Default>(&'a mut self, json: &'a [u8]) -> Result<T> {
        if json.is_empty() {
            return Ok(T::default());
        }
        L::read(json, &mut self.whole)
    }

    /// The records of every month that has one of these days.
    fn read_months<'a, T: Deserialize<'a>>(
        &'a mut self,
        months: &'a [Month],
        from: &str,
        to: &str,
    ) -> Result<Vec<T>> {
        self.months.resize_with(months.len(), L::Scratch::default);
        let mut all = Vec::new();
        for (month, scratch) in months.iter().zip(&mut self.months) {
            if month.last < from || month.first > to || month.json.is_empty() {
                continue;
            }
            let records: Vec<T> = L::read(&month.json, scratch)?;
            if all.is_empty() {
                all = records;
            } else {
                all.extend(records);
            }
        }
        Ok(all)
    }
}

/// Writes the records, if there are any.
fn write<L: Library, T: Serialize>(records: &[T], out: &mut Vec<u8>) -> Result<()> {
    if records.is_empty() {
        return Ok(());
    }
    L::write(&records, out)
}

/// The current learners that are asked for.
fn learners<'a, L: Library>(
    kept: &'a SchoolAnswers,
    scratch: &'a mut Scratch<L>,
    with_parents: bool,
    asked: impl FnMut(&Learner<'a>) -> bool,
    out: &mut Vec<u8>,
) -> Result<()> {
    let mut learners: Vec<Learner<'a>> = scratch.read(&kept.learners)?;
    learners.retain(asked);
    if !with_parents {
        for learner in &mut learners {
            learner.parents = None;
        }
    }
    write::<L, _>(&learners, out)
}

/// The learners who left in these months, by id.
fn left<L: Library>(
    months: &[Month],
    scratch: &mut Scratch<L>,
    since: &str,
    until: &str,
    out: &mut Vec<u8>,
) -> Result<()> {
    let whole = months.iter().any(|month| month.first == since)
        && months.iter().any(|month| month.last == until);
    ensure!(whole, "{since} to {until} are no whole months of the year");
    let mut learners: Vec<Learner<'_>> = scratch.read_months(months, since, until)?;
    learners.sort_by_cached_key(|learner| learner.id.parse::<u64>().ok());
    write::<L, _>(&learners, out)
}

fn marks<L: Library>(
    kept: &SchoolAnswers,
    scratch: &mut Scratch<L>,
    grade: u64,
    only: Only,
    out: &mut Vec<u8>,
) -> Result<()> {
    let Some(json) = kept.marks.get(&grade) else {
        return Ok(());
    };
    let mut marks: Marks<'_> = scratch.read(json)?;
    only.filter(&mut marks);
    if marks.is_empty() {
        return Ok(());
    }
    L::write(&marks, out)
}
