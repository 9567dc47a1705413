//! Writes assessment marks as nested objects (4.2).

use super::sheet::{Assessment, Block, Enrolment, Mark, Sheet, Text};
use crate::ask::Ask;
use crate::peers::members::Members;
use crate::peers::wire;
use anyhow::Result;
use rusqlite::Connection;
use std::borrow::Cow;
use std::cmp::Ordering;

/// Writes the marks that an ask selects.
pub(super) fn answer(
    sheet: &mut Sheet,
    connection: &Connection,
    ask: &Ask,
    out: &mut Vec<u8>,
) -> Result<()> {
    sheet.gather(connection, ask)?;
    let grades = grades(sheet);
    if !grades.0.is_empty() {
        serde_json::to_writer(out, &grades)?;
    }
    Ok(())
}

/// Returns the members of a level, unless there are none.
fn some<T>(members: Members<'_, T>) -> Option<Members<'_, T>> {
    (!members.0.is_empty()).then_some(members)
}

/// Returns a member that also contains its key.
fn member<'a, T>(id: i64, of: impl FnOnce(Cow<'a, str>) -> T) -> (Cow<'a, str>, T) {
    let id: Cow<'a, str> = id.to_string().into();
    (id.clone(), of(id))
}

fn grades(sheet: &Sheet) -> wire::Marks<'_> {
    let mut grades = Members::default();
    let of_grade = |a: &Assessment, b: &Assessment| a.block.0 == b.block.0;
    for (assessments, (id, name)) in sheet.assessments.chunk_by(of_grade).zip(&sheet.grades) {
        let Some(terms) = some(terms(sheet, assessments)) else {
            continue;
        };
        let year = member(sheet.year, |year| wire::Year {
            year,
            year_name: sheet.text(sheet.year_name).into(),
            terms,
        });
        let grade = wire::Grade {
            grade: sheet.text(*name).into(),
            years: Members(vec![year]),
        };
        grades.0.push((id.to_string().into(), grade));
    }
    grades
}

fn terms<'a>(sheet: &'a Sheet, of_grade: &'a [Assessment]) -> Members<'a, wire::Term<'a>> {
    let mut terms = Members::default();
    for assessments in of_grade.chunk_by(|a, b| a.block == b.block) {
        let Some(first) = assessments.first() else {
            continue;
        };
        if let Some(learners) = some(learners(sheet, first.block, assessments)) {
            let term = member(first.block.1, |term| wire::Term { term, learners });
            terms.0.push(term);
        }
    }
    terms
}

/// Returns the learners of a grade and term: those who take a subject, and those who have a mark.
fn learners<'a>(
    sheet: &'a Sheet,
    block: Block,
    assessments: &'a [Assessment],
) -> Members<'a, wire::LearnerMarks<'a>> {
    let enrolments = sorted_part(&sheet.enrolments, |enrolment| enrolment.block.cmp(&block));
    let enrolled = enrolments.iter().map(|enrolment| enrolment.learner);
    let marked = sheet.marks.iter().map(|mark| mark.learner);
    let mut ids: Vec<i64> = enrolled.chain(marked).collect();
    ids.sort_unstable();
    ids.dedup();
    let mut learners = Vec::with_capacity(ids.len());
    for id in ids {
        let enrolments = sorted_part(enrolments, |enrolment| enrolment.learner.cmp(&id));
        let marks = sorted_part(&sheet.marks, |mark| mark.learner.cmp(&id));
        if let Some(subjects) = some(subjects(sheet, assessments, enrolments, marks)) {
            learners.push(member(id, |learner_id| wire::LearnerMarks {
                learner_id,
                subjects,
            }));
        }
    }
    Members(learners)
}

/// Returns a learner's subjects: with all assessments if the learner takes the subject, otherwise
/// with those that have a mark.
fn subjects<'a>(
    sheet: &'a Sheet,
    assessments: &'a [Assessment],
    enrolments: &[Enrolment],
    mut marks: &'a [Mark],
) -> Members<'a, wire::Subject<'a>> {
    let mut subjects = Vec::with_capacity(enrolments.len());
    for of_subject in assessments.chunk_by(|a, b| a.subject == b.subject) {
        let Some(subject) = of_subject.first() else {
            continue;
        };
        let is_enrolled = enrolments
            .iter()
            .any(|enrolment| enrolment.subject == subject.subject);
        let mut outcomes = Vec::with_capacity(2);
        for of_outcome in of_subject.chunk_by(|a, b| a.outcome == b.outcome) {
            let mut given = Vec::with_capacity(of_outcome.len());
            for assessment in of_outcome {
                let mark = mark_at(&mut marks, assessment.place);
                if assessment.released && (is_enrolled || mark.is_some()) {
                    let id = sheet.text(assessment.id_text);
                    given.push((id.into(), with_mark(sheet, assessment, mark)));
                }
            }
            if let (Some(assessments), Some(outcome)) = (some(Members(given)), of_outcome.first()) {
                let name = sheet.text(outcome.outcome_name);
                outcomes.push(member(outcome.outcome, |id| wire::LearningOutcome {
                    learning_outcome_id: id,
                    learning_outcome_name: name.into(),
                    assessments,
                }));
            }
        }
        if let Some(learning_outcomes) = some(Members(outcomes)) {
            subjects.push(member(subject.subject, |subject_id| wire::Subject {
                subject_id,
                subject_name: sheet.text(subject.subject_name).into(),
                learning_outcomes,
            }));
        }
    }
    Members(subjects)
}

/// Returns the mark at a place, if it is the next mark of a learner.
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

/// Returns the part of a sorted slice for which `compare` returns `Equal`.
fn sorted_part<T>(sorted: &[T], compare: impl Fn(&T) -> Ordering) -> &[T] {
    let start = sorted.partition_point(|fact| compare(fact) == Ordering::Less);
    let rest = sorted.get(start..).unwrap_or_default();
    let end = rest.partition_point(|fact| compare(fact) == Ordering::Equal);
    rest.get(..end).unwrap_or_default()
}
