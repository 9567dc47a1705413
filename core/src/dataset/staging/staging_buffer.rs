//! The staging buffer. It stores the records of a dataset until the dataset ends, sorted by step,
//! kind and key.
//!
//! The key of an entry consists of its step, its kind and the numbers of the key of the record. The
//! value contains whether the record is stored or removed, its line, and the encoded record.

use crate::dataset::staging::line_values::Line;
use crate::dataset::staging::ordered_numbers;
use crate::date::Date;
use crate::error::{Error, Result};
use crate::record::kinds::mark::Mark;
use crate::record::kinds::{assessment, client_integration, integrator, learner_subject};
use crate::record::storage::Storage;
use crate::record::stored::pre_render;
use crate::record::{Kind, Value};
use crate::store::{Item, ItemBuffer, Layout, Sorted, Sorter};

const REMOVE: u8 = 0;
const PUT: u8 = 1;

/// The order in which kinds are committed. Each step depends on those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LoadStep {
    /// Schools, which other records need.
    Schools,
    Records,
    /// Marks, whose addresses depend on their assessments.
    Marks,
}

impl LoadStep {
    pub(crate) fn for_kind(kind: Kind) -> LoadStep {
        match kind {
            Kind::School => LoadStep::Schools,
            Kind::Mark => LoadStep::Marks,
            _ => LoadStep::Records,
        }
    }
}

/// Stages records.
#[derive(Default)]
pub(crate) struct Stage {
    pub(crate) sorter: Sorter,
    key: Vec<u8>,
    entry: Vec<u8>,
    item: ItemBuffer,
}

impl Stage {
    /// Adds the record of a line. `hash` is the hash of its password.
    pub(crate) fn push(&mut self, number: u64, line: &Line<'_>, hash: Option<&str>) -> Result<()> {
        let name = line.kind.has_username().then(|| line.username());
        let mut words = line.key();
        let key = [(); 5].map(|()| words.next());
        drop(words);
        let count = key.iter().flatten().count();
        let key = key.map(Option::unwrap_or_default);
        encode_key(
            &mut self.key,
            line.kind,
            name,
            key.get(..count).unwrap_or_default(),
        );
        self.entry.clear();
        self.entry.push(if line.deleted { REMOVE } else { PUT });
        let number = Some(number).filter(|_| line.kind.is_checked_at_end());
        ordered_numbers::push(&mut self.entry, number.unwrap_or(0));
        if !line.deleted {
            self.payload(line, hash);
        }
        self.sorter.push(&self.key, &self.entry)
    }

    fn payload(&mut self, line: &Line<'_>, hash: Option<&str>) {
        match line.kind.storage() {
            Storage::Integrators => {
                let given = line
                    .values
                    .get(integrator::PASSWORD_HASH)
                    .map_or("", Value::text);
                self.entry
                    .extend_from_slice(hash.unwrap_or(given).as_bytes());
            }
            Storage::Authorisations => {
                let state = line
                    .values
                    .get(client_integration::STATE)
                    .and_then(Value::integer);
                self.entry.extend(state.map(|state| u8::from(state == 1)));
            }
            Storage::Marks => Mark::from_values(&line.values).encode(&mut self.entry),
            Storage::LearnerSubjects => learner_subject::encode(&line.values, &mut self.entry),
            Storage::Assessments => {
                pre_render::pre_render(line.kind, &line.values, &mut self.item);
                if let Some(place) = assessment::AssessmentPlace::from_values(&line.values) {
                    for number in [place.grade, place.year, place.term] {
                        ordered_numbers::push(&mut self.entry, number);
                    }
                }
                encode_item(&mut self.entry, &self.item.item());
            }
            Storage::Dated { field, .. } => {
                pre_render::pre_render(line.kind, &line.values, &mut self.item);
                let date = line.values.get(field).and_then(Value::date);
                ordered_numbers::push(&mut self.entry, date.map_or(0, Date::number));
                encode_item(&mut self.entry, &self.item.item());
            }
            Storage::Global(_) | Storage::BySchool(_) | Storage::ByGradeAndYear(_) => {
                pre_render::pre_render(line.kind, &line.values, &mut self.item);
                encode_item(&mut self.entry, &self.item.item());
            }
        }
    }
}

/// Returns an entry that removes a record. If it is pushed first, the entry of a line for the same
/// record overrides it.
pub(crate) fn removal(key: &mut Vec<u8>, kind: Kind, name: Option<&str>, words: &[u64]) -> [u8; 2] {
    encode_key(key, kind, name, words);
    [REMOVE, 0]
}

/// Encodes the key of an entry. The numbers are in the order of the addresses: for the subjects of
/// a learner, the year is before the learner, and for marks, the learner is before the assessment.
fn encode_key(key: &mut Vec<u8>, kind: Kind, name: Option<&str>, words: &[u64]) {
    key.clear();
    key.push(LoadStep::for_kind(kind) as u8);
    key.push(kind as u8);
    if let Some(name) = name {
        integrator::push_name(key, name);
    }
    match (kind, words) {
        (Kind::LearnerSubject, [school, learner, year, subject]) => {
            for word in [school, year, learner, subject] {
                ordered_numbers::push(key, *word);
            }
        }
        (Kind::Mark, [school, assessment, learner]) => {
            for word in [school, learner, assessment] {
                ordered_numbers::push(key, *word);
            }
        }
        _ => words
            .iter()
            .for_each(|word| ordered_numbers::push(key, *word)),
    }
}

/// Encodes an item with all its filter columns and columns.
pub(crate) fn encode_item(out: &mut Vec<u8>, item: &Item<'_>) {
    out.extend_from_slice(&item.presence.to_le_bytes());
    for (column, number) in item.filter_columns.iter().enumerate() {
        if item.presence >> column & 1 == 1 {
            ordered_numbers::push(out, *number);
        }
    }
    for column in item.columns {
        ordered_numbers::push(out, column.len() as u64);
        out.extend_from_slice(column);
    }
}

/// Decodes an item with all its filter columns and columns.
pub(crate) fn decode_item(mut bytes: &[u8], item: &mut ItemBuffer) -> Result<()> {
    let cut = || Error::corrupt("a staged record is truncated");
    item.clear();
    let (presence, rest) = bytes.split_first_chunk().ok_or_else(cut)?;
    let presence = u16::from_le_bytes(*presence);
    bytes = rest;
    for column in 0..Layout::MAX_FILTER_COLUMNS {
        if presence >> column & 1 == 1 {
            item.set_filter_column(column, Some(ordered_numbers::take(&mut bytes)?));
        }
    }
    for column in &mut item.columns {
        let length = usize::try_from(ordered_numbers::take(&mut bytes)?).map_err(|_| cut())?;
        let (taken, rest) = bytes.split_at_checked(length).ok_or_else(cut)?;
        column.extend_from_slice(taken);
        bytes = rest;
    }
    Ok(())
}

/// Reads the staged records in order.
pub(crate) struct Staged<'t> {
    sorted: Sorted<'t>,
    /// The encoded key of the current record. `head` is the same key decoded.
    raw: Vec<u8>,
    head: Option<StagedHead>,
    /// Whether `raw` and `head` are those of the current record.
    is_decoded: bool,
    /// The value of the last entry that was read.
    entry: Vec<u8>,
}

/// The decoded key of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StagedHead {
    pub(crate) kind: Kind,
    pub(crate) name: String,
    words: [u64; 5],
    count: usize,
}

impl StagedHead {
    /// Returns the numbers of the key, in the order of its fields.
    pub(crate) fn words(&self) -> &[u64] {
        self.words.get(..self.count).unwrap_or_default()
    }

    /// Returns the school of the record, if its kind belongs to schools.
    pub(crate) fn school(&self) -> Option<u64> {
        let school = self.kind.is_of_school().then(|| self.words().first());
        school.flatten().copied()
    }

    fn decode(raw: &[u8]) -> Result<StagedHead> {
        let damaged = || Error::corrupt("a staged key is damaged");
        let ([_, kind], mut rest) = raw.split_first_chunk().ok_or_else(damaged)?;
        let kind = Kind::numbered(*kind).ok_or_else(damaged)?;
        let mut name = String::new();
        if kind.has_username() {
            (name, rest) = integrator::split_name(rest).ok_or_else(damaged)?;
        }
        let mut words = [0; 5];
        let mut count = 0;
        for word in &mut words {
            if rest.is_empty() {
                break;
            }
            *word = ordered_numbers::take(&mut rest)?;
            count += 1;
        }
        if matches!(kind, Kind::LearnerSubject | Kind::Mark) {
            words.swap(1, 2);
        }
        Ok(StagedHead {
            kind,
            name,
            words,
            count,
        })
    }
}

/// The decoded value of an entry.
pub(crate) struct StagedLine<'a> {
    /// The number of the line, if its kind is checked at the end; otherwise 0.
    pub(crate) line: u64,
    /// The encoded record, or `None` if it is removed.
    pub(crate) put: Option<&'a [u8]>,
}

impl<'a> StagedLine<'a> {
    fn decode(entry: &'a [u8]) -> Result<StagedLine<'a>> {
        let damaged = || Error::corrupt("a staged entry is damaged");
        let (operation, mut payload) = entry.split_first().ok_or_else(damaged)?;
        let line = ordered_numbers::take(&mut payload)?;
        let put = (*operation == PUT).then_some(payload);
        Ok(StagedLine { line, put })
    }
}

impl<'t> Staged<'t> {
    pub(crate) fn new(sorted: Sorted<'t>) -> Staged<'t> {
        Staged {
            sorted,
            raw: Vec::new(),
            head: None,
            is_decoded: false,
            entry: Vec::new(),
        }
    }

    /// Returns the key of the current record.
    pub(crate) fn head(&mut self) -> Result<Option<&StagedHead>> {
        if !self.is_decoded {
            self.head = match self.sorted.current()? {
                Some((key, _)) => {
                    key.clone_into(&mut self.raw);
                    Some(StagedHead::decode(key)?)
                }
                None => None,
            };
            self.is_decoded = true;
        }
        Ok(self.head.as_ref())
    }

    /// Returns the last entry of the current record, and advances to the next record.
    pub(crate) fn take(&mut self) -> Result<StagedLine<'_>> {
        self.each(|_| Ok(()))?;
        StagedLine::decode(&self.entry)
    }

    /// Passes each entry of the current record to `each`, in the order of the lines, and advances
    /// to the next record.
    pub(crate) fn each(
        &mut self,
        mut each: impl FnMut(StagedLine<'_>) -> Result<()>,
    ) -> Result<()> {
        self.head()?;
        while let Some((key, entry)) = self.sorted.current()? {
            if key != self.raw {
                break;
            }
            each(StagedLine::decode(entry)?)?;
            entry.clone_into(&mut self.entry);
            self.sorted.advance();
        }
        self.is_decoded = false;
        Ok(())
    }
}
