//! Everything that is kept, as a dataset again: canonical and complete.

use super::keys::partitions_of;
use super::marks_by_assessment::{self, KeyedMark};
use super::pseudonyms::{Names, Pseudonyms};
use super::render;
use crate::error::{Error, Failure, Result};
use crate::json;
use crate::record::assessment::{GRADE_TAG, TERM_TAG, YEAR_TAG};
use crate::record::field::{Field, Form};
use crate::record::learner_subject::LearnerSubject;
use crate::record::mark::Mark;
use crate::record::storage::{Dated, Storage};
use crate::record::value::EnrolledTerm;
use crate::record::{Kind, Value, bake, integrator, terms};
use crate::store::{Collection, Item, Key, Lease, Partition, Reader, Snapshot};
use std::borrow::Cow;
use std::collections::VecDeque;
use std::vec::IntoIter;

/// The lines of a dataset that holds all that the store holds, one at a time.
///
/// First come all schools, API types, integrators and client integrations,
/// then the records of each school, kind by kind in the order of the dataset
/// format, each by its key. Empty fields and defaults are left out. The lines
/// are those of the moment at which the export began; while it lives, the
/// store cannot be compacted or suspended.
///
/// They hold personal data, and password hashes unless credentials were left
/// out: keep them where nobody else reads them.
///
/// ```
/// # fn main() -> rollbook::Result<()> {
/// use rollbook::{Credentials, Engine, Options};
/// let engine = Engine::memory(Options::default())?;
/// engine.apply(&br#"{"type":"grade","grade_id":"09","school_id":1,"grade":"7"}"#[..])?;
/// let lines = engine.export(Credentials::Keep)?.collect::<Result<Vec<_>, _>>()?;
/// assert_eq!(lines, [r#"{"type":"grade","school_id":1,"grade_id":9,"grade":"7"}"#]);
/// # Ok(())
/// # }
/// ```
pub struct Export {
    lease: Lease,
    writer: LineWriter,
}

pub(crate) struct LineWriter {
    /// The names under which records are written, if not their own. Behind a trait, so that
    /// who never asks for other names does not carry their code.
    names: Option<Box<dyn Names>>,
    /// Which records are written, if not all; likewise.
    filter: Option<Box<dyn Filter>>,
    /// What is still to be written.
    parts: VecDeque<Part>,
    /// What was written and not yet fetched.
    lines: VecDeque<String>,
}

/// Which records are written.
pub(crate) trait Filter: Send + Sync {
    /// Whether any record of this kind may be.
    fn may_take(&self, kind: Kind) -> bool;

    /// Whether a record of this kind is, given the numbers of its key and the learner whose
    /// own it is.
    fn takes(
        &mut self,
        snapshot: &Snapshot,
        kind: Kind,
        key: &[u64],
        learner: Option<u64>,
    ) -> Result<bool>;
}

/// A piece of the export.
enum Part {
    Integrators,
    Authorisations,
    /// The schools that any record lies by.
    Schools,
    School(u64),
    /// The records of a partition, from one run on.
    Records(Kind, Partition, usize),
    /// Records of a school that lie by date in the order of their ids, from one run
    /// of their dates on.
    Dated(Kind, Dated, u64, usize),
    /// Assessments in the order of their ids, likewise.
    Assessments(u64, usize),
    /// The marks of a school from this assessment and learner on.
    Marks(u64, Key),
    /// Marks of a school that were found.
    Found(u64, IntoIter<KeyedMark>),
}

impl Export {
    pub(crate) fn new(lease: Lease, with_credentials: bool) -> Export {
        Export::of(lease, None, None, |storage| match storage {
            Storage::Integrators => with_credentials.then_some(Part::Integrators),
            Storage::Authorisations => Some(Part::Authorisations),
            _ => None,
        })
    }

    /// Under other names, and without integrators.
    pub(crate) fn pseudonymised(lease: Lease, key: &[u8; 32]) -> Export {
        Export::of(lease, Some(Box::new(Pseudonyms::new(key))), None, |_| None)
    }

    /// Without integrators, the records alone that a filter takes.
    #[cfg(feature = "sync")]
    pub(super) fn filtered(lease: Lease, filter: Box<dyn Filter>) -> Export {
        Export::of(lease, None, Some(filter), |_| None)
    }

    /// With these parts of what lies under no school's id.
    fn of(
        lease: Lease,
        names: Option<Box<dyn Names>>,
        filter: Option<Box<dyn Filter>>,
        part: impl Fn(Storage) -> Option<Part>,
    ) -> Export {
        let mut parts = VecDeque::new();
        for kind in Kind::ALL {
            parts.extend(match kind.storage() {
                Storage::Global(of) => Some(Part::Records(kind, Partition::global(of), 0)),
                storage => part(storage),
            });
        }
        parts.push_back(Part::Schools);
        Export {
            lease,
            writer: LineWriter {
                names,
                filter,
                parts,
                lines: VecDeque::new(),
            },
        }
    }
}

#[cfg(feature = "sync")]
impl LineWriter {
    /// Of the lists and tables that lie under no school's id, but for schools.
    pub(crate) fn of_global_tables() -> LineWriter {
        let of = |kind: Kind| match kind.storage() {
            Storage::Global(of) if kind != Kind::School => {
                Some(Part::Records(kind, Partition::global(of), 0))
            }
            _ => None,
        };
        LineWriter {
            names: None,
            filter: None,
            parts: Kind::ALL.into_iter().filter_map(of).collect(),
            lines: VecDeque::new(),
        }
    }

    /// Of what lies by a school, and a filter takes.
    pub(crate) fn of_school(school: u64, filter: Box<dyn Filter>) -> LineWriter {
        let schools = Partition::global(Collection::Schools);
        let parts = [
            Part::Records(Kind::School, schools, 0),
            Part::School(school),
        ];
        LineWriter {
            names: None,
            filter: Some(filter),
            parts: parts.into(),
            lines: VecDeque::new(),
        }
    }

    /// The next line; nothing at the end.
    pub(crate) fn next(&mut self, snapshot: &Snapshot) -> Result<Option<String>> {
        loop {
            if let Some(line) = self.lines.pop_front() {
                return Ok(Some(line));
            }
            if !self.write_part(snapshot)? {
                return Ok(None);
            }
        }
    }
}

impl LineWriter {
    /// Writes the next piece of what is left; says whether anything was.
    fn write_part(&mut self, snapshot: &Snapshot) -> Result<bool> {
        let Some(part) = self.parts.pop_front() else {
            return Ok(false);
        };
        let rest = match part {
            Part::Integrators => self.integrators(snapshot)?,
            Part::Authorisations => self.authorisations(snapshot)?,
            Part::Schools => {
                let schools = render::schools(snapshot)?;
                self.parts.extend(schools.into_iter().map(Part::School));
                None
            }
            Part::School(school) => {
                self.school(snapshot, school)?;
                None
            }
            Part::Records(kind, partition, position) => {
                self.records(snapshot, kind, partition, position)?
            }
            Part::Dated(kind, at, school, position) => {
                self.dated(snapshot, (kind, at), school, position)?
            }
            Part::Assessments(school, position) => self.assessments(snapshot, school, position)?,
            Part::Marks(school, from) => self.marks(snapshot, school, from)?,
            Part::Found(school, found) => self.found(snapshot, school, found)?,
        };
        if let Some(rest) = rest {
            self.parts.push_front(rest);
        }
        Ok(true)
    }

    fn integrators(&mut self, snapshot: &Snapshot) -> Result<Option<Part>> {
        let lines = &mut self.lines;
        snapshot.integrator_rows(integrator::ROWS, &mut |key, hash| {
            let name = integrator::username_of(key).ok_or_else(damaged)?;
            let hash = String::from_utf8(hash.to_vec()).map_err(|_| damaged())?;
            let values = [
                Value::Text(name.into()),
                Value::Empty,
                Value::Text(hash.into()),
            ];
            lines.push_back(line(Kind::Integrator, &values));
            Ok(())
        })?;
        Ok(None)
    }

    fn authorisations(&mut self, snapshot: &Snapshot) -> Result<Option<Part>> {
        let lines = &mut self.lines;
        snapshot.integrator_rows(integrator::AUTHORISATION_ROWS, &mut |key, state| {
            let (name, school, api_type) = integrator::authorisation_of(key).ok_or_else(damaged)?;
            let values = [
                Value::Text(name.into()),
                Value::Integer(school),
                Value::Integer(api_type),
                Value::Integer(u64::from(integrator::is_active(state)?)),
            ];
            lines.push_back(line(Kind::ClientIntegration, &values));
            Ok(())
        })?;
        Ok(None)
    }

    /// Plans a school's kinds in the order of the dataset format.
    fn school(&mut self, snapshot: &Snapshot, school: u64) -> Result<()> {
        let partitions = partitions_of(snapshot, school)?;
        let mut parts = Vec::new();
        let filter = self.filter();
        let may_take = |kind: &Kind| filter.as_ref().is_none_or(|of| of.may_take(*kind));
        for kind in Kind::ALL.into_iter().filter(may_take) {
            match kind.storage() {
                Storage::Global(_) | Storage::Integrators | Storage::Authorisations => {}
                Storage::Assessments => parts.push(Part::Assessments(school, 0)),
                Storage::Marks => parts.push(Part::Marks(school, Key::MIN)),
                Storage::Dated { at, .. } => parts.push(Part::Dated(kind, at, school, 0)),
                Storage::BySchool(of) | Storage::ByGradeAndYear(of) => {
                    parts.extend(records_in(&partitions, kind, of));
                }
                Storage::LearnerSubjects => {
                    parts.extend(records_in(&partitions, kind, Collection::LearnerSubjects));
                }
            }
        }
        for part in parts.into_iter().rev() {
            self.parts.push_front(part);
        }
        Ok(())
    }

    fn records(
        &mut self,
        snapshot: &Snapshot,
        kind: Kind,
        partition: Partition,
        position: usize,
    ) -> Result<Option<Part>> {
        let Some(pinned) = snapshot.records(partition)?.pin(position)? else {
            return Ok(None);
        };
        let run = pinned.run()?;
        for (index, key) in run.keys().enumerate() {
            let tag = |tag| run.tag(tag, index);
            if self.takes(snapshot, kind, (partition, key), tag)? {
                self.push(kind, values(kind, partition, key, &run.item(index)?)?)?;
            }
        }
        Ok(Some(Part::Records(kind, partition, position + 1)))
    }

    fn dated(
        &mut self,
        snapshot: &Snapshot,
        (kind, at): (Kind, Dated),
        school: u64,
        position: usize,
    ) -> Result<Option<Part>> {
        let dates = snapshot.records(Partition::of(school, at.dates))?;
        let Some(pinned) = dates.pin(position)? else {
            return Ok(None);
        };
        let run = pinned.run()?;
        let partition = Partition::of(school, at.records);
        let records = snapshot.records(partition)?;
        for (index, Key(id, _)) in run.keys().enumerate() {
            let date = run.tag(Dated::DATE_TAG, index)?.ok_or_else(damaged)?;
            let key = Key(date, id);
            let (pinned, index) = records.get(key)?.ok_or_else(damaged)?;
            let run = pinned.run()?;
            let tag = |tag| run.tag(tag, index);
            if self.takes(snapshot, kind, (partition, key), tag)? {
                self.push(kind, values(kind, partition, key, &run.item(index)?)?)?;
            }
        }
        Ok(Some(Part::Dated(kind, at, school, position + 1)))
    }

    fn assessments(
        &mut self,
        snapshot: &Snapshot,
        school: u64,
        position: usize,
    ) -> Result<Option<Part>> {
        let by_id = snapshot.records(Partition::of(school, Collection::AssessmentIndex))?;
        let Some(pinned) = by_id.pin(position)? else {
            return Ok(None);
        };
        let run = pinned.run()?;
        for (index, Key(id, _)) in run.keys().enumerate() {
            let tag = |tag| run.tag(tag, index)?.ok_or_else(damaged);
            let (grade, year, term) = (tag(GRADE_TAG)?, tag(YEAR_TAG)?, tag(TERM_TAG)?);
            let partition = Partition::of_grade_year(school, Collection::Assessments, grade, year);
            let key = Key(term, id);
            let assessments = snapshot.records(partition)?;
            let (pinned, at) = assessments.get(key)?.ok_or_else(damaged)?;
            let item = pinned.run()?.item(at)?;
            let kind = Kind::Assessment;
            if self.takes(snapshot, kind, (partition, key), |_| Ok(None))? {
                self.push(kind, values(kind, partition, key, &item)?)?;
            }
        }
        Ok(Some(Part::Assessments(school, position + 1)))
    }

    /// The next marks of a school.
    fn marks(&mut self, snapshot: &Snapshot, school: u64, from: Key) -> Result<Option<Part>> {
        let (mut found, rest) = marks_by_assessment::from(snapshot, school, from)?;
        if let Some(names) = &self.names {
            names.exchange(&mut found);
        }
        if let Some(rest) = rest {
            self.parts.push_front(Part::Marks(school, rest));
        }
        Ok(Some(Part::Found(school, found.into_iter())))
    }

    /// Some of the marks that were found.
    fn found(
        &mut self,
        snapshot: &Snapshot,
        school: u64,
        mut found: IntoIter<KeyedMark>,
    ) -> Result<Option<Part>> {
        const AT_ONCE: usize = 1000;
        for KeyedMark { key, mark } in found.by_ref().take(AT_ONCE) {
            if let Some(filter) = self.filter()
                && !filter.takes(snapshot, Kind::Mark, &[school, key.0, key.1], Some(key.1))?
            {
                continue;
            }
            self.push(Kind::Mark, mark_values(school, key, &mark))?;
        }
        Ok((found.len() > 0).then_some(Part::Found(school, found)))
    }

    /// Nothing, and known to be when it is compiled, where nobody hands out a part: in the
    /// browser's module.
    fn filter(&mut self) -> Option<&mut (dyn Filter + 'static)> {
        let filter = self.filter.as_deref_mut();
        filter.filter(|_| cfg!(all(feature = "sync", not(module))))
    }

    /// Whether a record that lies here is written; `tag` gives a tag of it.
    fn takes(
        &mut self,
        snapshot: &Snapshot,
        kind: Kind,
        (partition, key): (Partition, Key),
        tag: impl FnOnce(usize) -> Result<Option<u64>>,
    ) -> Result<bool> {
        let Some(filter) = self.filter() else {
            return Ok(true);
        };
        let words = kind.key_of(partition, key);
        let learner = kind.learner(&words, tag)?;
        filter.takes(snapshot, kind, &words, learner)
    }

    fn push(&mut self, kind: Kind, mut values: Vec<Value<'_>>) -> Result<()> {
        if let Some(names) = &mut self.names {
            names.rename(kind, &mut values)?;
        }
        self.lines.push_back(line(kind, &values));
        Ok(())
    }
}

impl Iterator for Export {
    type Item = Result<String, Error>;

    /// The next line, without its line feed.
    fn next(&mut self) -> Option<Result<String, Error>> {
        loop {
            let writer = &mut self.writer;
            if let Some(line) = writer.lines.pop_front() {
                return Some(Ok(line));
            }
            match self.lease.read(|snapshot| writer.write_part(snapshot)) {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => {
                    writer.parts.clear();
                    return Some(Err(error.into()));
                }
            }
        }
    }
}

/// The parts that a kind's collection has among a school's partitions.
fn records_in(partitions: &[Partition], kind: Kind, of: Collection) -> impl Iterator<Item = Part> {
    let mut of = partitions.iter().filter(move |one| one.collection == of);
    std::iter::from_fn(move || of.next().map(|one| Part::Records(kind, *one, 0)))
}

fn damaged() -> Failure {
    Error::corrupt("a record is not where its index says")
}

/// The values of a kept record of any kind but marks.
pub(super) fn values<'a>(
    kind: Kind,
    partition: Partition,
    key: Key,
    item: &Item<'a>,
) -> Result<Vec<Value<'a>>> {
    let key = kind.key_of(partition, key);
    if kind != Kind::LearnerSubject {
        return bake::values(kind, &key, item);
    }
    let mut values: Vec<_> = key.into_iter().map(Value::Integer).collect();
    values.extend(LearnerSubject::open(item.lanes[0])?.values()?);
    Ok(values)
}

pub(super) fn mark_values(
    school: u64,
    Key(assessment, learner): Key,
    mark: &Mark,
) -> Vec<Value<'static>> {
    let mut values = vec![
        Value::Integer(school),
        Value::Integer(assessment),
        Value::Integer(learner),
    ];
    values.extend(mark.values());
    if mark.captured
        && let Some(captured) = values.get_mut(5)
    {
        *captured = Value::Empty;
    }
    values
}

/// One record as a line. Text that is not UTF-8 cannot have come in.
pub(super) fn line(kind: Kind, values: &[Value<'_>]) -> String {
    closed(open_line(kind, values))
}

/// The line that removes a record, given the numbers of its key.
#[cfg(feature = "sync")]
pub(crate) fn removal(kind: Kind, key: &[u64]) -> String {
    let fields = kind.fields().iter().zip(key);
    let fields = fields.filter(|(field, _)| field.is_key());
    let values: Vec<_> = fields.map(|(_, number)| Value::Integer(*number)).collect();
    let mut out = open_line(kind, &values);
    out.extend_from_slice(b",\"deleted\":true");
    closed(out)
}

fn open_line(kind: Kind, values: &[Value<'_>]) -> Vec<u8> {
    let mut out = b"{\"type\":".to_vec();
    json::push_string(&mut out, kind.name());
    for (field, value) in kind.fields().iter().zip(values) {
        push_member(&mut out, field, value);
    }
    out
}

fn closed(mut line: Vec<u8>) -> String {
    line.push(b'}');
    String::from_utf8(line).unwrap_or_default()
}

fn push_member(out: &mut Vec<u8>, field: &Field, value: &Value<'_>) {
    if value.is_empty() {
        return;
    }
    if !out.ends_with(b"{") {
        out.push(b',');
    }
    json::push_string(out, field.name);
    out.push(b':');
    match value {
        Value::Text(json) if is_json(field.form, json) => {
            out.extend_from_slice(json.as_bytes());
        }
        Value::Integer(number) => json::push_integer(out, *number),
        Value::Terms(terms) => push_terms(out, terms),
        other => {
            out.push(b'"');
            other.push_exact(out);
            out.push(b'"');
        }
    }
}

/// Whether a text is kept as the JSON that a dataset has.
fn is_json(form: Form, text: &str) -> bool {
    match form {
        Form::Signed | Form::Texts => true,
        Form::Choices(_) => text.starts_with('['),
        _ => false,
    }
}

fn push_terms(out: &mut Vec<u8>, terms: &[EnrolledTerm<'_>]) {
    out.push(b'[');
    for (index, term) in terms.iter().enumerate() {
        out.extend_from_slice(if index == 0 { b"{" } else { b",{" });
        let number = [Value::Integer(term.term)];
        let group = term.group.iter().map(|text| match text.as_ref() {
            "" => Value::Empty,
            text => Value::Text(Cow::Borrowed(text)),
        });
        let mark = [term.mark.map_or(Value::Empty, Value::Decimal)];
        let values = number.into_iter().chain(group).chain(mark);
        for (field, value) in terms::FIELDS.iter().zip(values) {
            push_member(out, field, &value);
        }
        out.push(b'}');
    }
    out.push(b']');
}
