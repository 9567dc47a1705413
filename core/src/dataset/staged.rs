//! Records of a dataset, staged until its end: sorted by kind and key.
//!
//! The key of an entry is its step, its kind and the numbers of its key; its value says
//! whether the record goes or comes, on which line, and what is kept of it.

use super::line::Line;
use super::ordered;
use crate::date::Date;
use crate::error::{Error, Result};
use crate::record::mark::Mark;
use crate::record::storage::Storage;
use crate::record::{
    Kind, Value, assessment, bake, client_integration, integrator, learner_subject,
};
use crate::store::{Item, ItemBuffer, Layout, Sorted, Sorter};

const REMOVE: u8 = 0;
const PUT: u8 = 1;

/// When the records of a kind are carried out: each leans on those before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Step {
    /// Schools, which others need to be there.
    Schools,
    Records,
    /// Marks, which lie where their assessments do.
    Marks,
}

impl Step {
    pub(crate) fn of(kind: Kind) -> Step {
        match kind {
            Kind::School => Step::Schools,
            Kind::Mark => Step::Marks,
            _ => Step::Records,
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
    /// Adds a record as a line gives it. `hash` is that of the line's password.
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
        ordered::push(&mut self.entry, number.unwrap_or(0));
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
            Storage::Marks => Mark::of(&line.values).encode(&mut self.entry),
            Storage::LearnerSubjects => learner_subject::encode(&line.values, &mut self.entry),
            Storage::Assessments => {
                bake::bake(line.kind, &line.values, &mut self.item);
                if let Some(belongs) = assessment::Belongs::of(&line.values) {
                    for number in [belongs.grade, belongs.year, belongs.term] {
                        ordered::push(&mut self.entry, number);
                    }
                }
                encode_item(&mut self.entry, &self.item.item());
            }
            Storage::Dated { field, .. } => {
                bake::bake(line.kind, &line.values, &mut self.item);
                let date = line.values.get(field).and_then(Value::date);
                ordered::push(&mut self.entry, date.map_or(0, Date::number));
                encode_item(&mut self.entry, &self.item.item());
            }
            Storage::Global(_) | Storage::BySchool(_) | Storage::ByGradeAndYear(_) => {
                bake::bake(line.kind, &line.values, &mut self.item);
                encode_item(&mut self.entry, &self.item.item());
            }
        }
    }
}

/// The entry that removes a record if nothing else of the dataset names it.
pub(crate) fn removal(key: &mut Vec<u8>, kind: Kind, name: Option<&str>, words: &[u64]) -> [u8; 2] {
    encode_key(key, kind, name, words);
    [REMOVE, 0]
}

/// The order of a learner's subjects is that of their partitions: by year before
/// learner. Marks come by learner, as they lie.
fn encode_key(key: &mut Vec<u8>, kind: Kind, name: Option<&str>, words: &[u64]) {
    key.clear();
    key.push(Step::of(kind) as u8);
    key.push(kind as u8);
    if let Some(name) = name {
        integrator::push_name(key, name);
    }
    match (kind, words) {
        (Kind::LearnerSubject, [school, learner, year, subject]) => {
            for word in [school, year, learner, subject] {
                ordered::push(key, *word);
            }
        }
        (Kind::Mark, [school, assessment, learner]) => {
            for word in [school, learner, assessment] {
                ordered::push(key, *word);
            }
        }
        _ => words.iter().for_each(|word| ordered::push(key, *word)),
    }
}

/// Writes everything kept of a record.
pub(crate) fn encode_item(out: &mut Vec<u8>, item: &Item<'_>) {
    out.extend_from_slice(&item.presence.to_le_bytes());
    for (tag, number) in item.tags.iter().enumerate() {
        if item.presence >> tag & 1 == 1 {
            ordered::push(out, *number);
        }
    }
    for lane in item.lanes {
        ordered::push(out, lane.len() as u64);
        out.extend_from_slice(lane);
    }
}

/// Reads everything kept of a record.
pub(crate) fn decode_item(mut bytes: &[u8], item: &mut ItemBuffer) -> Result<()> {
    let cut = || Error::corrupt("a staged record is cut");
    item.clear();
    let (presence, rest) = bytes.split_first_chunk().ok_or_else(cut)?;
    let presence = u16::from_le_bytes(*presence);
    bytes = rest;
    for tag in 0..Layout::MAX_TAGS {
        if presence >> tag & 1 == 1 {
            item.set_tag(tag, Some(ordered::take(&mut bytes)?));
        }
    }
    for lane in &mut item.lanes {
        let length = usize::try_from(ordered::take(&mut bytes)?).map_err(|_| cut())?;
        let (taken, rest) = bytes.split_at_checked(length).ok_or_else(cut)?;
        lane.extend_from_slice(taken);
        bytes = rest;
    }
    Ok(())
}

/// The staged records in order, one after the other.
pub(crate) struct Staged<'t> {
    sorted: Sorted<'t>,
    /// The key of the record at hand, as staged and as read.
    raw: Vec<u8>,
    head: Option<Head>,
    read: bool,
    /// What the last line for the record says.
    entry: Vec<u8>,
}

/// Which record an entry is of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) kind: Kind,
    pub(crate) name: String,
    words: [u64; 5],
    count: usize,
}

impl Head {
    /// The numbers of the key, in the order of its fields.
    pub(crate) fn words(&self) -> &[u64] {
        self.words.get(..self.count).unwrap_or_default()
    }

    /// The school whose record it is, if its kind belongs to schools.
    pub(crate) fn school(&self) -> Option<u64> {
        let school = self.kind.is_of_school().then(|| self.words().first());
        school.flatten().copied()
    }

    fn decode(raw: &[u8]) -> Result<Head> {
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
            *word = ordered::take(&mut rest)?;
            count += 1;
        }
        if matches!(kind, Kind::LearnerSubject | Kind::Mark) {
            words.swap(1, 2);
        }
        Ok(Head {
            kind,
            name,
            words,
            count,
        })
    }
}

/// What a line says of a record.
pub(crate) struct StagedLine<'a> {
    /// Its number, if its kind is checked at the end.
    pub(crate) line: u64,
    /// What is kept of it; nothing if it goes.
    pub(crate) put: Option<&'a [u8]>,
}

impl<'a> StagedLine<'a> {
    fn decode(entry: &'a [u8]) -> Result<StagedLine<'a>> {
        let damaged = || Error::corrupt("a staged entry is damaged");
        let (operation, mut payload) = entry.split_first().ok_or_else(damaged)?;
        let line = ordered::take(&mut payload)?;
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
            read: false,
            entry: Vec::new(),
        }
    }

    /// The record at hand.
    pub(crate) fn head(&mut self) -> Result<Option<&Head>> {
        if !self.read {
            self.head = match self.sorted.current()? {
                Some((key, _)) => {
                    key.clone_into(&mut self.raw);
                    Some(Head::decode(key)?)
                }
                None => None,
            };
            self.read = true;
        }
        Ok(self.head.as_ref())
    }

    /// What the last line for the record at hand says; moves on to the next.
    pub(crate) fn take(&mut self) -> Result<StagedLine<'_>> {
        self.each(|_| Ok(()))?;
        StagedLine::decode(&self.entry)
    }

    /// Hands on what each line says of the record at hand, in order; moves on
    /// to the next.
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
        self.read = false;
        Ok(())
    }
}
