//! Assessment marks in v1: nested objects by grade, year, term, learner, subject, learning
//! outcome and assessment (2.6).

use super::selection::MarksSelection;
use crate::error::Result;
use crate::json::{ApiVersion, OutputBuffer};
use crate::query::Outcome;
use crate::query::marks::assessment_layout::{self, AssessmentLayout, LayoutSubject, LayoutTerm};
use crate::record::stored::mark_row::{IndexedRow, MarkRow, SlotStarts};
use crate::store::Records;

/// Ends an object that begins at `start`, and whose members begin at `members` and are each
/// followed by a comma. An object without members is removed.
#[inline]
fn close_object(out: &mut OutputBuffer<'_>, start: usize, members: usize, end: &[u8]) {
    if out.len() == members {
        out.truncate(start);
    } else {
        out.pop();
        out.push(end);
    }
}

impl MarksSelection<'_> {
    /// Writes the nested objects, or nothing if there are no marks.
    pub(crate) fn write_nested(&self, out: &mut OutputBuffer<'_>) -> Result<Outcome> {
        let start = out.len();
        out.push(b"{");
        let empty = out.len();
        for grade in self.grades()? {
            self.grade(grade, out)?;
        }
        close_object(out, start, empty, b"}");
        Ok(if out.len() == start {
            Outcome::Nothing
        } else {
            Outcome::Found
        })
    }

    /// Writes `"9":{"grade":"7","years":{"2026":{…,"terms":{…}}}},`.
    #[cfg_attr(module, optimize(speed))]
    fn grade(&self, grade: u64, out: &mut OutputBuffer<'_>) -> Result<()> {
        let (snapshot, year) = (self.snapshot, self.year);
        let version = ApiVersion::V1;
        let layout =
            assessment_layout::written(snapshot, self.school, grade, year, version, self.wanted)?;
        let rows = self.rows(grade)?;
        let before = out.len();
        out.push_quoted_integer(grade);
        out.push(b":{\"grade\":\"");
        out.push(&self.tables.grade(snapshot, grade)?);
        out.push(b"\",\"years\":{");
        out.push_quoted_integer(year);
        out.push(b":{\"year\":");
        out.push_quoted_integer(year);
        out.push(b",\"year_name\":\"");
        out.push(&self.tables.year(snapshot, year)?);
        out.push(b"\",\"terms\":{");
        let empty = out.len();
        for term in &layout.terms {
            if self.wanted.term.is_none_or(|wanted| wanted == term.term) {
                self.term(&layout, term, &rows, out)?;
            }
        }
        close_object(out, before, empty, b"}}}},");
        Ok(())
    }

    /// Writes `"1":{"term":"1","learners":{…}},`.
    #[cfg_attr(module, optimize(speed))]
    fn term(
        &self,
        layout: &AssessmentLayout,
        term: &LayoutTerm,
        rows: &Records<'_>,
        out: &mut OutputBuffer<'_>,
    ) -> Result<()> {
        let shown = self.shown(term)?;
        if shown.is_empty() {
            return Ok(());
        }
        let before = out.len();
        out.push_quoted_integer(term.term);
        out.push(b":{\"term\":");
        out.push_quoted_integer(term.term);
        out.push(b",\"learners\":{");
        let empty = out.len();
        let (from, to) = self.keys(term.term);
        let mut starts = SlotStarts::default();
        for pinned in rows.between(from, to) {
            let (pinned, indices) = pinned?;
            let block = pinned.block()?;
            for first in indices.clone().step_by(SlotStarts::ROWS) {
                let indices = first..indices.end.min(first + SlotStarts::ROWS);
                let mut rows: [MarkRow<'_>; SlotStarts::ROWS] = Default::default();
                for (row, index) in rows.iter_mut().zip(indices.clone()) {
                    *row = MarkRow::open(block.record(0, index)?)?;
                }
                starts.read(&rows)?;
                for (number, index) in indices.enumerate() {
                    if let Some(row) = starts.row(&rows, number) {
                        self.learner(layout, &shown, block.key(index)?.1, &row, out)?;
                    }
                }
            }
        }
        close_object(out, before, empty, b"}},");
        Ok(())
    }

    /// Writes `"1":{"learner_id":"1","subjects":{…}},`.
    #[cfg_attr(module, optimize(speed))]
    fn learner(
        &self,
        layout: &AssessmentLayout,
        shown: &[&LayoutSubject],
        learner: u64,
        row: &IndexedRow<'_>,
        out: &mut OutputBuffer<'_>,
    ) -> Result<()> {
        let before = out.len();
        out.push_quoted_integer(learner);
        out.push(b":{\"learner_id\":");
        out.push_quoted_integer(learner);
        out.push(b",\"subjects\":{");
        let empty = out.len();
        let mut enrolled = row.subjects();
        let mut next = enrolled.next();
        for subject in shown {
            while next.is_some_and(|next| next < subject.subject) {
                next = enrolled.next();
            }
            let enrolled = next == Some(subject.subject);
            self.subject(layout, subject, enrolled, row, out)?;
        }
        close_object(out, before, empty, b"}},");
        Ok(())
    }

    /// Writes `"101":{"subject_id":"101",…,"learning_outcomes":{…}},`. It contains all
    /// assessments if the learner takes the subject, and otherwise only those with a mark.
    #[cfg_attr(module, optimize(speed))]
    fn subject(
        &self,
        layout: &AssessmentLayout,
        subject: &LayoutSubject,
        enrolled: bool,
        row: &IndexedRow<'_>,
        out: &mut OutputBuffer<'_>,
    ) -> Result<()> {
        let before = out.len();
        out.push_part(&layout.text, subject.start.clone());
        let no_outcome = out.len();
        for outcome in &subject.outcomes {
            let wanted = self.wanted.outcome;
            if wanted.is_some_and(|wanted| wanted != outcome.outcome) {
                continue;
            }
            let start = out.len();
            out.push_part(&layout.text, outcome.start.clone());
            let empty = out.len();
            for assessment in &outcome.assessments {
                let wanted = self.wanted.assessment;
                if wanted.is_some_and(|wanted| wanted != assessment.assessment) {
                    continue;
                }
                let slot = row.mark(assessment.slot);
                if enrolled || !slot.is_empty() {
                    if self.structure {
                        assessment.template.push_structure(&layout.text, out);
                    } else {
                        assessment.template.push(slot, &layout.text, out)?;
                    }
                }
            }
            close_object(out, start, empty, b"}},");
        }
        close_object(out, before, no_outcome, b"}},");
        Ok(())
    }
}
