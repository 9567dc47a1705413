//! Assessment marks in v2: a flat collection, ordered by grade, term, learner, subject,
//! learning outcome and assessment (section 9, items 1 and 3).

use super::selection::MarksSelection;
use crate::error::Result;
use crate::json::{ApiVersion, OutputBuffer};
use crate::query::marks::assessment_layout::{
    self, AssessmentLayout, LayoutAssessment, LayoutOutcome, LayoutSubject, LayoutTerm,
};
use crate::query::walk::{RecordPosition, Walk};
use crate::record::stored::mark_row::{IndexedRow, MarkRow, SlotStarts};
use crate::store::{Collection, Key, Partition};

/// Appends the records of the walk's next page, each followed by a comma.
pub(crate) fn write(
    marks: &MarksSelection<'_>,
    walk: &mut Walk,
    out: &mut OutputBuffer<'_>,
) -> Result<()> {
    let start = Vec::new();
    let mut writer = RowWriter { marks, start };
    for grade in walk.along(&marks.grades()?) {
        if !walk.precedes_page(&[marks.year, *grade]) && !writer.grade(*grade, walk, out)? {
            break;
        }
    }
    Ok(())
}

/// A writer of the records of one page. Its methods return false if the page is full.
struct RowWriter<'a> {
    marks: &'a MarksSelection<'a>,
    /// The start of each record of the current learner and term.
    start: Vec<u8>,
}

impl RowWriter<'_> {
    fn grade(&mut self, grade: u64, walk: &mut Walk, out: &mut OutputBuffer<'_>) -> Result<bool> {
        let MarksSelection {
            snapshot,
            school,
            year,
            wanted,
            ..
        } = *self.marks;
        let layout = assessment_layout::read(snapshot, school, grade, year, ApiVersion::V2)?;
        for term in walk.along(&layout.terms) {
            let is_wanted = wanted.term.is_none_or(|wanted| wanted == term.term);
            if !is_wanted || walk.precedes_page(&[year, grade, term.term]) {
                continue;
            }
            let is_full = if layout.is_written {
                !self.term(grade, &layout, term, walk, out)?
            } else {
                let outline = assessment_layout::outline(snapshot, school, grade, year, term.term)?;
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
        layout: &AssessmentLayout,
        term: &LayoutTerm,
        walk: &mut Walk,
        out: &mut OutputBuffer<'_>,
    ) -> Result<bool> {
        let shown = self.marks.shown(term)?;
        if shown.is_empty() {
            return Ok(true);
        }
        let rows = self.marks.rows(grade)?;
        let (from, to) = self.marks.keys(term.term);
        // The learner of the last record of the previous page may have more records.
        let keys = walk.keys_from_cursor(from, to, |[_, of, at, learner, ..]| {
            (*of == grade && *at == term.term).then_some(Key(term.term, *learner))
        });
        let Some(keys) = keys else {
            return Ok(true);
        };
        let mut starts = SlotStarts::default();
        for pinned in walk.blocks(&rows, keys) {
            let (pinned, indices) = pinned?;
            let block = pinned.block()?;
            for index in walk.in_order(indices) {
                let mut rows: [MarkRow<'_>; SlotStarts::ROWS] = Default::default();
                if let Some(row) = rows.first_mut() {
                    *row = MarkRow::open(block.record(0, index)?)?;
                }
                starts.read(&rows)?;
                if let Some(row) = starts.row(&rows, 0) {
                    let at = [self.marks.year, grade, term.term, block.key(index)?.1];
                    if !self.learner(at, layout, &shown, &row, walk, out)? {
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
        layout: &AssessmentLayout,
        shown: &[&LayoutSubject],
        row: &IndexedRow<'_>,
        walk: &mut Walk,
        out: &mut OutputBuffer<'_>,
    ) -> Result<bool> {
        let at = [year, grade, term, learner];
        self.start_learner(at)?;
        let enrolled: Vec<u64> = row.subjects().collect();
        for subject in walk.along(shown) {
            let of = subject.subject;
            if walk.precedes_page(&[year, grade, term, learner, of]) {
                continue;
            }
            let is_enrolled = enrolled.binary_search(&of).is_ok();
            for outcome in walk.along(&subject.outcomes) {
                let wanted = self.marks.wanted.outcome;
                if wanted.is_some_and(|wanted| wanted != outcome.outcome)
                    || walk.precedes_page(&[year, grade, term, learner, of, outcome.outcome])
                {
                    continue;
                }
                let position = |assessment: &LayoutAssessment| {
                    let id = assessment.assessment;
                    [year, grade, term, learner, of, outcome.outcome, id]
                };
                for assessment in walk.along(walk.ahead(&outcome.assessments, position)) {
                    let wanted = self.marks.wanted.assessment;
                    let slot = row.mark(assessment.slot);
                    if wanted.is_some_and(|wanted| wanted != assessment.assessment)
                        || !is_enrolled && slot.is_empty()
                    {
                        continue;
                    }
                    if !walk.take(position(assessment)) {
                        return Ok(false);
                    }
                    if layout.is_written {
                        self.push(layout, (subject, outcome, assessment), slot, out)?;
                    } else {
                        self.push_unwritten(position(assessment), slot, out)?;
                    }
                }
            }
        }
        Ok(true)
    }

    /// Appends one record of the current learner and a comma.
    fn push(
        &self,
        layout: &AssessmentLayout,
        (subject, outcome, assessment): (&LayoutSubject, &LayoutOutcome, &LayoutAssessment),
        slot: &[u8],
        out: &mut OutputBuffer<'_>,
    ) -> Result<()> {
        out.push(&self.start);
        out.push_part(&layout.text, subject.start.clone());
        out.push_part(&layout.text, outcome.start.clone());
        if self.marks.structure {
            assessment.template.push_structure(&layout.text, out);
            return Ok(());
        }
        assessment.template.push_typed(slot, &layout.text, out)
    }

    /// Appends one record like [`push`](Self::push), for an assessment without rendered text.
    fn push_unwritten(
        &self,
        [year, grade, term, _, subject, outcome, assessment]: RecordPosition,
        slot: &[u8],
        out: &mut OutputBuffer<'_>,
    ) -> Result<()> {
        let school = self.marks.school;
        let assessments = Partition::of_grade_year(school, Collection::Assessments, grade, year);
        let key = (term, subject, outcome, assessment);
        let snapshot = self.marks.snapshot;
        let layout = assessment_layout::one(
            snapshot,
            &self.marks.tables,
            assessments,
            key,
            ApiVersion::V2,
        )?;
        self.push(&layout, layout.only()?, slot, out)
    }

    /// Sets the start of a learner's records: `{"grade_id":9,…,"learner_id":1,`.
    fn start_learner(&mut self, [year, grade, term, learner]: [u64; 4]) -> Result<()> {
        let snapshot = self.marks.snapshot;
        let start = &mut self.start;
        start.clear();
        start.extend_from_slice(b"{\"grade_id\":");
        ApiVersion::V2.push_number(start, grade);
        start.extend_from_slice(b",\"grade\":");
        ApiVersion::V2.push_text(start, &self.marks.tables.grade(snapshot, grade)?);
        start.extend_from_slice(b",\"year\":");
        ApiVersion::V2.push_number(start, year);
        start.extend_from_slice(b",\"year_name\":");
        ApiVersion::V2.push_text(start, &self.marks.tables.year(snapshot, year)?);
        start.extend_from_slice(b",\"term\":");
        ApiVersion::V2.push_number(start, term);
        start.extend_from_slice(b",\"learner_id\":");
        ApiVersion::V2.push_number(start, learner);
        start.push(b',');
        Ok(())
    }
}
