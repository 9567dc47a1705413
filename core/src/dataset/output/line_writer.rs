//! Writes the records of a store, or of one school, as lines.

use super::line_buffer::{LineBuffer, LineSource};
use super::line_parts::{ExportPart, parts_of, records};
use super::marks_by_assessment::{self, KeyedMark};
use super::pseudonyms::Renamer;
use super::record_line::{line, mark_values, values};
use crate::dataset::keys::{assessments_by_slot, marks_of_record, partitions_of};
use crate::dataset::render;
use crate::error::Result;
use crate::record::address::{GradeTerm, misplaced};
use crate::record::kinds::integrator;
use crate::record::kinds::mark::Mark;
use crate::record::storage::{Dated, Storage};
use crate::record::{Kind, Value};
use crate::store::{Collection, Key, Partition, PinnedRecord, Reader, Snapshot};
use std::collections::VecDeque;
use std::vec::IntoIter;

/// Writes records as lines, one part after the other.
pub(crate) struct LineWriter {
    /// Replaces names and ids, if the records are not written unchanged. It is behind a trait, so
    /// that a program that never does this does not contain the code.
    names: Option<Box<dyn Renamer>>,
    /// Selects the records to be written, if not all are. It is behind a trait for the same reason.
    filter: Option<Box<dyn ExportFilter>>,
    /// The remaining parts.
    parts: VecDeque<ExportPart>,
}

/// Selects the records to be written.
pub(crate) trait ExportFilter: Send + Sync {
    /// Returns whether any record of this kind may be written.
    fn may_select(&self, kind: Kind) -> bool;

    /// Returns whether a record of this kind is written, given the numbers of its key and the
    /// learner to whom it belongs.
    fn takes(
        &mut self,
        snapshot: &Snapshot,
        kind: Kind,
        key: &[u64],
        learner: Option<u64>,
    ) -> Result<bool>;
}

impl LineWriter {
    /// Writes all records of the store. Integrators and client integrations are written only if
    /// `has` returns true for their storage.
    pub(crate) fn of_store(
        names: Option<Box<dyn Renamer>>,
        filter: Option<Box<dyn ExportFilter>>,
        has: impl Fn(Storage) -> bool,
    ) -> LineWriter {
        let of = |kind: Kind| match kind.storage() {
            Storage::Global(of) => Some(records(kind, Partition::global(of))),
            storage if !has(storage) => None,
            Storage::Integrators => Some(ExportPart::Integrators),
            Storage::Authorisations => Some(ExportPart::Authorisations),
            _ => None,
        };
        let parts = Kind::ALL.into_iter().filter_map(of);
        LineWriter {
            names,
            filter,
            parts: parts.chain([ExportPart::Schools]).collect(),
        }
    }

    /// Writes the lists that belong to no school.
    pub(crate) fn of_lists() -> LineWriter {
        let of = |kind: Kind| match kind.storage() {
            Storage::Global(of) if kind != Kind::School => {
                Some(records(kind, Partition::global(of)))
            }
            _ => None,
        };
        LineWriter::of_parts(Kind::ALL.into_iter().filter_map(of).collect())
    }

    /// Writes the records of these kinds of a school, without the record of the school itself.
    /// Marks are written in the order in which they are stored, so that only a few are in memory.
    pub(crate) fn of_school(
        snapshot: &Snapshot,
        school: u64,
        has: impl Fn(Kind) -> bool,
    ) -> Result<LineWriter> {
        let partitions = partitions_of(snapshot, school)?;
        let mut parts = Vec::new();
        for kind in Kind::ALL.into_iter().filter(|kind| has(*kind)) {
            if kind == Kind::Mark {
                let marks = [Collection::MarkRows, Collection::WaitingMarks];
                let marks = partitions
                    .iter()
                    .filter(|of| marks.contains(&of.collection));
                parts.extend(marks.map(|of| ExportPart::StoredMarks(*of, Key::MIN)));
            } else {
                parts.extend(parts_of(kind, school, &partitions));
            }
        }
        Ok(LineWriter::of_parts(parts.into()))
    }

    fn of_parts(parts: VecDeque<ExportPart>) -> LineWriter {
        LineWriter {
            names: None,
            filter: None,
            parts,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Discards the remaining parts.
    pub(crate) fn clear(&mut self) {
        self.parts.clear();
    }
}

impl LineSource for LineWriter {
    fn write(&mut self, snapshot: &Snapshot, lines: &mut LineBuffer) -> Result<bool> {
        let Some(part) = self.parts.pop_front() else {
            return Ok(false);
        };
        let rest = match part {
            ExportPart::Integrators => integrators(snapshot, lines)?,
            ExportPart::Authorisations => authorisations(snapshot, lines)?,
            ExportPart::Schools => {
                let schools = render::schools(snapshot)?;
                self.parts
                    .extend(schools.into_iter().map(ExportPart::School));
                None
            }
            ExportPart::School(school) => {
                self.school(snapshot, school)?;
                None
            }
            ExportPart::Records(kind, partition, from) => {
                self.records(snapshot, (kind, partition), from, lines)?
            }
            ExportPart::Dated(kind, at, school, from) => {
                self.dated(snapshot, (kind, at, school), from, lines)?
            }
            ExportPart::Assessments(school, from) => {
                self.assessments(snapshot, school, from, lines)?
            }
            ExportPart::Marks(school, from) => self.marks(snapshot, school, from)?,
            ExportPart::Found(school, found) => self.found(snapshot, school, found, lines)?,
            ExportPart::StoredMarks(of, from) => stored_marks(snapshot, of, from, lines)?,
        };
        if let Some(rest) = rest {
            self.parts.push_front(rest);
        }
        Ok(true)
    }
}

impl LineWriter {
    /// Adds the parts of all kinds of a school, in the order of the dataset format.
    fn school(&mut self, snapshot: &Snapshot, school: u64) -> Result<()> {
        let partitions = partitions_of(snapshot, school)?;
        let mut parts = Vec::new();
        let filter = self.filter.as_deref_mut();
        let may_take = |kind: &Kind| filter.as_ref().is_none_or(|of| of.may_select(*kind));
        for kind in Kind::ALL.into_iter().filter(may_take) {
            parts.extend(parts_of(kind, school, &partitions));
        }
        for part in parts.into_iter().rev() {
            self.parts.push_front(part);
        }
        Ok(())
    }

    fn records(
        &mut self,
        snapshot: &Snapshot,
        (kind, partition): (Kind, Partition),
        from: Key,
        lines: &mut LineBuffer,
    ) -> Result<Option<ExportPart>> {
        let mut records = snapshot.records(partition)?.cursor(from, Key::MAX);
        while let Some(record) = records.next()? {
            let key = record.key()?;
            if lines.is_full() {
                return Ok(Some(ExportPart::Records(kind, partition, key)));
            }
            self.record(snapshot, kind, (partition, key), record, lines)?;
        }
        Ok(None)
    }

    fn dated(
        &mut self,
        snapshot: &Snapshot,
        (kind, at, school): (Kind, Dated, u64),
        from: Key,
        lines: &mut LineBuffer,
    ) -> Result<Option<ExportPart>> {
        let partition = Partition::new(school, at.records);
        let records = snapshot.records(partition)?;
        let dates = snapshot.records(Partition::new(school, at.dates))?;
        let mut dates = dates.cursor(from, Key::MAX);
        while let Some(entry) = dates.next()? {
            let of = entry.key()?;
            if lines.is_full() {
                return Ok(Some(ExportPart::Dated(kind, at, school, of)));
            }
            let date = entry.filter_column(Dated::DATE_COLUMN)?;
            let key = Key(date.ok_or_else(misplaced)?, of.0);
            let record = records.get(key)?.ok_or_else(misplaced)?;
            self.record(snapshot, kind, (partition, key), &record, lines)?;
        }
        Ok(None)
    }

    fn assessments(
        &mut self,
        snapshot: &Snapshot,
        school: u64,
        from: Key,
        lines: &mut LineBuffer,
    ) -> Result<Option<ExportPart>> {
        let index = snapshot.records(Partition::new(school, Collection::AssessmentIndex))?;
        let mut index = index.cursor(from, Key::MAX);
        while let Some(entry) = index.next()? {
            let of = entry.key()?;
            if lines.is_full() {
                return Ok(Some(ExportPart::Assessments(school, of)));
            }
            let (partition, key) = GradeTerm::from_item(&entry.item()?)?.address(school, of.0);
            let record = snapshot.records(partition)?.get(key)?;
            let record = record.ok_or_else(misplaced)?;
            self.record(snapshot, Kind::Assessment, (partition, key), &record, lines)?;
        }
        Ok(None)
    }

    /// Reads the next marks of a school.
    fn marks(&mut self, snapshot: &Snapshot, school: u64, from: Key) -> Result<Option<ExportPart>> {
        let (mut found, rest) = marks_by_assessment::from(snapshot, school, from)?;
        if let Some(names) = &self.names {
            names.exchange(&mut found);
        }
        if let Some(rest) = rest {
            self.parts.push_front(ExportPart::Marks(school, rest));
        }
        Ok(Some(ExportPart::Found(school, found.into_iter())))
    }

    /// Writes some of the marks that were read.
    fn found(
        &mut self,
        snapshot: &Snapshot,
        school: u64,
        mut found: IntoIter<KeyedMark>,
        lines: &mut LineBuffer,
    ) -> Result<Option<ExportPart>> {
        while !lines.is_full() {
            let Some(KeyedMark { key, mark }) = found.next() else {
                return Ok(None);
            };
            if let Some(filter) = self.filter.as_deref_mut()
                && !filter.takes(snapshot, Kind::Mark, &[school, key.0, key.1], Some(key.1))?
            {
                continue;
            }
            self.push(Kind::Mark, mark_values(school, key, &mark), lines)?;
        }
        Ok(Some(ExportPart::Found(school, found)))
    }

    /// Writes a record, if the filter selects it.
    fn record(
        &mut self,
        snapshot: &Snapshot,
        kind: Kind,
        (partition, key): (Partition, Key),
        record: &PinnedRecord<'_>,
        lines: &mut LineBuffer,
    ) -> Result<()> {
        if let Some(filter) = self.filter.as_deref_mut() {
            let words = kind.key_of(partition, key);
            let learner = kind.learner(&words, |column| record.filter_column(column))?;
            if !filter.takes(snapshot, kind, &words, learner)? {
                return Ok(());
            }
        }
        let values = values(kind, partition, key, &record.item()?)?;
        self.push(kind, values, lines)
    }

    fn push(
        &mut self,
        kind: Kind,
        mut values: Vec<Value<'_>>,
        lines: &mut LineBuffer,
    ) -> Result<()> {
        if let Some(names) = &mut self.names {
            names.rename(kind, &mut values)?;
        }
        lines.push(line(kind, &values));
        Ok(())
    }
}

fn integrators(snapshot: &Snapshot, lines: &mut LineBuffer) -> Result<Option<ExportPart>> {
    snapshot.integrator_rows(integrator::ROWS, &mut |key, hash| {
        let name = integrator::username_of(key).ok_or_else(misplaced)?;
        let hash = String::from_utf8(hash.to_vec()).map_err(|_| misplaced())?;
        let values = [
            Value::Text(name.into()),
            Value::Empty,
            Value::Text(hash.into()),
        ];
        lines.push(line(Kind::Integrator, &values));
        Ok(())
    })?;
    Ok(None)
}

fn authorisations(snapshot: &Snapshot, lines: &mut LineBuffer) -> Result<Option<ExportPart>> {
    snapshot.integrator_rows(integrator::AUTHORISATION_ROWS, &mut |key, state| {
        let (name, school, api_type) = integrator::authorisation_of(key).ok_or_else(misplaced)?;
        let values = [
            Value::Text(name.into()),
            Value::Integer(school),
            Value::Integer(api_type),
            Value::Integer(u64::from(integrator::is_active(state)?)),
        ];
        lines.push(line(Kind::ClientIntegration, &values));
        Ok(())
    })?;
    Ok(None)
}

/// Writes the next marks of a grade and year, or of those that wait for their assessment.
fn stored_marks(
    snapshot: &Snapshot,
    partition: Partition,
    from: Key,
    lines: &mut LineBuffer,
) -> Result<Option<ExportPart>> {
    let slots = assessments_by_slot(snapshot, partition)?;
    let mut records = snapshot.records(partition)?.cursor(from, Key::MAX);
    while let Some(record) = records.next()? {
        let key = record.key()?;
        if lines.is_full() {
            return Ok(Some(ExportPart::StoredMarks(partition, key)));
        }
        let mut push = |key, mark: &[u8]| {
            let mark = Mark::decode(mark)?.ok_or_else(misplaced)?;
            lines.push(line(Kind::Mark, &mark_values(partition.school, key, &mark)));
            Ok(())
        };
        marks_of_record(partition, key, record.column(0)?, &slots, &mut push)?;
    }
    Ok(None)
}
