//! The loader: bytes are pushed in, lines are checked and staged outside any
//! transaction, and the end commits them all.

use super::commit::{self, Commit};
use super::idempotency_key::IdempotencyKey;
use super::line::{self, Line};
use super::lines::{Cut, Lines};
use super::staged::Stage;
use super::summary::{self, Summary};
use crate::entropy::Entropy;
use crate::error::{Error, Failure, Fault, Result};
use crate::record::password::Memory;
use crate::record::{Kind, Value, integrator};
use crate::store::{Reader, Receipt, Store};
use std::sync::Arc;

/// How many bytes of staged records stay in memory; the rest goes to the store.
const STAGE_BYTES: usize = 16 << 20;

/// A dataset of this size is a small change, which never compacts.
const SMALL_BYTES: u64 = 1 << 20;

/// What a dataset is taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Its records are added to what is there.
    Apply,
    /// It is the whole of this school: what it lacks goes.
    Replace(u64),
    /// It is only looked at, for so many faults.
    Check(usize),
}

/// How far a load has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Lines read so far.
    pub lines: u64,
    /// Bytes read so far.
    pub bytes: u64,
}

/// A dataset on its way in: push its bytes in pieces of any size, then finish.
///
/// Nothing is kept before [`finish`](Load::finish); dropping the load, or
/// [`cancel`](Load::cancel), leaves the store as it was. Memory stays bounded
/// whatever the dataset's size.
pub struct Load {
    store: Arc<Store>,
    entropy: Entropy,
    mode: Mode,
    /// The key of the change, if it is made under an id.
    key: Option<IdempotencyKey>,
    /// What is kept under the id, once it was looked for. There is nothing to
    /// stage then: the change is that one, or is refused.
    receipt: Option<Receipt>,
    is_looked_for: bool,
    has_password: bool,
    lines: Lines,
    stage: Stage,
    progress: Progress,
    /// The name under which staged records have gone to the store.
    staged: Option<String>,
    failed: Option<Failure>,
    /// Faults found so far, when only they are looked for.
    faults: Vec<Fault>,
    /// How many bytes of staged records stay in memory.
    stage_bytes: usize,
    /// Where passwords are hashed.
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
            store,
            entropy,
            mode,
            key,
            receipt: None,
            is_looked_for: false,
            has_password: false,
            lines: Lines::default(),
            stage: Stage::default(),
            progress: Progress::default(),
            staged: None,
            failed: None,
            faults: Vec::new(),
            stage_bytes: STAGE_BYTES,
            memory: Memory::default(),
        }
    }

    /// Takes the next bytes of the dataset.
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
    /// `bad_dataset` for the first faulty line; the load is over then, and
    /// every further call gives the same error.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.progress.bytes += bytes.len() as u64;
        if let Some(key) = &mut self.key {
            key.push(bytes);
        }
        Ok(self.cut(|lines, each| lines.push(bytes, each))?)
    }

    /// How far it has come.
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

    /// Ends the dataset: all of it is kept, durably, or nothing.
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
    /// `bad_dataset` for the first fault, `busy` if another writer does not end
    /// in time, `io` if the store could not be written. Of a load under an id
    /// `id_reused` if another change was made under it.
    pub fn finish(mut self) -> Result<Summary, Error> {
        self.cut(Lines::finish)?;
        if let Some(key) = &mut self.key {
            if let Some(summary) = summary::kept(key, self.receipt.take())? {
                return Ok(summary);
            }
            if self.has_password {
                key.slow_down(&self.entropy)?;
            }
        }
        let stage = std::mem::take(&mut self.stage);
        let (mode, progress) = (self.mode, self.progress);
        let summary = self.store.write(|write| {
            summary::once(write, self.key.as_ref(), |write| {
                let mut sorter = stage.sorter;
                if let Mode::Replace(school) = mode {
                    commit::removal::stage_removal(write, &mut sorter, school)?;
                }
                let mut summary = Commit::of_dataset(write, sorter)?.run()?;
                summary.lines = progress.lines;
                summary.bytes = progress.bytes;
                Ok(summary)
            })
        })?;
        self.unstage();
        if progress.bytes > SMALL_BYTES {
            self.store.tidy();
        }
        Ok(summary)
    }

    /// Gives the load up; nothing of it is kept.
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

    fn cut(
        &mut self,
        cut: impl FnOnce(&mut Lines, &mut dyn FnMut(u64, Cut<'_>) -> Result<()>) -> Result<()>,
    ) -> Result<()> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let mut lines = std::mem::take(&mut self.lines);
        let outcome = self
            .look_for_receipt()
            .and_then(|()| cut(&mut lines, &mut |number, cut| self.line(number, &cut)));
        self.lines = lines;
        self.failed = outcome.as_ref().err().cloned();
        outcome
    }

    /// Looks once whether a change was made under the id.
    fn look_for_receipt(&mut self) -> Result<()> {
        if let (Some(key), false) = (&self.key, self.is_looked_for) {
            self.receipt = self.store.read(|snapshot| snapshot.receipt(key.id()))?;
            self.is_looked_for = true;
        }
        Ok(())
    }

    fn line(&mut self, number: u64, cut: &Cut<'_>) -> Result<()> {
        self.progress.lines = number;
        if self.receipt.is_some() {
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
            // Only schools and what needs them can be at fault together.
            if !line.kind.is_checked_at_end() {
                return Ok(());
            }
        } else {
            hash = self.password_hash(&line)?;
            self.has_password |= hash.is_some();
        }
        self.stage.push(number, &line, hash.as_deref())?;
        if self.stage.sorter.bytes() > self.stage_bytes {
            let name = self.staged.get_or_insert_with(|| self.store.staging_name());
            self.store.stage(&mut self.stage.sorter, name)?;
        }
        Ok(())
    }

    /// Ends a dataset that was only looked at: its faults in the order of the
    /// lines.
    pub(crate) fn finish_check(mut self, limit: usize) -> Result<Vec<Fault>> {
        self.cut(Lines::finish)?;
        if !self.faults.is_empty() {
            return Ok(std::mem::take(&mut self.faults));
        }
        // Which schools are missing depends on the whole dataset, so its
        // schools and what needs them go into a transaction that is given up.
        let sorter = std::mem::take(&mut self.stage.sorter);
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

    /// The hash to keep for a password in clear: the one that is kept already
    /// if it fits, so that loading a dataset again changes nothing.
    fn password_hash(&mut self, line: &Line<'_>) -> Result<Option<String>> {
        if line.kind != Kind::Integrator || line.deleted {
            return Ok(None);
        }
        let text = |index: usize| line.values.get(index).map_or("", Value::text);
        let (name, password) = (text(integrator::USERNAME), text(integrator::PASSWORD));
        if password.is_empty() {
            return Ok(None);
        }
        let kept = self
            .store
            .read(|snapshot| snapshot.integrator_row(&integrator::row_key(name)))?;
        let kept = kept.and_then(|row| String::from_utf8(row).ok());
        if let Some(hash) = kept
            && self.memory.verify(password, &hash)?
        {
            return Ok(Some(hash));
        }
        self.memory.hash(password, &self.entropy).map(Some)
    }
}

impl Load {
    /// Forgets what went to the store and was not committed.
    fn unstage(&mut self) {
        if let Some(name) = self.staged.take() {
            // If the store cannot be written now, opening it forgets them.
            let _ = self.store.unstage(&name);
        }
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.unstage();
    }
}

/// Reads a line and checks it by itself.
fn read<'a>(number: u64, cut: &Cut<'a>, mode: Mode) -> Result<Option<Line<'a>>, Fault> {
    let fault = |what| Fault { line: number, what };
    let line = match cut {
        Cut::Line(line) => line::parse(line).map_err(fault)?,
        Cut::TooLong => return Err(fault("is longer than 1 MiB".to_owned())),
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
mod tests {
    use super::*;
    use crate::store::{Location, StoreOptions};
    use std::path::PathBuf;

    fn store(location: Location) -> Result<Arc<Store>> {
        let options = StoreOptions {
            render_version: crate::record::bake::RENDER_VERSION,
            ..StoreOptions::for_test()
        };
        Ok(Arc::new(Store::open(location, options)?))
    }

    /// A load that hands everything over to the store after a few records.
    fn load(store: &Arc<Store>) -> Load {
        let mut load = Load::new(store.clone(), Entropy::System, Mode::Apply, None);
        load.stage_bytes = 2000;
        load
    }

    fn grades(count: u64) -> Vec<u8> {
        let lines = (0..count).map(|id| {
            format!("{{\"type\":\"grade\",\"school_id\":1,\"grade_id\":{id},\"grade\":\"{id}\"}}\n")
        });
        lines.collect::<String>().into_bytes()
    }

    fn kept(store: &Store) -> Result<u64> {
        store.read(|snapshot| {
            let totals = snapshot.totals()?;
            Ok(Kind::ALL.map(|kind| totals.of(kind as u8)).iter().sum())
        })
    }

    #[test]
    fn staged_records_are_all_kept_or_none() -> Result<()> {
        let store = store(Location::Memory)?;
        let mut whole = load(&store);
        whole.push(&grades(500))?;
        assert!(whole.staged.is_some());
        assert_eq!(whole.finish()?.total().added, 500);

        let mut cancelled = load(&store);
        cancelled.push(&grades(900))?;
        cancelled.cancel();
        let mut faulty = load(&store);
        faulty.push(&grades(900))?;
        assert!(faulty.push(b"x\n").is_err());
        let repeated = faulty.push(b"\n").err().map(|error| error.code());
        assert_eq!(repeated, Some("bad_dataset"));
        assert!(faulty.finish().is_err());
        let mut unchanged = load(&store);
        unchanged.push(&grades(500))?;
        assert_eq!(unchanged.finish()?.total().unchanged, 500);
        assert_eq!(kept(&store)?, 500);
        Ok(())
    }

    #[test]
    fn a_load_under_an_id_that_is_taken_stages_nothing() -> Result<()> {
        let store = store(Location::Memory)?;
        let under_id = || {
            let mut load = load(&store);
            load.key = Some(IdempotencyKey::new("a", "load", &[]));
            load
        };
        let mut first = under_id();
        first.push(&grades(500))?;
        assert!(first.staged.is_some());
        let summary = first.finish()?;
        for (count, expected) in [(500, Ok(summary)), (501, Err(Error::IdReused))] {
            let mut again = under_id();
            again.push(&grades(count))?;
            assert_eq!((&again.staged, again.stage.sorter.bytes()), (&None, 0));
            assert_eq!(again.progress().lines, count);
            assert_eq!(again.finish(), expected);
        }
        assert_eq!(kept(&store)?, 500);
        Ok(())
    }

    #[test]
    fn staged_records_that_are_gone_cancel_the_load() -> Result<()> {
        let name = format!("rollbook-load-{}.redb", std::process::id());
        let path: PathBuf = std::env::temp_dir().join(name);
        let store = store(Location::File(path.clone()))?;
        let mut load = load(&store);
        load.push(&grades(500))?;
        store.suspend()?;
        assert_eq!(load.push(&grades(500)).err(), Some(Error::Suspended));
        store.resume()?;
        assert!(load.finish().is_err());

        let mut load = self::load(&store);
        load.push(&grades(50))?;
        store.suspend()?;
        store.resume()?;
        load.push(&grades(3))?;
        assert_eq!(load.finish()?.total().added, 50);

        // Another load that stages its own forgets what was left.
        let mut load = self::load(&store);
        load.push(&grades(80))?;
        store.suspend()?;
        store.resume()?;
        let mut other = self::load(&store);
        other.push(&grades(60))?;
        other.cancel();
        assert_eq!(load.finish().err(), Some(Error::Cancelled));
        assert_eq!(kept(&store)?, 50);
        store.close()?;
        Ok(std::fs::remove_file(path)?)
    }
}
