//! A school as rows of finished JSON, which are extracted from the engine's answers, and the data
//! that filters need.
//!
//! - `facts`: the data for filters. `marks`: splits assessment marks. `answers`: joins rows.

mod answers;
mod facts;
mod marks;

pub(super) use answers::{MarksAnswer, OutcomeFilter, Place, array, push_family, push_row};

use crate::ask::NOW;
use crate::request::fetch;
use crate::schools::Schools;
use anyhow::{Context, Result, bail};
use facts::Facts;
use rollbook::Engine;
use rollbook_tests::sample::SampleSchool;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// A date as a number: 20260611.
pub(super) type Day = u64;

/// Returns a date as a number.
pub(super) fn day(date: &str) -> Result<Day> {
    let digits = date.bytes().filter(u8::is_ascii_digit);
    match date.len() {
        10 => Ok(digits.fold(0, |day, digit| day * 10 + Day::from(digit - b'0'))),
        _ => bail!("{date:?} is no date"),
    }
}

/// The status of a learner who is at the school.
pub(super) const CURRENT: u64 = 0;
/// The status of a learner who has left.
pub(super) const LEFT: u64 = 1;
/// The status of a learner on the waiting list.
pub(super) const WAITLIST: u64 = 2;

/// The tables of a store. Each has its own order.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Table {
    Learners,
    Parents,
    Absentees,
    LearnerSubjects,
    SubjectsPerTerm,
    SubjectMarks,
    Marks,
    /// The current year of each school.
    Schools,
    /// The parts that all assessment marks of a grade share.
    Sheets,
    /// The grades and terms in which a learner has marks, for stores without an index.
    MarkPlaces,
}

impl Table {
    /// The number of tables.
    pub(super) const COUNT: usize = Table::MarkPlaces as usize + 1;

    /// Returns the name of the table.
    pub(super) fn name(self) -> &'static str {
        match self {
            Table::Learners => "learner",
            Table::Parents => "parent",
            Table::Absentees => "absentee",
            Table::LearnerSubjects => "learner_subject",
            Table::SubjectsPerTerm => "subject_per_term",
            Table::SubjectMarks => "subject_mark",
            Table::Marks => "mark",
            Table::Schools => "school",
            Table::Sheets => "sheet",
            Table::MarkPlaces => "mark_place",
        }
    }
}

/// Finished JSON with its key and its filter values.
pub(super) struct Row<'a> {
    pub(super) table: Table,
    /// The school; for subjects and marks also the year; for assessment marks also the grade and
    /// the term.
    pub(super) partition: &'a [u64],
    /// One or two numbers, which ascend within the partition.
    pub(super) key: &'a [u64],
    /// The filter values. For a learner: status, grade, family, day of transfer, parents. For a
    /// learner's subject: the learner's status.
    pub(super) tags: &'a [Option<u64>],
    /// The name of a learner: the first name, a space, and the last name, folded.
    pub(super) name: &'a str,
    pub(super) json: &'a str,
}

/// A callback that receives rows.
pub(super) type Sink<'a> = dyn FnMut(&Row<'_>) -> Result<()> + 'a;

/// The parts that all assessment marks of a grade share.
pub(super) struct Sheet {
    pub(super) grade: u64,
    /// The beginning of the answer, from the grade to its terms.
    pub(super) heading: String,
    /// The programmes by term, then subject.
    pub(super) programmes: Vec<Programme>,
}

/// A subject that is taught to a grade in a term.
pub(super) struct Programme {
    pub(super) term: u64,
    pub(super) subject: u64,
    /// The day on which its marks are released, if there is one.
    pub(super) release: Option<Day>,
}

/// A school whose rows are rendered during the iteration.
pub(super) struct Rendered<'a> {
    engine: &'a Engine,
    facts: Facts,
    pub(super) school: u64,
    /// The current year, which is the year of all records.
    pub(super) year: u64,
    /// The sheets of every grade that has assessments.
    pub(super) sheets: Vec<Sheet>,
}

impl<'a> Rendered<'a> {
    /// Creates the iteration of a school that the engine has loaded.
    pub(super) fn new(schools: &'a Schools, school: &SampleSchool) -> Result<Rendered<'a>> {
        let facts = Facts::new(school)?;
        Ok(Rendered {
            engine: &schools.engine,
            school: school.school_id,
            year: facts.year,
            sheets: facts.sheets()?,
            facts,
        })
    }

    /// Calls `each` for all rows: table by table, in the order of their keys.
    pub(super) fn each_row(&self, each: &mut Sink<'_>) -> Result<()> {
        self.learners(each)?;
        self.absentees(each)?;
        for (table, collection) in [
            (Table::LearnerSubjects, "learnersubjects"),
            (Table::SubjectsPerTerm, "learnersubjectsperterm"),
            (Table::SubjectMarks, "learnersubjectmarks"),
        ] {
            self.subjects(table, collection, each)?;
        }
        self.marks(each)
    }

    /// Calls `each` for the learners of all statuses, then for their parents.
    fn learners(&self, each: &mut Sink<'_>) -> Result<()> {
        let partition = [self.school];
        let mut parents = BTreeMap::new();
        for (&id, learner) in &self.facts.learners {
            let request = format!("adminplus/learners/{}{}", self.school, learner.request);
            let answer = self.fetch(&request)?;
            let [json]: [&RawValue; 1] = serde_json::from_slice(&answer)?;
            each(&Row {
                table: Table::Learners,
                partition: &partition,
                key: &[id],
                tags: &learner.tags,
                name: &learner.name,
                json: json.get(),
            })?;
            let answer = self.fetch(&format!("{request}&include_parents=1"))?;
            let [family]: [Family<'_>; 1] = serde_json::from_slice(&answer)?;
            for parent in family.parents {
                let id = serde_json::from_str::<Id<'_>>(parent.get())?.id;
                parents.insert(number(id)?, parent.get().to_owned());
            }
        }
        for (id, json) in &parents {
            each(&Row {
                table: Table::Parents,
                partition: &partition,
                key: &[*id],
                tags: &[],
                name: "",
                json,
            })?;
        }
        Ok(())
    }

    fn absentees(&self, each: &mut Sink<'_>) -> Result<()> {
        let school = self.school;
        for date in &self.facts.absent {
            let answer = self.fetch(&format!(
                "adminplus/learnerabsentees/{school}?from_date={date}&to_date={date}"
            ))?;
            for row in serde_json::from_slice::<Vec<&RawValue>>(&answer)? {
                let id = number(serde_json::from_str::<Id<'_>>(row.get())?.id)?;
                each(&Row {
                    table: Table::Absentees,
                    partition: &[school],
                    key: &[day(date)?, id],
                    tags: &[],
                    name: "",
                    json: row.get(),
                })?;
            }
        }
        Ok(())
    }

    /// Calls `each` for the data of the learners' subjects.
    fn subjects(&self, table: Table, collection: &str, each: &mut Sink<'_>) -> Result<()> {
        let school = self.school;
        for (&id, learner) in &self.facts.learners {
            let answer = self.fetch(&format!("currplus/{collection}/{school}?learner_id={id}"))?;
            if answer.is_empty() {
                continue;
            }
            let tags = match table {
                Table::LearnerSubjects => learner.tags.get(..1).unwrap_or_default(),
                _ => &[],
            };
            for row in serde_json::from_slice::<Vec<&RawValue>>(&answer)? {
                let subject: SubjectId<'_> = serde_json::from_str(row.get())?;
                each(&Row {
                    table,
                    partition: &[school, self.year],
                    key: &[id, number(subject.subject_id.get())?],
                    tags,
                    name: "",
                    json: row.get(),
                })?;
            }
        }
        Ok(())
    }

    /// Calls `each` for the assessment marks, released or not.
    fn marks(&self, each: &mut Sink<'_>) -> Result<()> {
        for Sheet {
            grade, programmes, ..
        } in &self.sheets
        {
            for programmes in programmes.chunk_by(|a, b| a.term == b.term) {
                let term = programmes.first().map_or(0, |first| first.term);
                let answer = self.fetch(&format!(
                    "currplus/learnerassessmentmarks/{}?grade_id={grade}&term={term}",
                    self.school
                ))?;
                if !answer.is_empty() {
                    marks::each_row(&answer, [self.school, self.year], each)?;
                }
            }
        }
        Ok(())
    }

    /// Returns an answer at a time when all marks are released.
    fn fetch(&self, path: &str) -> Result<Vec<u8>> {
        fetch(self.engine, path, NOW)
    }
}

/// Parses an id of an answer, with quotes or without.
fn number(id: &str) -> Result<u64> {
    id.trim_matches('"').parse().context("an id is no number")
}

#[derive(Deserialize)]
struct Id<'a> {
    id: &'a str,
}

#[derive(Deserialize)]
struct SubjectId<'a> {
    #[serde(borrow)]
    subject_id: &'a RawValue,
}

#[derive(Deserialize)]
struct Family<'a> {
    #[serde(borrow)]
    parents: Vec<&'a RawValue>,
}
