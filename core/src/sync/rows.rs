//! What is kept and what was told of a school, record by record.

use super::ask::Ask;
use super::domain::is_whole_over;
use super::merge::Said;
use super::told::{Fields, Told, ToldRecord};
use crate::dataset::{self, Kept};
use crate::error::{Error, Result};
use crate::record::assessment::Belongs;
use crate::record::{Kind, Value};
use crate::store::{Sorted, Sorter, Write};
use std::collections::{BTreeSet, HashMap};

/// How many bytes of rows stay in memory; the rest goes to the store.
const ROWS_BYTES: usize = 4 << 20;

/// Stands in a row for no answer: it is what is kept.
const KEPT: u32 = u32::MAX;

/// Rows by record: first those that others lean on.
#[derive(Default)]
pub(super) struct Rows {
    sorter: Sorter,
    key: Vec<u8>,
    row: Vec<u8>,
    /// The assessments that were told.
    assessments: BTreeSet<u64>,
}

impl Rows {
    /// Adds what an answer told; answers come in the order in which they were asked.
    pub(super) fn tell(
        &mut self,
        write: &mut Write<'_>,
        number: u32,
        told: &Told,
        school: u64,
    ) -> Result<()> {
        for record in told.records(school) {
            let record = record?;
            if record.kind == Kind::Assessment {
                let id = record.values.get(1).and_then(Value::integer);
                self.assessments.extend(id);
            }
            self.set_key(record.kind, &record.values);
            self.row.clear();
            self.row.extend_from_slice(&number.to_le_bytes());
            self.row.extend_from_slice(record.bytes);
            self.sorter.push(&self.key, &self.row)?;
        }
        self.spill(write)
    }

    /// Adds what is kept, after all that was told: an assessment that was told elsewhere
    /// takes its marks along.
    pub(super) fn keep(
        &mut self,
        write: &mut Write<'_>,
        school: u64,
        mut marks_of: BTreeSet<(u64, u64)>,
    ) -> Result<()> {
        marks_of.extend(dataset::places_of(write, school, &self.assessments)?);
        let rows = std::cell::RefCell::new(self);
        let mut each = |kept: Kept<'_>| rows.borrow_mut().keep_one(kept, school);
        let mut between = |write: &mut Write<'_>| rows.borrow_mut().spill(write);
        dataset::each_kept(write, school, &marks_of, &mut each, &mut between)
    }

    fn keep_one(&mut self, kept: Kept<'_>, school: u64) -> Result<()> {
        let mut told = Told::default();
        match kept {
            Kept::Record(kind, values) => {
                self.set_key(kind, &values);
                let is_of_school = kind == Kind::School || kind.is_of_school();
                told.push(kind, Fields::MAX << u64::from(is_of_school), &values);
            }
            Kept::Mark {
                assessment,
                learner,
                mark,
            } => {
                let key = [school, assessment, learner].map(Value::Integer);
                self.set_key(Kind::Mark, &key);
                told.push_mark(assessment, learner, &mark);
            }
        }
        self.row.clear();
        self.row.extend_from_slice(&KEPT.to_le_bytes());
        self.row.extend_from_slice(told.bytes());
        self.sorter.push_first(&self.key, &self.row)
    }

    fn set_key(&mut self, kind: Kind, values: &[Value<'_>]) {
        self.key.clear();
        self.key.extend([order(kind), kind as u8]);
        let fields = kind.fields().iter().zip(values);
        for (_, value) in fields.filter(|(field, _)| field.is_key()) {
            let word = value.integer().unwrap_or_default();
            self.key.extend_from_slice(&word.to_be_bytes());
        }
    }

    fn spill(&mut self, write: &mut Write<'_>) -> Result<()> {
        if self.sorter.bytes() > ROWS_BYTES {
            write.spill(&mut self.sorter, "told")?;
        }
        Ok(())
    }

    /// The records in order.
    pub(super) fn sorted<'t>(self, write: &mut Write<'t>) -> Result<RowsByRecord<'t>> {
        Ok(RowsByRecord {
            sorted: write.sorted(self.sorter)?,
            rows: Vec::new(),
        })
    }
}

/// A record comes after those that lead to it.
fn order(kind: Kind) -> u8 {
    match kind {
        Kind::School => 0,
        Kind::Learner => 1,
        Kind::Parent
        | Kind::Year
        | Kind::Term
        | Kind::Grade
        | Kind::Subject
        | Kind::LearningOutcome => 3,
        Kind::Mark => 4,
        _ => 2,
    }
}

pub(super) struct RowsByRecord<'t> {
    sorted: Sorted<'t>,
    /// The rows of the record at hand: whose they are, and what they tell.
    rows: Vec<(u32, Vec<u8>)>,
}

/// One record: what is kept of it, and what each answer tells.
pub(super) struct Row<'r> {
    pub(super) kind: Kind,
    pub(super) kept: Option<Vec<Value<'r>>>,
    pub(super) told: Vec<(u32, ToldRecord<'r>)>,
}

impl RowsByRecord<'_> {
    /// The next record.
    pub(super) fn next(&mut self, school: u64) -> Result<Option<Row<'_>>> {
        self.rows.clear();
        let mut of: Option<Vec<u8>> = None;
        while let Some((key, row)) = self.sorted.current()? {
            if *of.get_or_insert_with(|| key.to_vec()) != key {
                break;
            }
            let (number, told) = row.split_first_chunk().ok_or_else(cut)?;
            self.rows.push((u32::from_le_bytes(*number), told.to_vec()));
            self.sorted.advance();
        }
        let mut kept = None;
        let mut told = Vec::new();
        let mut kind = None;
        for (number, bytes) in &self.rows {
            let record = ToldRecord::read(bytes, school)?;
            kind = Some(record.kind);
            if *number == KEPT {
                kept = Some(record.values);
            } else {
                told.push((*number, record));
            }
        }
        Ok(kind.map(|kind| Row { kind, kept, told }))
    }
}

fn cut() -> crate::error::Failure {
    Error::corrupt("a row of what was told is cut")
}

/// Which answers are whole over which records.
pub(super) struct Domains {
    asks: Vec<Ask>,
    year: u64,
    by_learner: HashMap<u64, Vec<u32>>,
    by_grade: HashMap<u64, Vec<u32>>,
    others: Vec<u32>,
}

impl Domains {
    /// `is_alone`: there is no other school.
    pub(super) fn of(asks: Vec<Ask>, year: u64, is_alone: bool) -> Domains {
        let (mut by_learner, mut by_grade) = (HashMap::new(), HashMap::new());
        let mut others = Vec::new();
        for (number, ask) in (0..).zip(&asks) {
            match ask {
                Ask::SubjectsPerTerm(learner) | Ask::SubjectMarks(learner) => {
                    by_learner
                        .entry(*learner)
                        .or_insert_with(Vec::new)
                        .push(number);
                }
                Ask::Marks { grade, .. } => {
                    by_grade.entry(*grade).or_insert_with(Vec::new).push(number);
                }
                Ask::Lookup(_) if !is_alone => {}
                _ => others.push(number),
            }
        }
        Domains {
            asks,
            year,
            by_learner,
            by_grade,
            others,
        }
    }

    /// The grades and years whose marks an answer is whole over.
    pub(super) fn marks_of(&self) -> BTreeSet<(u64, u64)> {
        let asks = self.asks.iter().filter_map(|ask| match ask {
            Ask::Marks { grade, year, .. } => Some((*grade, year.unwrap_or(self.year))),
            _ => None,
        });
        asks.collect()
    }

    /// What all answers say of a record: what they tell, or that it is not there. `at` is
    /// where the assessment of a mark lies.
    pub(super) fn said<'a>(&self, row: &Row<'a>, at: Option<Belongs>) -> Vec<Said<'a>> {
        let mut said: Vec<(u32, Said<'a>)> = Vec::new();
        for (number, told) in &row.told {
            if let Some(ask) = self.ask(*number) {
                let told = Some(told.clone());
                said.push((*number, Said { ask, told }));
            }
        }
        if let Some(values) = &row.kept {
            let word = |field: usize| values.get(field).and_then(Value::integer);
            let (learner, grade) = match row.kind {
                Kind::LearnerSubject => (word(1), None),
                Kind::LearningProgram => (None, word(1)),
                Kind::Assessment => (None, Belongs::of(values).map(|at| at.grade)),
                Kind::Mark => (None, at.map(|at| at.grade)),
                _ => (None, None),
            };
            let of_learner = learner.and_then(|learner| self.by_learner.get(&learner));
            let of_grade = grade.and_then(|grade| self.by_grade.get(&grade));
            let near = of_learner.into_iter().chain(of_grade).flatten();
            for number in near.chain(&self.others) {
                let is_told = row.told.iter().any(|(of, _)| of == number);
                if let Some(ask) = self.ask(*number)
                    && !is_told
                    && is_whole_over(ask, self.year, row.kind, values, at)
                {
                    let told = None;
                    said.push((*number, Said { ask, told }));
                }
            }
        }
        said.sort_by_key(|(number, _)| *number);
        said.into_iter().map(|(_, said)| said).collect()
    }

    fn ask(&self, number: u32) -> Option<Ask> {
        self.asks.get(usize::try_from(number).ok()?).copied()
    }
}
