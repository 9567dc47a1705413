//! The loader. Lines are checked and staged outside any transaction as their bytes are pushed, and
//! the end of the dataset commits them all.

use super::line;
use super::line_splitter::{Lines, SplitLine};
use crate::dataset::commit::Commit;
use crate::dataset::idempotency_key::IdempotencyKey;
use crate::dataset::removal;
use crate::dataset::staging::line_values::Line;
use crate::dataset::staging::spilling_stage::SpillingStage;
use crate::dataset::summary::{self, Summary};
use crate::entropy::Entropy;
use crate::error::{Error, Failure, Fault, Result};
use crate::record::kinds::integrator;
use crate::record::values::password::Memory;
use crate::record::{Kind, Value};
use crate::store::{IdempotencyRecord, Reader, Store};
use std::sync::Arc;

/// The maximum size of a small dataset, after which the store is never compacted.
const SMALL_BYTES: u64 = 1 << 20;

/// The purpose of a load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Adds the records to the store.
    Apply,
    /// Replaces a school: records of it that the dataset does not contain are removed.
    Replace(u64),
    /// Only checks the dataset, and reports at most this many faults.
    Check(usize),
}

/// How much of a dataset was read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Lines read so far.
    pub lines: u64,
    /// Bytes read so far.
    pub bytes: u64,
}

/// A dataset that is being loaded. Push its bytes in pieces of any size, then call
/// [`finish`](Load::finish).
///
/// Nothing is stored before [`finish`](Load::finish); dropping the load, or
/// [`cancel`](Load::cancel), leaves the store unchanged. The memory of a load is bounded, whatever
/// the size of the dataset.
pub struct Load {
    store: Arc<Store>,
    entropy: Entropy,
    mode: Mode,
    /// The idempotency key of the change, if it has an id.
    key: Option<IdempotencyKey>,
    /// The idempotency record stored under the id, after it was looked up. If there is one, no
    /// records are staged, because the change either was made before or is refused.
    idempotency_record: Option<IdempotencyRecord>,
    is_looked_up: bool,
    has_password: bool,
    lines: Lines,
    stage: SpillingStage,
    progress: Progress,
    failed: Option<Failure>,
    /// The faults found so far, if the dataset is only checked.
    faults: Vec<Fault>,
    /// The memory in which passwords are hashed.
    memory: Memory,
}

impl Load {
    pub(crate) fn new(
        store: Arc<Store>,
        entropy: Entropy,
        mode: Mode,
        key: Option<IdempotencyKey>,
    ) -> Load {
        Load {
            stage: SpillingStage::new(store.clone()),
            store,
            entropy,
            mode,
            key,
            idempotency_record: None,
            is_looked_up: false,
            has_password: false,
            lines: Lines::default(),
            progress: Progress::default(),
            failed: None,
            faults: Vec::new(),
            memory: Memory::default(),
        }
    }

    /// Reads the next bytes of the dataset.
    ///
    /// ```
    /// use rollbook::{Engine, Options};
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// let mut load = engine.load();
    /// let fault = load.push(b"{\"type\":\"grade\"}\n").unwrap_err();
    /// assert_eq!(fault.code(), "bad_dataset");
    /// assert_eq!(load.finish().unwrap_err(), fault);
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    ///
    /// # Errors
    /// `bad_dataset` for the first faulty line. After an error, every further call returns the same
    /// error.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.progress.bytes += bytes.len() as u64;
        if let Some(key) = &mut self.key {
            key.push(bytes);
        }
        Ok(self.process_lines(|lines, each| lines.push(bytes, each))?)
    }

    /// Returns how many lines and bytes were read so far.
    ///
    /// ```
    /// use rollbook::{Engine, Options};
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// let mut load = engine.load();
    /// load.push(b"\n\n")?;
    /// let progress = load.progress();
    /// assert_eq!((progress.lines, progress.bytes), (2, 2));
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// Ends the dataset. Stores all of it durably, or nothing.
    ///
    /// ```
    /// use rollbook::{Engine, Options};
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// let mut load = engine.load();
    /// load.push(b"{\"type\":\"grade\",\"school_id\":1,\"gra")?; // in pieces of any size
    /// load.push(b"de_id\":9}")?; // the last line may lack its end
    /// assert_eq!(load.finish()?.total().added, 1);
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    ///
    /// # Errors
    /// `bad_dataset` for the first fault, `busy` if another writer does not end in time, `io` if
    /// the store could not be written. For a load with an id, `id_reused` if another change was
    /// made with this id.
    pub fn finish(mut self) -> Result<Summary, Error> {
        self.process_lines(Lines::finish)?;
        if let Some(key) = &mut self.key {
            if let Some(summary) = summary::earlier_summary(key, self.idempotency_record.take())? {
                return Ok(summary);
            }
            if self.has_password {
                key.use_slow_hash(&self.entropy)?;
            }
        }
        let staged = self.stage.take();
        let (mode, progress) = (self.mode, self.progress);
        let summary = self.store.write(|write| {
            summary::once(write, self.key.as_ref(), |write| {
                let mut sorter = staged;
                if let Mode::Replace(school) = mode {
                    removal::stage_removal(write, &mut sorter, school)?;
                }
                let mut summary = Commit::of_dataset(write, sorter)?.run()?;
                summary.lines = progress.lines;
                summary.bytes = progress.bytes;
                Ok(summary)
            })
        })?;
        self.stage.clear();
        if progress.bytes > SMALL_BYTES {
            self.store.compact_if_wasteful();
        }
        Ok(summary)
    }

    /// Cancels the load. Nothing of it is stored.
    ///
    /// ```
    /// use rollbook::{Engine, Options};
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// let mut load = engine.load();
    /// load.push(b"{\"type\":\"grade\",\"school_id\":1,\"grade_id\":9}\n")?;
    /// load.cancel();
    /// assert!(engine.stats()?.records.contains(&("grade", 0)));
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    pub fn cancel(self) {}

    /// Splits off lines by `split` and processes each of them. After an error, it returns the same
    /// error again.
    fn process_lines(
        &mut self,
        split: impl FnOnce(&mut Lines, &mut dyn FnMut(u64, SplitLine<'_>) -> Result<()>) -> Result<()>,
    ) -> Result<()> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let mut lines = std::mem::take(&mut self.lines);
        let outcome = self
            .find_idempotency_record()
            .and_then(|()| split(&mut lines, &mut |number, cut| self.line(number, &cut)));
        self.lines = lines;
        self.failed = outcome.as_ref().err().cloned();
        outcome
    }

    /// Looks up, once, whether a change was made with the id.
    fn find_idempotency_record(&mut self) -> Result<()> {
        if let (Some(key), false) = (&self.key, self.is_looked_up) {
            self.idempotency_record = self
                .store
                .read(|snapshot| snapshot.idempotency_record(key.id()))?;
            self.is_looked_up = true;
        }
        Ok(())
    }

    fn line(&mut self, number: u64, cut: &SplitLine<'_>) -> Result<()> {
        self.progress.lines = number;
        if self.idempotency_record.is_some() {
            return Ok(());
        }
        let line = match (read(number, cut, self.mode), self.mode) {
            (Ok(Some(line)), _) => line,
            (Ok(None), _) => return Ok(()),
            (Err(fault), Mode::Check(limit)) => {
                if self.faults.len() < limit {
                    self.faults.push(fault);
                }
                return Ok(());
            }
            (Err(fault), _) => return Err(Error::BadDataset(fault).into()),
        };
        let mut hash = None;
        if let Mode::Check(_) = self.mode {
            // Only schools, and records that need one, can be faulty because of other lines.
            if !line.kind.is_checked_at_end() {
                return Ok(());
            }
        } else {
            hash = self.password_hash(&line)?;
            self.has_password |= hash.is_some();
        }
        self.stage.push(number, &line, hash.as_deref())
    }

    /// Ends a dataset that is only checked. Returns its faults in the order of the lines.
    pub(crate) fn finish_check(mut self, limit: usize) -> Result<Vec<Fault>> {
        self.process_lines(Lines::finish)?;
        if !self.faults.is_empty() {
            return Ok(std::mem::take(&mut self.faults));
        }
        // Whether a school is missing depends on the whole dataset. Therefore the schools and the
        // records that need one are merged in a transaction that is rolled back.
        let sorter = self.stage.take();
        let mut faults = Vec::new();
        let tried = self.store.write(|write| {
            let mut commit = Commit::new(write, sorter)?;
            commit.merge_all()?;
            faults = commit.missing_schools(limit)?;
            Err::<(), _>(Error::Cancelled.into())
        });
        match tried {
            Err(error) if *error != Error::Cancelled => Err(error),
            _ => Ok(faults),
        }
    }

    /// Returns the hash to be stored for a password in clear. If the stored hash matches the
    /// password, it is returned, so that loading a dataset again changes nothing.
    fn password_hash(&mut self, line: &Line<'_>) -> Result<Option<String>> {
        if line.kind != Kind::Integrator || line.deleted {
            return Ok(None);
        }
        let text = |index: usize| line.values.get(index).map_or("", Value::text);
        let (name, password) = (text(integrator::USERNAME), text(integrator::PASSWORD));
        if password.is_empty() {
            return Ok(None);
        }
        let stored = self
            .store
            .read(|snapshot| snapshot.integrator_row(&integrator::row_key(name)))?;
        let stored = stored.and_then(|row| String::from_utf8(row).ok());
        if let Some(hash) = stored
            && self.memory.verify(password, &hash)?
        {
            return Ok(Some(hash));
        }
        self.memory.hash(password, &self.entropy).map(Some)
    }
}

/// Parses a line and checks it without regard to other lines.
fn read<'a>(number: u64, cut: &SplitLine<'a>, mode: Mode) -> Result<Option<Line<'a>>, Fault> {
    let fault = |what| Fault { line: number, what };
    let line = match cut {
        SplitLine::Line(line) => line::parse(line).map_err(fault)?,
        SplitLine::TooLong => return Err(fault("is longer than 1 MiB".to_owned())),
    };
    if let (Mode::Replace(school), Some(line)) = (mode, &line)
        && let Some(other) = line.school().filter(|other| *other != school)
    {
        let kind = line.kind.name();
        return Err(fault(format!(
            "{kind}: school_id: {other} is not the school to replace ({school})"
        )));
    }
    Ok(line)
}

#[cfg(test)]
mod tests;
