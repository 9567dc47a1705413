//! Assessment marks in v2: a flat collection, by grade, term, learner, subject,
//! learning outcome and assessment (section 9, items 1 and 3).

use super::View;
use super::assessment_marks::AssessmentMarks;
use super::sheet::{self, Sheet, SheetAssessment, SheetOutcome, SheetSubject, SheetTerm};
use super::tables::Tables;
use super::walk::{Position, Walk};
use crate::date::Date;
use crate::error::Result;
use crate::json::{Chunks, Wire};
use crate::record::mark_row::{MarkRow, SlotStarts, WalkedRow};
use crate::store::{Collection, Key, Partition, Reader};
use std::sync::Arc;

/// Adds the records of the walk's next page, each followed by a comma.
pub(super) fn walk(
    question: &AssessmentMarks,
    view: View<'_>,
    walk: &mut Walk,
    out: &mut Chunks<'_>,
) -> Result<()> {
    let tables = view.tables(question.school, Wire::V2)?;
    let Some(year) = question.year.or(view.current_year(&tables.facts)) else {
        return Ok(());
    };
    let mut writer = RowWriter {
        question,
        today: tables.facts.today(view.now),
        tables,
        view,
        year,
        start: Vec::new(),
    };
    let grades = writer.grades()?;
    for grade in walk.along(&grades) {
        if !walk.is_past(&[year, *grade]) && !writer.grade(*grade, walk, out)? {
            break;
        }
    }
    Ok(())
}

/// Writes records until the page is full. Each level says whether it is not.
struct RowWriter<'a> {
    question: &'a AssessmentMarks,
    tables: Arc<Tables>,
    today: Date,
    view: View<'a>,
    year: u64,
    /// What the records of the learner and term at hand begin with.
    start: Vec<u8>,
}

impl RowWriter<'_> {
    /// The grades in which there may be marks, ascending.
    fn grades(&self) -> Result<Vec<u64>> {
        if let Some(grade) = self.question.grade_id {
            return Ok(vec![grade]);
        }
        let mut grades = Vec::new();
        let Some(learner) = self.question.learner_id else {
            return Ok(grades);
        };
        let rows = Partition::of_year(self.question.school, Collection::MarkRowIndex, self.year);
        let rows = self.view.snapshot.records(rows)?;
        for pinned in rows.between(Key(learner, 0), Key(learner, u64::MAX)) {
            let (pinned, indices) = pinned?;
            let run = pinned.run()?;
            for index in indices {
                grades.push(run.key(index)?.1);
            }
        }
        Ok(grades)
    }

    fn grade(&mut self, grade: u64, walk: &mut Walk, out: &mut Chunks<'_>) -> Result<bool> {
        let school = self.question.school;
        let sheet = sheet::of(self.view.snapshot, school, grade, self.year, Wire::V2)?;
        for term in walk.along(&sheet.terms) {
            let is_wanted = self.question.term.is_none_or(|wanted| wanted == term.term);
            if !is_wanted || walk.is_past(&[self.year, grade, term.term]) {
                continue;
            }
            let is_full = if sheet.is_written {
                !self.term(grade, &sheet, term, walk, out)?
            } else {
                let snapshot = self.view.snapshot;
                let outline = sheet::outline(snapshot, school, grade, self.year, term.term)?;
                match outline.0.terms.first() {
                    Some(term) => !self.term(grade, &outline.0, term, walk, out)?,
                    None => false,
                }
            };
            if is_full {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn term(
        &mut self,
        grade: u64,
        sheet: &Sheet,
        term: &SheetTerm,
        walk: &mut Walk,
        out: &mut Chunks<'_>,
    ) -> Result<bool> {
        let end = self
            .tables
            .term_end(self.view.snapshot, self.year, term.term)?;
        let shown = |subject: &&SheetSubject| self.question.shows(subject, end, self.today);
        let shown: Vec<&SheetSubject> = term.subjects.iter().filter(shown).collect();
        if shown.is_empty() {
            return Ok(true);
        }
        let school = self.question.school;
        let rows = Partition::of_grade_year(school, Collection::MarkRows, grade, self.year);
        let rows = self.view.snapshot.records(rows)?;
        let (from, to) = match self.question.learner_id {
            Some(learner) => (Key(term.term, learner), Key(term.term, learner)),
            None => (Key(term.term, 0), Key(term.term, u64::MAX)),
        };
        // The learner at whom the page begins may have records left.
        let keys = walk.onward(from, to, |[_, of, at, learner, ..]| {
            (*of == grade && *at == term.term).then_some(Key(term.term, *learner))
        });
        let Some(keys) = keys else {
            return Ok(true);
        };
        let mut starts = SlotStarts::default();
        for pinned in walk.runs(&rows, keys) {
            let (pinned, indices) = pinned?;
            let run = pinned.run()?;
            for index in walk.in_order(indices) {
                let mut rows: [MarkRow<'_>; SlotStarts::ROWS] = Default::default();
                if let Some(row) = rows.first_mut() {
                    *row = MarkRow::open(run.record(0, index)?)?;
                }
                starts.read(&rows)?;
                if let Some(row) = starts.row(&rows, 0) {
                    let at = [self.year, grade, term.term, run.key(index)?.1];
                    if !self.learner(at, sheet, &shown, &row, walk, out)? {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }

    fn learner(
        &mut self,
        [year, grade, term, learner]: [u64; 4],
        sheet: &Sheet,
        shown: &[&SheetSubject],
        row: &WalkedRow<'_>,
        walk: &mut Walk,
        out: &mut Chunks<'_>,
    ) -> Result<bool> {
        let at = [year, grade, term, learner];
        self.start_learner(at)?;
        let enrolled: Vec<u64> = row.subjects().collect();
        for subject in walk.along(shown) {
            let of = subject.subject;
            if walk.is_past(&[year, grade, term, learner, of]) {
                continue;
            }
            let is_enrolled = enrolled.binary_search(&of).is_ok();
            for outcome in walk.along(&subject.outcomes) {
                let wanted = self.question.learning_outcome_id;
                if wanted.is_some_and(|wanted| wanted != outcome.outcome)
                    || walk.is_past(&[year, grade, term, learner, of, outcome.outcome])
                {
                    continue;
                }
                let position = |assessment: &SheetAssessment| {
                    let id = assessment.assessment;
                    [year, grade, term, learner, of, outcome.outcome, id]
                };
                for assessment in walk.along(walk.ahead(&outcome.assessments, position)) {
                    let wanted = self.question.assessment_id;
                    let slot = row.mark(assessment.slot);
                    if wanted.is_some_and(|wanted| wanted != assessment.assessment)
                        || !is_enrolled && slot.is_empty()
                    {
                        continue;
                    }
                    if !walk.take(position(assessment)) {
                        return Ok(false);
                    }
                    if sheet.is_written {
                        self.push(sheet, (subject, outcome, assessment), slot, out)?;
                    } else {
                        self.push_unwritten(position(assessment), slot, out)?;
                    }
                }
            }
        }
        Ok(true)
    }

    /// One record of the learner at hand, and a comma.
    fn push(
        &self,
        sheet: &Sheet,
        (subject, outcome, assessment): (&SheetSubject, &SheetOutcome, &SheetAssessment),
        slot: &[u8],
        out: &mut Chunks<'_>,
    ) -> Result<()> {
        out.push(&self.start);
        out.push_part(&sheet.text, subject.start.clone());
        out.push_part(&sheet.text, outcome.start.clone());
        if self.question.structure {
            assessment.template.push_structure(&sheet.text, out);
            return Ok(());
        }
        assessment.template.push_typed(slot, &sheet.text, out)
    }

    /// The same of an assessment whose texts are not held.
    fn push_unwritten(
        &self,
        [year, grade, term, _, subject, outcome, assessment]: Position,
        slot: &[u8],
        out: &mut Chunks<'_>,
    ) -> Result<()> {
        let school = self.question.school;
        let assessments = Partition::of_grade_year(school, Collection::Assessments, grade, year);
        let key = (term, subject, outcome, assessment);
        let snapshot = self.view.snapshot;
        let sheet = sheet::one(snapshot, &self.tables, assessments, key, Wire::V2)?;
        self.push(&sheet, sheet.only()?, slot, out)
    }

    /// `{"grade_id":9,…,"learner_id":1,`
    fn start_learner(&mut self, [year, grade, term, learner]: [u64; 4]) -> Result<()> {
        let snapshot = self.view.snapshot;
        let start = &mut self.start;
        start.clear();
        start.extend_from_slice(b"{\"grade_id\":");
        Wire::V2.push_number(start, grade);
        start.extend_from_slice(b",\"grade\":");
        Wire::V2.push_text(start, &self.tables.grade(snapshot, grade)?);
        start.extend_from_slice(b",\"year\":");
        Wire::V2.push_number(start, year);
        start.extend_from_slice(b",\"year_name\":");
        Wire::V2.push_text(start, &self.tables.year(snapshot, year)?);
        start.extend_from_slice(b",\"term\":");
        Wire::V2.push_number(start, term);
        start.extend_from_slice(b",\"learner_id\":");
        Wire::V2.push_number(start, learner);
        start.push(b',');
        Ok(())
    }
}
