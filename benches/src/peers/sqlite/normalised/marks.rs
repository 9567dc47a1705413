//! Assessment marks: the nested objects (4.2).

use super::sheet::{Assessment, Block, Mark, Seat, Sheet, Text};
use crate::ask::Ask;
use crate::peers::wire::{self, Members};
use anyhow::Result;
use indexmap::IndexMap;
use rusqlite::Connection;
use std::borrow::Cow;
use std::cmp::Ordering;

/// Writes the marks that an ask is for.
pub(super) fn answer(
    sheet: &mut Sheet,
    connection: &Connection,
    ask: &Ask,
    out: &mut Vec<u8>,
) -> Result<()> {
    sheet.gather(connection, ask)?;
    let grades = grades(sheet);
    if !grades.is_empty() {
        serde_json::to_writer(out, &grades)?;
    }
    Ok(())
}

/// What is left of a level, unless that is nothing.
fn some<T>(members: Members<'_, T>) -> Option<Members<'_, T>> {
    (!members.is_empty()).then_some(members)
}

fn grades(sheet: &Sheet) -> wire::Marks<'_> {
    let mut grades = IndexMap::new();
    let year: Cow<'_, str> = sheet.year.to_string().into();
    let of_grade = |a: &Assessment, b: &Assessment| a.block.0 == b.block.0;
    for (assessments, (id, name)) in sheet.assessments.chunk_by(of_grade).zip(&sheet.grades) {
        let Some(terms) = some(terms(sheet, assessments)) else {
            continue;
        };
        let of_year = wire::Year {
            year: year.clone(),
            year_name: sheet.text(sheet.year_name).into(),
            terms,
        };
        let grade = wire::Grade {
            grade: sheet.text(*name).into(),
            years: IndexMap::from([(year.clone(), of_year)]),
        };
        grades.insert(id.to_string().into(), grade);
    }
    grades
}

fn terms<'a>(sheet: &'a Sheet, of_grade: &'a [Assessment]) -> Members<'a, wire::Term<'a>> {
    let mut terms = IndexMap::new();
    for assessments in of_grade.chunk_by(|a, b| a.block == b.block) {
        let Some(first) = assessments.first() else {
            continue;
        };
        if let Some(learners) = some(learners(sheet, first.block, assessments)) {
            let term: Cow<'_, str> = first.block.1.to_string().into();
            terms.insert(term.clone(), wire::Term { term, learners });
        }
    }
    terms
}

/// The learners of a grade and term: who takes a subject, and who has a mark.
fn learners<'a>(
    sheet: &'a Sheet,
    block: Block,
    assessments: &'a [Assessment],
) -> Members<'a, wire::LearnerMarks<'a>> {
    let seats = sorted_part(&sheet.seats, |seat| seat.block.cmp(&block));
    let seated = seats.iter().map(|seat| seat.learner);
    let marked = sheet.marks.iter().map(|mark| mark.learner);
    let mut ids: Vec<i64> = seated.chain(marked).collect();
    ids.sort_unstable();
    ids.dedup();
    let mut learners = IndexMap::with_capacity(ids.len());
    for id in ids {
        let seats = sorted_part(seats, |seat| seat.learner.cmp(&id));
        let marks = sorted_part(&sheet.marks, |mark| mark.learner.cmp(&id));
        if let Some(subjects) = some(subjects(sheet, assessments, seats, marks)) {
            let learner_id: Cow<'_, str> = id.to_string().into();
            let key = learner_id.clone();
            let learner = wire::LearnerMarks {
                learner_id,
                subjects,
            };
            learners.insert(key, learner);
        }
    }
    learners
}

/// A learner's subjects: with all assessments if the learner takes it, else
/// with those that are marked.
fn subjects<'a>(
    sheet: &'a Sheet,
    assessments: &'a [Assessment],
    seats: &[Seat],
    mut marks: &'a [Mark],
) -> Members<'a, wire::Subject<'a>> {
    let mut subjects = IndexMap::with_capacity(seats.len());
    for of_subject in assessments.chunk_by(|a, b| a.subject == b.subject) {
        let Some(subject) = of_subject.first() else {
            continue;
        };
        let seated = seats.iter().any(|seat| seat.subject == subject.subject);
        let mut outcomes = IndexMap::with_capacity(2);
        for of_outcome in of_subject.chunk_by(|a, b| a.outcome == b.outcome) {
            let mut given = IndexMap::with_capacity(of_outcome.len());
            for assessment in of_outcome {
                let mark = mark_at(&mut marks, assessment.place);
                if assessment.released && (seated || mark.is_some()) {
                    let id = sheet.text(assessment.id_text);
                    given.insert(id.into(), with_mark(sheet, assessment, mark));
                }
            }
            if let (Some(assessments), Some(outcome)) = (some(given), of_outcome.first()) {
                let learning_outcome_id: Cow<'_, str> = outcome.outcome.to_string().into();
                let key = learning_outcome_id.clone();
                let outcome = wire::LearningOutcome {
                    learning_outcome_id,
                    learning_outcome_name: sheet.text(outcome.outcome_name).into(),
                    assessments,
                };
                outcomes.insert(key, outcome);
            }
        }
        if let Some(learning_outcomes) = some(outcomes) {
            let subject_id: Cow<'_, str> = subject.subject.to_string().into();
            let key = subject_id.clone();
            let subject = wire::Subject {
                subject_id,
                subject_name: sheet.text(subject.subject_name).into(),
                learning_outcomes,
            };
            subjects.insert(key, subject);
        }
    }
    subjects
}

/// The mark at a place, if the next marks of a learner hold one.
fn mark_at<'a>(marks: &mut &'a [Mark], place: usize) -> Option<&'a Mark> {
    while let Some((first, rest)) = marks.split_first() {
        match first.place.cmp(&place) {
            Ordering::Less => *marks = rest,
            Ordering::Equal => return Some(first),
            Ordering::Greater => return None,
        }
    }
    None
}

fn with_mark<'a>(
    sheet: &'a Sheet,
    assessment: &Assessment,
    mark: Option<&Mark>,
) -> wire::Assessment<'a> {
    let text = |text| Cow::Borrowed(sheet.text(text));
    let of_mark = |part: fn(&Mark) -> Text| mark.map(part).map_or("".into(), text);
    wire::Assessment {
        assessment_id: text(assessment.id_text),
        assessment_name: text(assessment.name),
        assessment_date: text(assessment.date),
        weight: text(assessment.weight),
        dtime: of_mark(|mark| mark.dtime),
        percentage: of_mark(|mark| mark.percentage),
        mark: of_mark(|mark| mark.mark),
        mark_out_of: text(assessment.mark_out_of),
        captured: if mark.is_some_and(|mark| mark.captured) {
            "1".into()
        } else {
            "0".into()
        },
    }
}

/// The part of sorted facts that this finds equal.
fn sorted_part<T>(sorted: &[T], compare: impl Fn(&T) -> Ordering) -> &[T] {
    let start = sorted.partition_point(|fact| compare(fact) == Ordering::Less);
    let rest = sorted.get(start..).unwrap_or_default();
    let end = rest.partition_point(|fact| compare(fact) == Ordering::Equal);
    rest.get(..end).unwrap_or_default()
}
