//! Assessment marks in v1: nested objects by grade, year, term, learner, subject,
//! learning outcome and assessment (2.6). `flat_marks` has them for v2.

use super::assessment_marks::{self, AssessmentMarks, NOBODY};
use super::endpoint::Endpoint;
use super::flat_marks;
use super::sheet::{self, Sheet, SheetSubject, SheetTerm, Wanted};
use super::tables::Tables;
use super::walk::{Identity, Walk};
use super::{Outcome, Query, Reads, Rule, View};
use crate::date::Date;
use crate::error::Result;
use crate::json::{Chunks, Wire};
use crate::record::coverage::{Part, Unit};
use crate::record::mark_row::{MarkRow, SlotStarts, WalkedRow};
use crate::store::{Collection, Key, Partition, Reader, Records, Snapshot, Sources};

impl Query for AssessmentMarks {
    fn endpoint(&self) -> &'static Endpoint {
        &assessment_marks::ENDPOINT
    }

    fn about(&self) -> Option<u64> {
        Some(self.school)
    }

    fn broken_rule(&self, _: View<'_>) -> Result<Option<Rule>> {
        let names_nobody = self.learner_id.is_none() && self.grade_id.is_none();
        Ok(names_nobody.then_some(NOBODY))
    }

    fn sources(&self) -> Sources {
        const ALWAYS: Sources = Sources::of(&[
            Collection::Years,
            Collection::Grades,
            Collection::Subjects,
            Collection::LearningOutcomes,
            Collection::Assessments,
            Collection::MarkRows,
        ]);
        const RELEASES: Sources = Sources::of(&[Collection::LearningPrograms, Collection::Terms]);
        ALWAYS
            .and_if(self.has_day(), RELEASES)
            .and_if(
                self.has_day() || self.year.is_none(),
                Sources::of(&[Collection::Schools]),
            )
            .and_if(
                self.grade_id.is_none(),
                Sources::of(&[Collection::MarkRowIndex]),
            )
    }

    fn has_day(&self) -> bool {
        !self.structure
    }

    fn reads(&self, reads: &Reads<'_>) -> Result<()> {
        let year = match self.year {
            Some(year) => year,
            None => reads.current_year(self.school)?,
        };
        let [of_year, of_grade, of_term, of_learner] = if self.structure {
            [
                Part::Structure,
                Part::StructureOfGrade,
                Part::StructureOfTerm,
                Part::StructureOfLearner,
            ]
        } else {
            [
                Part::Marks,
                Part::MarksOfGrade,
                Part::MarksOfTerm,
                Part::MarksOfLearner,
            ]
        };
        let mut units = vec![Unit::of_year(of_year, year)];
        let learner = |learner| Unit::of_id(of_learner, year, learner);
        units.extend(self.learner_id.map(learner));
        units.extend(
            self.grade_id
                .map(|grade| Unit::of_id(of_grade, year, grade)),
        );
        if let (Some(grade), Some(term)) = (self.grade_id, self.term) {
            units.push(Unit::of_term(of_term, year, grade, term));
        }
        reads.any(self.school, &units)
    }

    fn answer(&self, view: View<'_>, out: &mut Chunks<'_>) -> Result<Outcome> {
        if let Some(rule) = self.broken_rule(view)? {
            return Ok(rule.into());
        }
        let tables = view.tables(self.school, Wire::V1)?;
        let Some(year) = self.year.or(tables.facts.current_year) else {
            return Ok(Outcome::Nothing);
        };
        let writer = NestedWriter {
            question: self,
            tables: &tables,
            today: tables.facts.today(view.now),
            year,
        };
        let start = out.len();
        out.push(b"{");
        match (self.grade_id, self.learner_id) {
            (Some(grade), _) => writer.grade(view.snapshot, grade, out)?,
            (None, Some(learner)) => {
                let rows = Partition::of_year(self.school, Collection::MarkRowIndex, year);
                let (from, to) = (Key(learner, 0), Key(learner, u64::MAX));
                for pinned in view.snapshot.records(rows)?.between(from, to) {
                    let (pinned, indices) = pinned?;
                    let run = pinned.run()?;
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

    fn walk(&self, view: View<'_>, walk: &mut Walk, out: &mut Chunks<'_>) -> Result<Outcome> {
        if let Some(rule) = self.broken_rule(view)? {
            return Ok(rule.into());
        }
        flat_marks::walk(self, view, walk, out)?;
        Ok(Outcome::Found)
    }

    fn identify(&self, view: View<'_>, identity: &mut Identity) -> Result<()> {
        identity.number("school", Some(self.school));
        for (name, number) in [
            ("learner_id", self.learner_id),
            ("grade_id", self.grade_id),
            ("subject_id", self.subject_id),
            (
                "year",
                self.year
                    .map_or_else(|| Query::year(self, view), |year| Ok(Some(year)))?,
            ),
            ("term", self.term),
            ("learning_outcome_id", self.learning_outcome_id),
            ("assessment_id", self.assessment_id),
        ] {
            identity.number(name, number);
        }
        identity.flag("structure", self.structure);
        Ok(())
    }

    fn year(&self, view: View<'_>) -> Result<Option<u64>> {
        Ok(view.current_year(&*view.facts(self.school)?))
    }
}

/// Ends an object whose every member is followed by a comma.
#[inline]
fn close(out: &mut Chunks<'_>, end: &[u8]) {
    out.pop();
    out.push(end);
}

/// Writes one level of the answer after the other. A level with nothing in it
/// is taken back.
struct NestedWriter<'a> {
    question: &'a AssessmentMarks,
    tables: &'a Tables,
    today: Date,
    year: u64,
}

impl NestedWriter<'_> {
    /// `"9":{"grade":"7","years":{"2026":{…,"terms":{…}}}},`
    #[cfg_attr(module, optimize(speed))]
    fn grade(&self, snapshot: &Snapshot, grade: u64, out: &mut Chunks<'_>) -> Result<()> {
        let school = self.question.school;
        let wanted = Wanted {
            term: self.question.term,
            subject: self.question.subject_id,
            outcome: self.question.learning_outcome_id,
            assessment: self.question.assessment_id,
        };
        let sheet = sheet::written(snapshot, school, grade, self.year, Wire::V1, wanted)?;
        let rows = Partition::of_grade_year(school, Collection::MarkRows, grade, self.year);
        let rows = snapshot.records(rows)?;
        let before = out.len();
        out.push_quoted_integer(grade);
        out.push(b":{\"grade\":\"");
        out.push(&self.tables.grade(snapshot, grade)?);
        out.push(b"\",\"years\":{");
        out.push_quoted_integer(self.year);
        out.push(b":{\"year\":");
        out.push_quoted_integer(self.year);
        out.push(b",\"year_name\":\"");
        out.push(&self.tables.year(snapshot, self.year)?);
        out.push(b"\",\"terms\":{");
        let empty = out.len();
        for term in &sheet.terms {
            if self.question.term.is_none_or(|wanted| wanted == term.term) {
                self.term(snapshot, &sheet, term, &rows, out)?;
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
    #[cfg_attr(module, optimize(speed))]
    fn term(
        &self,
        snapshot: &Snapshot,
        sheet: &Sheet,
        term: &SheetTerm,
        rows: &Records<'_>,
        out: &mut Chunks<'_>,
    ) -> Result<()> {
        let end = self.tables.term_end(snapshot, self.year, term.term)?;
        let shown: Vec<&SheetSubject> = term
            .subjects
            .iter()
            .filter(|s| self.question.shows(s, end, self.today))
            .collect();
        if shown.is_empty() {
            return Ok(());
        }
        let before = out.len();
        out.push_quoted_integer(term.term);
        out.push(b":{\"term\":");
        out.push_quoted_integer(term.term);
        out.push(b",\"learners\":{");
        let empty = out.len();
        let (from, to) = match self.question.learner_id {
            Some(learner) => (Key(term.term, learner), Key(term.term, learner)),
            None => (Key(term.term, 0), Key(term.term, u64::MAX)),
        };
        let mut starts = SlotStarts::default();
        for pinned in rows.between(from, to) {
            let (pinned, indices) = pinned?;
            let run = pinned.run()?;
            for first in indices.clone().step_by(SlotStarts::ROWS) {
                let indices = first..indices.end.min(first + SlotStarts::ROWS);
                let mut rows: [MarkRow<'_>; SlotStarts::ROWS] = Default::default();
                for (row, index) in rows.iter_mut().zip(indices.clone()) {
                    *row = MarkRow::open(run.record(0, index)?)?;
                }
                starts.read(&rows)?;
                for (number, index) in indices.enumerate() {
                    if let Some(row) = starts.row(&rows, number) {
                        self.learner(sheet, &shown, run.key(index)?.1, &row, out)?;
                    }
                }
            }
        }
        if out.len() == empty {
            out.truncate(before);
        } else {
            close(out, b"}},");
        }
        Ok(())
    }

    /// `"1":{"learner_id":"1","subjects":{…}},`
    #[cfg_attr(module, optimize(speed))]
    fn learner(
        &self,
        sheet: &Sheet,
        shown: &[&SheetSubject],
        learner: u64,
        row: &WalkedRow<'_>,
        out: &mut Chunks<'_>,
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
            self.subject(sheet, subject, enrolled, row, out)?;
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
    #[cfg_attr(module, optimize(speed))]
    fn subject(
        &self,
        sheet: &Sheet,
        subject: &SheetSubject,
        enrolled: bool,
        row: &WalkedRow<'_>,
        out: &mut Chunks<'_>,
    ) -> Result<()> {
        let before = out.len();
        out.push_part(&sheet.text, subject.start.clone());
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
            out.push_part(&sheet.text, outcome.start.clone());
            let empty = out.len();
            for assessment in &outcome.assessments {
                if self
                    .question
                    .assessment_id
                    .is_some_and(|wanted| wanted != assessment.assessment)
                {
                    continue;
                }
                let slot = row.mark(assessment.slot);
                if enrolled || !slot.is_empty() {
                    if self.question.structure {
                        assessment.template.push_structure(&sheet.text, out);
                    } else {
                        assessment.template.push(slot, &sheet.text, out)?;
                    }
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
}
