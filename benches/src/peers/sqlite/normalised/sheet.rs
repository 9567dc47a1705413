//! The data for an answer of assessment marks: the selected assessments, the learners who take
//! their subjects, and the marks (4.2).

use super::decimal;
use super::row::Columns as _;
use crate::ask::{Ask, What};
use crate::peers::sqlite::each;
use anyhow::Result;
use rusqlite::{Connection, Row, params};

/// The data for one answer. The next answer reuses its memory.
#[derive(Default)]
pub(super) struct Sheet {
    /// The texts of all fields below.
    text: String,
    pub(super) year: i64,
    pub(super) year_name: Text,
    pub(super) grades: Vec<(i64, Text)>,
    pub(super) assessments: Vec<Assessment>,
    pub(super) enrolments: Vec<Enrolment>,
    pub(super) marks: Vec<Mark>,
    /// The index of each assessment of a learner while the data is read, by id.
    places: Vec<(i64, usize)>,
}

/// A range of the sheet's text.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Text {
    start: usize,
    end: usize,
}

/// A grade and a term.
pub(super) type Block = (i64, i64);

/// An assessment, in the order of the answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Assessment {
    pub(super) block: Block,
    pub(super) subject: i64,
    pub(super) outcome: i64,
    pub(super) id: i64,
    /// The index among all assessments.
    pub(super) place: usize,
    pub(super) id_text: Text,
    pub(super) released: bool,
    out_of: i64,
    pub(super) subject_name: Text,
    pub(super) outcome_name: Text,
    pub(super) name: Text,
    pub(super) date: Text,
    pub(super) weight: Text,
    pub(super) mark_out_of: Text,
}

/// A learner takes a subject in a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Enrolment {
    pub(super) block: Block,
    pub(super) learner: i64,
    pub(super) subject: i64,
}

/// A learner's mark for an assessment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark {
    pub(super) learner: i64,
    /// The index of the assessment.
    pub(super) place: usize,
    pub(super) captured: bool,
    pub(super) dtime: Text,
    pub(super) percentage: Text,
    pub(super) mark: Text,
}

/// Selects the columns that [`Sheet::push_assessment`] reads.
macro_rules! select {
    ($($rest:expr),*) => {
        concat!(
            "SELECT a.grade_id, a.term, a.subject_id, a.learning_outcome_id, a.assessment_id,
                 a.mark_out_of, a.weight, a.assessment_name, a.assessment_date,
                 s.subject_name, o.learning_outcome_name,
                 coalesce(p.mark_release_date, t.end_date) <= ?3 ",
            $($rest),*
        )
    };
}

/// The joins of an assessment.
macro_rules! from_assessment {
    () => {
        "FROM assessment a
         LEFT JOIN learning_program p ON p.school_id = a.school_id AND p.year = a.year
             AND p.grade_id = a.grade_id AND p.term = a.term AND p.subject_id = a.subject_id
         LEFT JOIN term t ON t.school_id = a.school_id AND t.year = a.year AND t.term = a.term
         LEFT JOIN subject s ON s.school_id = a.school_id AND s.subject_id = a.subject_id
         LEFT JOIN learning_outcome o ON o.school_id = a.school_id
             AND o.learning_outcome_id = a.learning_outcome_id
         WHERE a.school_id = ?1 AND a.year = ?2 "
    };
}

/// The released assessments of a grade and term, for one outcome if it is given, in the order of
/// the answer.
const OF_GRADE: &str = select!(
    from_assessment!(),
    "AND a.grade_id = ?4 AND a.term = ?5
     AND coalesce(p.mark_release_date, t.end_date) <= ?3
     AND (?6 IS NULL OR a.learning_outcome_id = ?6)
     ORDER BY a.subject_id, a.learning_outcome_id, a.assessment_id"
);

const ONE: &str = select!(from_assessment!(), "AND a.assessment_id = ?4");

// The tables that depend only on the subject and the term are joined once for each of these, before
// the assessments.
const OF_LEARNER: &str = select!(
    "FROM learner_subject ls
     LEFT JOIN subject s ON s.school_id = ls.school_id AND s.subject_id = ls.subject_id
     CROSS JOIN learner_subject_term lt ON lt.school_id = ls.school_id AND lt.year = ls.year
         AND lt.learner_id = ls.learner_id AND lt.subject_id = ls.subject_id
     LEFT JOIN learning_program p ON p.school_id = ls.school_id AND p.year = ls.year
         AND p.grade_id = ls.grade_id AND p.term = lt.term AND p.subject_id = ls.subject_id
     LEFT JOIN term t ON t.school_id = ls.school_id AND t.year = ls.year AND t.term = lt.term
     CROSS JOIN assessment a ON a.school_id = ls.school_id AND a.year = ls.year
         AND a.grade_id = ls.grade_id AND a.term = lt.term AND a.subject_id = ls.subject_id
     LEFT JOIN learning_outcome o ON o.school_id = a.school_id
         AND o.learning_outcome_id = a.learning_outcome_id
     WHERE ls.school_id = ?1 AND ls.year = ?2 AND ls.learner_id = ?4"
);

const YEAR: &str = "
    SELECT s.current_year, iif(y.year_name = '', y.year || '', y.year_name)
    FROM school s LEFT JOIN year y ON y.school_id = s.school_id AND y.year = s.current_year
    WHERE s.school_id = ?1";

const GRADE: &str = "SELECT grade FROM grade WHERE school_id = ?1 AND grade_id = ?2";

const SEATS: &str = "
    SELECT ls.learner_id
    FROM learner_subject ls
    CROSS JOIN learner_subject_term lt ON lt.school_id = ls.school_id AND lt.year = ls.year
        AND lt.learner_id = ls.learner_id AND lt.subject_id = ls.subject_id
    WHERE ls.school_id = ?1 AND ls.year = ?2 AND ls.grade_id = ?3 AND ls.subject_id = ?4
        AND lt.term = ?5";

const MARKS_OF_ASSESSMENT: &str = "
    SELECT learner_id, mark, percentage, absent, captured, dtime FROM mark
    WHERE school_id = ?1 AND assessment_id = ?2";

const MARKS_OF_LEARNER: &str = "
    SELECT assessment_id, mark, percentage, absent, captured, dtime FROM mark
    WHERE school_id = ?1 AND learner_id = ?2";

impl Sheet {
    pub(super) fn text(&self, text: Text) -> &str {
        self.text.get(text.start..text.end).unwrap_or_default()
    }

    fn push_text(&mut self, text: &str) -> Text {
        self.push(|all| all.push_str(text))
    }

    fn push(&mut self, write: impl FnOnce(&mut String)) -> Text {
        let start = self.text.len();
        write(&mut self.text);
        Text {
            start,
            end: self.text.len(),
        }
    }

    /// Reads the data for an ask in one transaction.
    pub(super) fn gather(&mut self, connection: &Connection, ask: &Ask) -> Result<()> {
        self.text.clear();
        self.grades.clear();
        self.assessments.clear();
        self.enrolments.clear();
        self.marks.clear();
        self.places.clear();
        let transaction = connection.unchecked_transaction()?;
        let school = ask.school.cast_signed();
        each(&transaction, YEAR, [school], |row| {
            self.year = row.number(0)?;
            self.year_name = self.push_text(row.text(1)?);
            Ok(())
        })?;
        let (block, outcome) = match ask.what {
            What::MarksOfGrade { grade, term } => ((grade, term), None),
            What::MarksOfOutcome {
                grade,
                term,
                outcome,
            } => ((grade, term), Some(outcome)),
            What::MarksOfLearner(learner) => {
                self.of_learner(&transaction, school, learner.cast_signed(), ask.today)?;
                return Ok(transaction.commit()?);
            }
            _ => return Ok(()),
        };
        let block = (block.0.cast_signed(), block.1.cast_signed());
        self.of_grade(&transaction, school, block, outcome, ask.today)?;
        Ok(transaction.commit()?)
    }

    /// Reads the released assessments, which are already in order.
    fn of_grade(
        &mut self,
        connection: &Connection,
        school: i64,
        block: Block,
        outcome: Option<u64>,
        today: &str,
    ) -> Result<()> {
        let (grade, term) = block;
        let year = self.year;
        let params = params![school, year, today, grade, term, outcome];
        each(connection, OF_GRADE, params, |row| {
            self.push_assessment(row).map(drop)
        })?;
        if self.assessments.is_empty() {
            return Ok(());
        }
        self.push_grade(connection, school, grade)?;
        for of_subject in self.assessments.chunk_by(|a, b| a.subject == b.subject) {
            let subject = of_subject.first().map_or(0, |first| first.subject);
            each(
                connection,
                SEATS,
                [school, year, grade, subject, term],
                |row| {
                    self.enrolments.push(Enrolment {
                        block,
                        learner: row.number(0)?,
                        subject,
                    });
                    Ok(())
                },
            )?;
        }
        self.enrolments.sort_unstable();
        for place in 0..self.assessments.len() {
            let id = self.assessments.get(place).map_or(0, |found| found.id);
            each(connection, MARKS_OF_ASSESSMENT, [school, id], |row| {
                self.push_mark(row, row.number(0)?, place)
            })?;
        }
        self.marks
            .sort_unstable_by_key(|mark| (mark.learner, mark.place));
        Ok(())
    }

    /// Reads the assessments of the learner's subjects, and others for which the learner has a
    /// mark.
    fn of_learner(
        &mut self,
        connection: &Connection,
        school: i64,
        learner: i64,
        today: &str,
    ) -> Result<()> {
        let year = self.year;
        each(
            connection,
            OF_LEARNER,
            params![school, year, today, learner],
            |row| {
                let found = self.push_assessment(row)?;
                let enrolment = Enrolment {
                    block: found.block,
                    learner,
                    subject: found.subject,
                };
                if self.enrolments.last() != Some(&enrolment) {
                    self.enrolments.push(enrolment);
                }
                Ok(())
            },
        )?;
        self.enrolments.sort_unstable();
        let found = self.assessments.iter().enumerate();
        self.places
            .extend(found.map(|(place, found)| (found.id, place)));
        self.places.sort_unstable();
        each(connection, MARKS_OF_LEARNER, [school, learner], |row| {
            let id = row.number(0)?;
            let known = self.places.binary_search_by_key(&id, |(id, _)| *id).ok();
            let place = known.and_then(|known| self.places.get(known).copied());
            match place {
                Some((_, place)) => self.push_mark(row, learner, place),
                // The learner does not take the subject of this assessment.
                None => each(connection, ONE, params![school, year, today, id], |found| {
                    let place = self.push_assessment(found)?.place;
                    self.push_mark(row, learner, place)
                }),
            }
        })?;
        self.order();
        let mut grades: Vec<i64> = self.assessments.iter().map(|found| found.block.0).collect();
        grades.dedup();
        for grade in grades {
            self.push_grade(connection, school, grade)?;
        }
        Ok(())
    }

    /// Sorts assessments and marks in the order of the answer.
    fn order(&mut self) {
        self.assessments
            .sort_unstable_by_key(|a| (a.block, a.subject, a.outcome, a.id));
        let mut places = vec![0; self.assessments.len()];
        for (place, assessment) in self.assessments.iter_mut().enumerate() {
            if let Some(known) = places.get_mut(assessment.place) {
                *known = place;
            }
            assessment.place = place;
        }
        for mark in &mut self.marks {
            mark.place = places.get(mark.place).copied().unwrap_or(mark.place);
        }
        self.marks.sort_unstable_by_key(|mark| mark.place);
    }

    fn push_grade(&mut self, connection: &Connection, school: i64, grade: i64) -> Result<()> {
        let mut name = Text::default();
        each(connection, GRADE, [school, grade], |row| {
            name = self.push_text(row.text(0)?);
            Ok(())
        })?;
        self.grades.push((grade, name));
        Ok(())
    }

    /// Adds the mark of a row, by the rules for assessment marks (`decisions.md`, "Queries").
    fn push_mark(&mut self, row: &Row<'_>, learner: i64, place: usize) -> Result<()> {
        let absent = row.number(3)? != 0;
        let captured = row.number(4)? != 0;
        let dtime = self.push_text(row.text(5)?);
        let (mut percentage, mut mark) = (Text::default(), Text::default());
        if absent {
            percentage = self.push_text("a");
        } else if captured {
            let given = row.integer(1)?;
            match (row.integer(2)?, given) {
                (Some(millionths), _) => {
                    percentage = self.push(|text| decimal::push(text, millionths));
                }
                (None, Some(part)) => {
                    let whole = self.assessments.get(place).map_or(0, |found| found.out_of);
                    percentage = self.push(|text| decimal::push_percentage(text, part, whole));
                }
                (None, None) => {}
            }
            if let Some(millionths) = given {
                mark = self.push(|text| decimal::push(text, millionths));
            }
        }
        self.marks.push(Mark {
            learner,
            place,
            captured: captured || absent,
            dtime,
            percentage,
            mark,
        });
        Ok(())
    }

    fn push_assessment(&mut self, row: &Row<'_>) -> Result<Assessment> {
        let (subject, outcome, id) = (row.number(2)?, row.number(3)?, row.number(4)?);
        let last = self.assessments.last().copied();
        let (out_of, weight) = (row.number(5)?, row.number(6)?);
        let assessment = Assessment {
            block: (row.number(0)?, row.number(1)?),
            subject,
            outcome,
            id,
            place: self.assessments.len(),
            id_text: self.push_text(itoa::Buffer::new().format(id)),
            released: row.number(11)? != 0,
            out_of,
            // The next assessment often has the same subject and outcome.
            subject_name: match last.filter(|last| last.subject == subject) {
                Some(last) => last.subject_name,
                None => self.push_text(row.text(9)?),
            },
            outcome_name: match last.filter(|last| last.outcome == outcome) {
                Some(last) => last.outcome_name,
                None => self.push_text(row.text(10)?),
            },
            name: self.push_text(row.text(7)?),
            date: self.push_text(row.text(8)?),
            weight: self.push(|text| decimal::push(text, weight)),
            mark_out_of: self.push(|text| decimal::push(text, out_of)),
        };
        self.assessments.push(assessment);
        Ok(assessment)
    }
}

#[cfg(test)]
pub(super) const STATEMENTS: &[&str] = &[
    OF_GRADE,
    OF_LEARNER,
    ONE,
    YEAR,
    GRADE,
    SEATS,
    MARKS_OF_ASSESSMENT,
    MARKS_OF_LEARNER,
];
