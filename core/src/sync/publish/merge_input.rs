//! Collects the stored and the fetched records of a school, and groups them by record.

use super::completeness::{Relations, is_complete_for};
use super::record_merge::RecordForm;
use crate::dataset;
use crate::error::{Error, Result};
use crate::record::kinds::assessment::AssessmentPlace;
use crate::record::{Kind, Value};
use crate::store::{Sorted, Sorter, Write};
use crate::sync::fetched_records::has_same_fields;
use crate::sync::fetched_records::{FetchedRecord, FetchedRecords, Fields, RecordState};
use crate::sync::resources::resource::Selection;
use crate::sync::resources::resource_request::ResourceRequest;
use std::collections::{BTreeSet, HashMap, HashSet};

/// The size of the rows in memory, in bytes, beyond which they are written to the store.
const ROWS_BYTES: usize = 4 << 20;

/// The number in a row that marks the stored record instead of an answer.
const STORED: u32 = u32::MAX;

/// Stored and fetched records, sorted so that a record follows those that its merge depends on.
#[derive(Default)]
pub(crate) struct MergeInput {
    sorter: Sorter,
    key: Vec<u8>,
    row: Vec<u8>,
    /// The ids of the fetched assessments.
    assessments: BTreeSet<u64>,
    /// The numbers of the answers that contain records of a kind which could not be identified.
    pub(crate) unidentified: BTreeSet<(u32, Kind)>,
}

impl MergeInput {
    /// Adds the fetched records of an answer. Answers must be added in the order in which they were
    /// requested.
    pub(crate) fn add_fetched(
        &mut self,
        write: &mut Write<'_>,
        number: u32,
        fetched: &FetchedRecords,
        school: u64,
    ) -> Result<()> {
        for record in fetched.records(school) {
            let record = record?;
            if record.state == RecordState::Unidentified {
                self.unidentified.insert((number, record.kind));
                continue;
            }
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

    /// Adds the stored records, after all fetched ones. Stored marks are read for the given grades
    /// and years, and for those of the fetched assessments, because an assessment that moves takes
    /// its marks along.
    pub(crate) fn add_stored(
        &mut self,
        write: &mut Write<'_>,
        school: u64,
        mut marks_of: BTreeSet<(u64, u64)>,
    ) -> Result<()> {
        marks_of.extend(dataset::places_of(write, school, &self.assessments)?);
        let rows = std::cell::RefCell::new(self);
        let mut each =
            |kind: Kind, values: &[Value<'_>]| rows.borrow_mut().add_stored_record(kind, values);
        let mut between = |write: &mut Write<'_>| rows.borrow_mut().spill(write);
        dataset::each_stored(write, school, &marks_of, &mut each, &mut between)
    }

    fn add_stored_record(&mut self, kind: Kind, values: &[Value<'_>]) -> Result<()> {
        self.set_key(kind, values);
        let is_of_school = kind == Kind::School || kind.is_of_school();
        let mut encoded = FetchedRecords::default();
        encoded.push(kind, Fields::MAX << u64::from(is_of_school), values);
        self.row.clear();
        self.row.extend_from_slice(&STORED.to_le_bytes());
        self.row.extend_from_slice(encoded.bytes());
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
            write.spill(&mut self.sorter, "fetched")?;
        }
        Ok(())
    }

    /// Returns the records in sorted order.
    pub(crate) fn sorted<'t>(self, write: &mut Write<'t>) -> Result<RowsByRecord<'t>> {
        Ok(RowsByRecord {
            sorted: write.sorted(self.sorter)?,
            rows: Vec::new(),
        })
    }
}

/// Returns the position of a kind in the sort order. A record is sorted after the records that
/// determine whether it remains.
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

pub(crate) struct RowsByRecord<'t> {
    sorted: Sorted<'t>,
    /// The rows of the current record: the number of the answer, and its bytes.
    rows: Vec<(u32, Vec<u8>)>,
}

/// One record: its stored values, and the values in each answer.
pub(crate) struct MergeRow<'r> {
    pub(crate) kind: Kind,
    pub(crate) stored: Option<Vec<Value<'r>>>,
    pub(crate) fetched: Vec<(u32, FetchedRecord<'r>)>,
}

impl MergeRow<'_> {
    /// Returns whether the record is stored, or an answer has its values.
    pub(crate) fn has_values(&self) -> bool {
        let mut fetched = self.fetched.iter();
        self.stored.is_some() || fetched.any(|(_, fetched)| fetched.state == RecordState::Read)
    }

    /// Returns the key of the record.
    pub(crate) fn key(&self) -> Vec<u64> {
        let fetched = self.fetched.first().map(|(_, fetched)| &fetched.values);
        let values = self.stored.as_ref().or(fetched);
        let fields = self.kind.fields().iter().zip(values.into_iter().flatten());
        let key = fields.filter(|(field, _)| field.is_key());
        key.filter_map(|(_, value)| value.integer()).collect()
    }
}

impl RowsByRecord<'_> {
    /// Returns the next record.
    pub(crate) fn next(&mut self, school: u64) -> Result<Option<MergeRow<'_>>> {
        self.rows.clear();
        let mut of: Option<Vec<u8>> = None;
        while let Some((key, row)) = self.sorted.current()? {
            if *of.get_or_insert_with(|| key.to_vec()) != key {
                break;
            }
            let (number, record) = row.split_first_chunk().ok_or_else(cut)?;
            let row = (u32::from_le_bytes(*number), record.to_vec());
            // If an answer contains a record several times with the same fields, the last one counts.
            match self.rows.last_mut() {
                Some(last) if last.0 == row.0 && has_same_fields(&last.1, &row.1) => *last = row,
                _ => self.rows.push(row),
            }
            self.sorted.advance();
        }
        let mut stored = None;
        let mut fetched = Vec::new();
        let mut kind = None;
        for (number, bytes) in &self.rows {
            let record = FetchedRecord::read(bytes, school)?;
            kind = Some(record.kind);
            if *number == STORED {
                stored = Some(record.values);
            } else {
                fetched.push((*number, record));
            }
        }
        Ok(kind.map(|kind| MergeRow {
            kind,
            stored,
            fetched,
        }))
    }
}

fn cut() -> crate::error::Failure {
    Error::corrupt("a row of fetched records is truncated")
}

/// The completeness domains of all published answers.
pub(crate) struct Domains {
    requests: Vec<ResourceRequest>,
    year: u64,
    by_learner: HashMap<u64, Vec<u32>>,
    by_grade: HashMap<u64, Vec<u32>>,
    others: Vec<u32>,
    /// The answers with records of a kind that could not be identified.
    unidentified: HashSet<(ResourceRequest, Kind)>,
}

impl Domains {
    /// Groups the requests for fast lookup. If `are_all_synced` is true, all schools of the store
    /// are synced from the service, so that the lists that are the same for all schools are
    /// complete. `unidentified` contains the numbers of the answers with records of a kind that
    /// could not be identified.
    pub(crate) fn new(
        requests: Vec<ResourceRequest>,
        year: u64,
        are_all_synced: bool,
        unidentified: &BTreeSet<(u32, Kind)>,
    ) -> Domains {
        let (mut by_learner, mut by_grade) = <(HashMap<_, Vec<_>>, HashMap<_, Vec<_>>)>::default();
        let mut others = Vec::new();
        for (number, request) in (0..).zip(&requests) {
            let of = match request.spec().scope {
                Selection::Learner => by_learner.entry(request.id).or_default(),
                Selection::Grade => by_grade.entry(request.id).or_default(),
                Selection::AllSchools if !are_all_synced => continue,
                _ => &mut others,
            };
            of.push(number);
        }
        let request_of = |number: u32| requests.get(usize::try_from(number).ok()?).copied();
        let unidentified = unidentified.iter();
        let unidentified =
            unidentified.filter_map(|(number, kind)| Some((request_of(*number)?, *kind)));
        Domains {
            unidentified: unidentified.collect(),
            requests,
            year,
            by_learner,
            by_grade,
            others,
        }
    }

    /// Returns the published requests whose answers include the parents of learners.
    pub(crate) fn with_parents(&self) -> impl Iterator<Item = ResourceRequest> {
        let requests = self.requests.iter().copied();
        requests.filter(|request| request.has_parents())
    }

    /// Returns whether all records of a kind in an answer could be identified.
    pub(crate) fn has_identified_all(&self, request: ResourceRequest, kind: Kind) -> bool {
        !self.unidentified.contains(&(request, kind))
    }

    /// Returns whether a record was left out of an answer of the same source, or may be a record
    /// that could not be identified. An answer then does not show that the record no longer exists.
    fn may_be_left_out(&self, row: &MergeRow<'_>, request: ResourceRequest) -> bool {
        let has_source = |other: ResourceRequest| other.spec().source == request.spec().source;
        // A record of one learner or grade seldom moves to another one.
        let is_of_one = matches!(request.spec().scope, Selection::Learner | Selection::Grade);
        let mut fetched = row.fetched.iter();
        let mut unidentified = self.unidentified.iter();
        fetched.any(|(number, fetched)| {
            fetched.state == RecordState::LeftOut && self.request(*number).is_some_and(has_source)
        }) || unidentified.any(|(other, kind)| {
            *kind == row.kind && has_source(*other) && (!is_of_one || other.id == request.id)
        })
    }

    /// Returns the learner whose subjects an answer contains.
    pub(crate) fn learner_of(&self, number: u32) -> Option<u64> {
        let request = self.request(number)?;
        (request.spec().scope == Selection::Learner).then_some(request.id)
    }

    /// Returns the grades and years whose marks an answer contains completely.
    pub(crate) fn marks_of(&self) -> BTreeSet<(u64, u64)> {
        let requests = self.requests.iter();
        requests
            .filter_map(|request| self.grade_and_year(*request))
            .collect()
    }

    /// Returns the grade and year whose marks an answer contains.
    fn grade_and_year(&self, request: ResourceRequest) -> Option<(u64, u64)> {
        let is_of_grade = request.spec().scope == Selection::Grade;
        is_of_grade.then(|| (request.id, request.year.unwrap_or(self.year)))
    }

    /// Returns what each answer shows about a record: its values, or that the service has no such
    /// record. An answer from which the record was left out shows nothing. An answer for one grade
    /// and year shows nothing about a mark whose assessment belongs to another grade or year,
    /// because it was read before the assessment moved.
    pub(crate) fn forms_of<'a>(
        &self,
        row: &MergeRow<'a>,
        relations: Relations,
    ) -> Vec<RecordForm<'a>> {
        let mut forms: Vec<(u32, RecordForm<'a>)> = Vec::new();
        for (number, fetched) in &row.fetched {
            let is_elsewhere = |request: &ResourceRequest| {
                let (of, at) = (self.grade_and_year(*request), relations.at);
                of.zip(at).is_some_and(|(of, at)| (at.grade, at.year) != of)
            };
            if let Some(request) = self
                .request(*number)
                .filter(|request| !is_elsewhere(request))
                && matches!(fetched.state, RecordState::Read | RecordState::Emptied)
            {
                let values = Some(fetched.clone());
                forms.push((*number, RecordForm { request, values }));
            }
        }
        if let Some(values) = &row.stored {
            let word = |field: usize| values.get(field).and_then(Value::integer);
            let (learner, grade) = match row.kind {
                Kind::LearnerSubject => (word(1), None),
                Kind::LearningProgram => (None, word(1)),
                Kind::Assessment => (
                    None,
                    AssessmentPlace::from_values(values).map(|at| at.grade),
                ),
                Kind::Mark => (None, relations.at.map(|at| at.grade)),
                _ => (None, None),
            };
            let of_learner = learner.and_then(|learner| self.by_learner.get(&learner));
            let of_grade = grade.and_then(|grade| self.by_grade.get(&grade));
            let candidates = of_learner.into_iter().chain(of_grade).flatten();
            for number in candidates.chain(&self.others) {
                let is_fetched = row.fetched.iter().any(|(of, _)| of == number);
                if let Some(request) = self.request(*number)
                    && !is_fetched
                    && is_complete_for(request, self.year, row.kind, values, relations)
                    && !self.may_be_left_out(row, request)
                {
                    forms.push((*number, RecordForm::absent(request)));
                }
            }
        }
        // The values of any answer take precedence over a field that is empty because its value
        // could not be used.
        let is_emptied = |form: &RecordForm<'_>| {
            let values = form.values.as_ref();
            values.is_some_and(|values| values.state == RecordState::Emptied)
        };
        forms.sort_by_key(|(number, form)| (!is_emptied(form), *number));
        forms.into_iter().map(|(_, form)| form).collect()
    }

    fn request(&self, number: u32) -> Option<ResourceRequest> {
        self.requests.get(usize::try_from(number).ok()?).copied()
    }
}
