//! Get Learner Assessment Marks (4.2).

use super::release::is_released;
use super::sheet::{self, Assessment, Sheet, Subject, Term};
use super::tables::Tables;
use super::{Outcome, Question, View};
use crate::record::mark::Mark;
use crate::record::mark_row::{MarkRow, is_mark};
use crate::store::{Collection, Key, Partition, Reader, Records, Snapshot};
use crate::{Date, Result, json};

/// Get Learner Assessment Marks (4.2): nested objects by grade, year, term,
/// learner, subject, learning outcome and assessment (2.6).
///
/// One of `learner_id` and `grade_id` is needed. A learning program's marks are
/// answered once they are released: on its release date, or without one at the
/// end of the term.
///
/// ```
/// # fn main() -> rollbook::Result<()> {
/// use rollbook::{AssessmentMarks, Engine, Options};
/// let engine = Engine::memory(Options::default())?;
/// let neither = AssessmentMarks { school: 1, ..AssessmentMarks::default() };
/// let answer = engine.ask(&neither)?;
/// assert_eq!(answer.status.code, 400);
/// assert!(answer.text().contains("Please provide a learner_id or grade_id"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AssessmentMarks {
    /// The school's login id.
    pub school: u64,
    /// One learner.
    pub learner_id: Option<u64>,
    /// One grade.
    pub grade_id: Option<u64>,
    /// One subject.
    pub subject_id: Option<u64>,
    /// The year; the school's current one unless given.
    pub year: Option<u64>,
    /// One term.
    pub term: Option<u64>,
    /// One learning outcome.
    pub learning_outcome_id: Option<u64>,
    /// One assessment.
    pub assessment_id: Option<u64>,
    /// The structure alone, without marks: released or not.
    pub structure: bool,
}

impl Question for AssessmentMarks {
    fn answer(&self, view: View<'_>, out: &mut Vec<u8>) -> Result<Outcome> {
        if self.learner_id.is_none() && self.grade_id.is_none() {
            return Ok(Outcome::Refused("Please provide a learner_id or grade_id"));
        }
        let tables = view.tables(self.school)?;
        let Some(year) = self.year.or(tables.current_year) else {
            return Ok(Outcome::Nothing);
        };
        let writer = Writer {
            question: self,
            tables: &tables,
            today: tables.today(view.now),
            year,
        };
        let start = out.len();
        out.push(b'{');
        match (self.grade_id, self.learner_id) {
            (Some(grade), _) => writer.grade(view.snapshot, grade, out)?,
            (None, Some(learner)) => {
                let seats = Partition::of_year(self.school, Collection::MarkSeats, year);
                let (from, to) = (Key(learner, 0), Key(learner, u64::MAX));
                for page in view.snapshot.records(seats)?.between(from, to) {
                    let (page, indices) = page?;
                    let run = page.run()?;
                    for index in indices {
                        writer.grade(view.snapshot, run.key(index)?.1, out)?;
                    }
                }
            }
            (None, None) => {}
        }
        if out.len() == start + 1 {
            out.truncate(start);
            return Ok(Outcome::Nothing);
        }
        close(out, b"}");
        Ok(Outcome::Found)
    }
}

/// Ends an object whose every member is followed by a comma.
fn close(out: &mut Vec<u8>, end: &[u8]) {
    out.pop();
    out.extend_from_slice(end);
}

/// Writes one level of the answer after the other. A level with nothing in it
/// is taken back.
struct Writer<'a> {
    question: &'a AssessmentMarks,
    tables: &'a Tables,
    today: Date,
    year: u64,
}

impl Writer<'_> {
    /// `"9":{"grade":"7","years":{"2026":{…,"terms":{…}}}},`
    fn grade(&self, snapshot: &Snapshot, grade: u64, out: &mut Vec<u8>) -> Result<()> {
        let sheet = sheet::of(snapshot, self.question.school, grade, self.year)?;
        let rows =
            Partition::of_grade_year(self.question.school, Collection::MarkRows, grade, self.year);
        let rows = snapshot.records(rows)?;
        let before = out.len();
        json::push_quoted_integer(out, grade);
        out.extend_from_slice(b":{\"grade\":\"");
        out.extend_from_slice(self.tables.grade(grade));
        out.extend_from_slice(b"\",\"years\":{");
        json::push_quoted_integer(out, self.year);
        out.extend_from_slice(b":{\"year\":");
        json::push_quoted_integer(out, self.year);
        out.extend_from_slice(b",\"year_name\":\"");
        out.extend_from_slice(self.tables.year(self.year));
        out.extend_from_slice(b"\",\"terms\":{");
        let empty = out.len();
        for term in &sheet.terms {
            if self.question.term.is_none_or(|wanted| wanted == term.term) {
                self.term(&sheet, term, &rows, out)?;
            }
        }
        if out.len() == empty {
            out.truncate(before);
        } else {
            close(out, b"}}}},");
        }
        Ok(())
    }

    /// `"1":{"term":"1","learners":{…}},`
    fn term(
        &self,
        sheet: &Sheet,
        term: &Term,
        rows: &Records<'_>,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let end = self
            .tables
            .term(self.year, term.term)
            .and_then(|term| term.end);
        let shown: Vec<&Subject> = term
            .subjects
            .iter()
            .filter(|s| self.is_shown(s, end))
            .collect();
        if shown.is_empty() {
            return Ok(());
        }
        let before = out.len();
        json::push_quoted_integer(out, term.term);
        out.extend_from_slice(b":{\"term\":");
        json::push_quoted_integer(out, term.term);
        out.extend_from_slice(b",\"learners\":{");
        let empty = out.len();
        let (from, to) = match self.question.learner_id {
            Some(learner) => (Key(term.term, learner), Key(term.term, learner)),
            None => (Key(term.term, 0), Key(term.term, u64::MAX)),
        };
        for page in rows.between(from, to) {
            let (page, indices) = page?;
            let run = page.run()?;
            let mut slots = Vec::new();
            for index in indices {
                let row = MarkRow::open(run.record(0, index)?)?;
                slots.clear();
                for slot in row.slots() {
                    slots.push(slot?);
                }
                self.learner(sheet, &shown, run.key(index)?.1, &row, &slots, out)?;
            }
        }
        if out.len() == empty {
            out.truncate(before);
        } else {
            close(out, b"}},");
        }
        Ok(())
    }

    /// Whether anything of a learning program may be answered.
    fn is_shown(&self, subject: &Subject, term_end: Option<Date>) -> bool {
        self.question
            .subject_id
            .is_none_or(|wanted| wanted == subject.subject)
            && (self.question.structure || is_released(subject.release, term_end, self.today))
    }

    /// `"1":{"learner_id":"1","subjects":{…}},`
    fn learner(
        &self,
        sheet: &Sheet,
        shown: &[&Subject],
        learner: u64,
        row: &MarkRow<'_>,
        slots: &[&[u8]],
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let before = out.len();
        json::push_quoted_integer(out, learner);
        out.extend_from_slice(b":{\"learner_id\":");
        json::push_quoted_integer(out, learner);
        out.extend_from_slice(b",\"subjects\":{");
        let empty = out.len();
        let mut taken = row.subjects();
        let mut next = taken.next().transpose()?;
        for subject in shown {
            while next.is_some_and(|next| next < subject.subject) {
                next = taken.next().transpose()?;
            }
            self.subject(sheet, subject, next == Some(subject.subject), slots, out)?;
        }
        if out.len() == empty {
            out.truncate(before);
        } else {
            close(out, b"}},");
        }
        Ok(())
    }

    /// `"101":{"subject_id":"101",…,"learning_outcomes":{…}},` with all
    /// assessments if the learner takes the subject, else those with a mark.
    fn subject(
        &self,
        sheet: &Sheet,
        subject: &Subject,
        taken: bool,
        slots: &[&[u8]],
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let before = out.len();
        out.extend_from_slice(sheet.text(subject.start));
        let no_outcome = out.len();
        for outcome in &subject.outcomes {
            if self
                .question
                .learning_outcome_id
                .is_some_and(|wanted| wanted != outcome.outcome)
            {
                continue;
            }
            let start = out.len();
            out.extend_from_slice(sheet.text(outcome.start));
            let empty = out.len();
            for assessment in &outcome.assessments {
                if self
                    .question
                    .assessment_id
                    .is_some_and(|wanted| wanted != assessment.assessment)
                {
                    continue;
                }
                let slot = slots.get(assessment.slot).filter(|slot| is_mark(slot));
                if taken || slot.is_some() {
                    self.assessment(sheet, assessment, slot.copied(), out)?;
                }
            }
            if out.len() == empty {
                out.truncate(start);
            } else {
                close(out, b"}},");
            }
        }
        if out.len() == no_outcome {
            out.truncate(before);
        } else {
            close(out, b"}},");
        }
        Ok(())
    }

    /// One assessment with what the mark puts into its gap (dataset format,
    /// "4.2 assessment marks").
    #[inline]
    fn assessment(
        &self,
        sheet: &Sheet,
        assessment: &Assessment,
        slot: Option<&[u8]>,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        out.extend_from_slice(sheet.text(assessment.start));
        if self.question.structure {
            out.extend_from_slice(b"},");
            return Ok(());
        }
        let mark = match slot {
            Some(slot) => Mark::decode(slot)?,
            None => None,
        };
        out.extend_from_slice(b",\"dtime\":\"");
        if let Some(dtime) = mark.and_then(|mark| mark.dtime) {
            out.extend_from_slice(&dtime.text());
        }
        out.extend_from_slice(b"\",\"percentage\":\"");
        let captured = mark.is_some_and(|mark| mark.captured || mark.absent);
        match mark {
            Some(mark) if mark.absent => out.extend_from_slice(b"a\",\"mark\":\""),
            Some(mark) if mark.captured => {
                match (mark.percentage, mark.mark) {
                    (Some(percentage), _) => percentage.push_rounded(out),
                    (None, Some(mark)) => mark.push_percentage_of(assessment.out_of, out),
                    (None, None) => {}
                }
                out.extend_from_slice(b"\",\"mark\":\"");
                if let Some(mark) = mark.mark {
                    mark.push_rounded(out);
                }
            }
            _ => out.extend_from_slice(b"\",\"mark\":\""),
        }
        out.extend_from_slice(sheet.text(assessment.end));
        out.extend_from_slice(if captured { b"1\"}," } else { b"0\"}," });
        Ok(())
    }
}
