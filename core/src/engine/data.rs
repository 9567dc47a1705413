//! Imports and exports datasets, and removes schools and learners.

use super::{Credentials, Engine};
use crate::dataset::{self, Export, IdempotencyKey, Load, Mode, Progress, Summary};
use crate::error::public::Result;
use crate::error::{Error, Fault};
use std::io::Read;
use std::ops::ControlFlow;

impl Engine {
    /// Applies a dataset completely and durably, or not at all.
    ///
    /// The memory use is limited, whatever the size of the dataset, and readers continue meanwhile.
    /// Applying the same dataset again writes nothing.
    ///
    /// ```
    /// use rollbook::{Engine, Options};
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// // Or a file: engine.apply(std::fs::File::open("school.ndjson")?)?
    /// let summary = engine.apply(r#"
    /// {"type":"school","school_id":1,"current_year":2026}
    /// {"type":"grade","school_id":1,"grade_id":9,"grade":"7"}
    /// "#.as_bytes())?;
    /// assert_eq!(summary.total().added, 2);
    ///
    /// let fault = engine.apply(&br#"{"type":"grade","school_id":1}"#[..]).unwrap_err();
    /// assert_eq!(fault.to_string(), "line 1: grade: grade_id: is missing");
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails with `bad_dataset` for the first error in the dataset, with its line; with `busy` if
    /// another change does not finish in time; with `synced` if the dataset has records of a synced
    /// or followed school (other than client integrations), or of a list that belongs to the source
    /// of a store that follows another one; with `io` if the dataset cannot be read or the store
    /// cannot be written.
    pub fn apply(&self, dataset: impl Read) -> Result<Summary> {
        self.apply_with(dataset, |_| ControlFlow::Continue(()))
    }

    /// Applies a dataset like [`apply`](Self::apply). Reports its progress about every 64 KiB, and
    /// fails with `cancelled` if the callback returns `Break`.
    ///
    /// ```
    /// use rollbook::{Engine, Options};
    /// use std::ops::ControlFlow;
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// let line = br#"{"type":"grade","school_id":1,"grade_id":9,"grade":"7"}"#;
    /// let cancelled = engine.apply_with(&line[..], |progress| {
    ///     assert_eq!(progress.bytes, 55);
    ///     ControlFlow::Break(()) // the user has closed the window
    /// });
    /// assert_eq!(cancelled.unwrap_err().code(), "cancelled");
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails as [`apply`](Self::apply) does, and with `cancelled`.
    pub fn apply_with(
        &self,
        dataset: impl Read,
        progress: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Summary> {
        pump(self.load(), dataset, progress)
    }

    /// Applies a dataset that contains one school completely. Stored records of the school that the
    /// dataset lacks are removed.
    ///
    /// The dataset may also contain API types and integrators; those that it lacks remain. A
    /// `client_integration` without a `state` retains its stored state. If the school was synced,
    /// it is no longer synced.
    ///
    /// ```
    /// use rollbook::{Engine, Options};
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// engine.apply(r#"
    /// {"type":"school","school_id":1,"current_year":2026}
    /// {"type":"learner","school_id":1,"id":7,"last_name":"Smith","grade_id":9}
    /// {"type":"learner","school_id":1,"id":8,"last_name":"Dlamini","grade_id":9}
    /// "#.as_bytes())?;
    ///
    /// let summary = engine.replace_school(1, r#"
    /// {"type":"school","school_id":1,"current_year":2026}
    /// {"type":"learner","school_id":1,"id":7,"last_name":"Smith-Naidoo","grade_id":9}
    /// "#.as_bytes())?;
    /// let total = summary.total();
    /// assert_eq!((total.changed, total.removed, total.unchanged), (1, 1, 1));
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails as [`apply`](Self::apply) does. A record of another school is an error in the dataset.
    pub fn replace_school(&self, school: u64, dataset: impl Read) -> Result<Summary> {
        self.replace_school_with(school, dataset, |_| ControlFlow::Continue(()))
    }

    /// Applies a dataset like [`replace_school`](Self::replace_school), and reports its progress as
    /// [`apply_with`](Self::apply_with) does.
    ///
    /// ```
    /// use rollbook::{Engine, Options};
    /// use std::ops::ControlFlow;
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// let line = br#"{"type":"school","school_id":1,"current_year":2026}"#;
    /// let cancelled = engine.replace_school_with(1, &line[..], |_| ControlFlow::Break(()));
    /// assert_eq!(cancelled.unwrap_err().code(), "cancelled");
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails as [`replace_school`](Self::replace_school) does, and with `cancelled`.
    pub fn replace_school_with(
        &self,
        school: u64,
        dataset: impl Read,
        progress: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Summary> {
        pump(self.load_school(school), dataset, progress)
    }

    /// Begins a load, into which the bytes of a dataset are pushed.
    ///
    /// ```
    /// use rollbook::{Engine, Options};
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// let mut load = engine.load();
    /// for piece in ["{\"type\":\"grade\",\"school_id\":1,", "\"grade_id\":9}\n"] {
    ///     load.push(piece.as_bytes())?; // as it arrives from the network
    /// }
    /// assert_eq!(load.finish()?.total().added, 1);
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    pub fn load(&self) -> Load {
        self.begin(Mode::Apply, None)
    }

    /// Begins a load of one complete school, into which the bytes of a dataset are pushed. See
    /// [`replace_school`](Self::replace_school).
    ///
    /// ```
    /// use rollbook::{Engine, Options};
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// let line = br#"{"type":"grade","school_id":1,"grade_id":9}"#;
    /// engine.apply(&line[..])?;
    /// let load = engine.load_school(1);
    /// // Nothing is pushed: the school has no records any more.
    /// assert_eq!(load.finish()?.total().removed, 1);
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    pub fn load_school(&self, school: u64) -> Load {
        self.begin(Mode::Replace(school), None)
    }

    pub(super) fn begin(&self, mode: Mode, key: Option<IdempotencyKey>) -> Load {
        Load::new(self.store.clone(), self.entropy.clone(), mode, key)
    }

    /// Returns all errors in a dataset, up to a limit, in the order of its lines. Nothing is
    /// applied.
    ///
    /// Missing schools are reported only if every line is valid by itself.
    ///
    /// ```
    /// use rollbook::{Engine, Options};
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// let faults = engine.check(r#"
    /// {"type":"learner","school_id":1,"id":7,"date_of_birth":"2018-02-30"}
    /// {"type":"learner","school_id":1,"id":8,"colour":"blue"}
    /// "#.as_bytes(), 100)?;
    /// assert_eq!(faults.iter().map(|fault| fault.line).collect::<Vec<_>>(), [2, 3]);
    /// assert!(faults[0].what.contains(r#""2018-02-30" is not a date"#));
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails with `suspended` or `closed`, with `io` if the dataset cannot be read, and with `busy`
    /// as a change does.
    pub fn check(&self, mut dataset: impl Read, limit: usize) -> Result<Vec<Fault>> {
        // A dataset with errors in its lines is not checked against the store, so the state of the
        // engine is checked first.
        self.store.read(|_| Ok(()))?;
        let mut load = self.begin(Mode::Check(limit), None);
        push_all(&mut load, &mut dataset, |_| ControlFlow::Continue(()))?;
        Ok(load.finish_check(limit)?)
    }

    /// Removes every record of a school, including the authorisations that it gave. An unknown
    /// school is not an error. Unused pages of the file may contain its bytes until
    /// [`compact`](Self::compact) is called.
    ///
    /// ```
    /// use rollbook::{Engine, Options};
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// engine.apply(r#"
    /// {"type":"school","school_id":1,"current_year":2026}
    /// {"type":"learner","school_id":1,"id":7,"last_name":"Smith","grade_id":9}
    /// {"type":"learner","school_id":1,"id":8,"last_name":"Dlamini","grade_id":9}
    /// "#.as_bytes())?;
    ///
    /// assert_eq!(engine.remove_school(1)?.total().removed, 3);
    /// engine.compact()?; // removes its bytes from the file
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails with `busy` or `io`; nothing is changed in this case.
    pub fn remove_school(&self, school: u64) -> Result<Summary> {
        remove_school(self, school, None)
    }

    /// Erases a learner: the learner, all records that belong to it (its subjects, marks, absences
    /// and discipline), and their remains in unused pages of the file.
    ///
    /// Parents and accountable persons are not erased, because they are other people, unless the
    /// store follows some learners of the school and no other one refers to them. A load in
    /// progress adds the learner again if its dataset contains it. If the school is synced, or the
    /// store follows another one, neither sync nor feeds add the learner again: a digest of its id
    /// is stored for this purpose until the school is removed or replaced. If the process is killed
    /// meanwhile, the erasure is completed when the store is opened again.
    ///
    /// ```
    /// use rollbook::{Engine, Options};
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// engine.apply(r#"
    /// {"type":"school","school_id":1,"current_year":2026}
    /// {"type":"learner","school_id":1,"id":7,"last_name":"Smith","grade_id":9}
    /// {"type":"learner","school_id":1,"id":8,"last_name":"Dlamini","grade_id":9}
    /// "#.as_bytes())?;
    ///
    /// assert_eq!(engine.erase_learner(1, 7)?.total().removed, 1);
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails with `busy` if a change or a backup does not finish in time, or with `io`. Call it
    /// again in this case. An export or a feed that is not read completely by then fails with
    /// `reader_ended`; new ones begin after the erasure. In a browser, it fails with `busy` at once
    /// while an export or a feed is being read.
    pub fn erase_learner(&self, school: u64, learner: u64) -> Result<Summary> {
        erase_learner(self, school, learner, None)
    }

    /// Exports all records as a dataset, line by line. The store remains open until the export is
    /// read or dropped, even if the engine is dropped before.
    ///
    /// The export does not contain the coverage of a synced school. If it is applied to another
    /// store, the school has exactly the records of the export, and data that was not fetched
    /// counts as absent. A [`backup`](Self::backup) contains the coverage.
    ///
    /// ```
    /// use rollbook::{Credentials, Engine, Options};
    /// use std::io::Write;
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// engine.apply(r#"
    /// {"type":"school","school_id":1,"current_year":2026}
    /// {"type":"learner","school_id":1,"id":7,"last_name":"Smith","grade_id":9}
    /// {"type":"learner","school_id":1,"id":8,"last_name":"Dlamini","grade_id":9}
    /// "#.as_bytes())?;
    ///
    /// let mut file = Vec::new(); // or a File
    /// for line in engine.export(Credentials::LeaveOut)? {
    ///     writeln!(file, "{}", line?)?;
    /// }
    /// let copy = Engine::memory(Options::default())?;
    /// assert_eq!(copy.apply(&file[..])?.total().added, 3);
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails with `suspended` or `closed`, and with `io` or `corrupt` if the store fails. While the
    /// export is read, it can fail with `reader_ended`, and with `closed` once the engine is
    /// closed.
    pub fn export(&self, credentials: Credentials) -> Result<Export> {
        let lease = self.store.lease()?;
        Ok(Export::new(lease, credentials == Credentials::Keep))
    }

    /// Exports all records under pseudonyms, for tests, or for readers who need the structure of a
    /// school but not its people. In other respects it works like [`export`](Self::export).
    ///
    /// - Ids are replaced by larger ones in the same order, which are the same for all kinds, so
    ///   that references between records remain valid. No id remains unchanged.
    /// - Texts retain their length, case, script, accents and punctuation; every letter and digit
    ///   is replaced by another one. A part of a learner's name becomes a part of its pseudonym, so
    ///   that searches find the same number of learners.
    /// - Dates and years move by 28 years, so that the days of the week remain the same; dates of
    ///   birth move by up to 15 more days.
    /// - The marks of an assessment are exchanged between the learners that have one. Term marks
    ///   and incomes retain their first digit.
    /// - States, flags, weights, discipline points, the school's offset from UTC and API types
    ///   remain unchanged. Integrators and client integrations are omitted.
    ///
    /// Therefore a request with the new ids, names and days has the same status and the same number
    /// of records. The same key always results in the same pseudonyms. A key consists of 32 random
    /// bytes; store it secretly or discard it. **This is not anonymous**: someone who knows a
    /// family of eleven, or a learner's absences, finds them. A learner's name is encrypted letter
    /// by letter, like a cryptogram in a newspaper: no one reads it by accident, but anyone can
    /// solve it with enough names. Therefore share the export only with people to whom you would
    /// entrust the school's data.
    ///
    /// ```
    /// use rollbook::{Engine, Options};
    /// let engine = Engine::memory(Options::default())?;
    /// engine.apply(r#"{"type":"learner","school_id":1,"id":7,"last_name":"Smith"}"#.as_bytes())?;
    /// let key = [7; 32]; // from a random number generator
    /// let lines = engine.export_pseudonymised(&key)?.collect::<Result<Vec<_>, _>>()?;
    /// assert!(!lines.concat().contains("Smith"));
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails as [`export`](Self::export) does, and while it is read with `unsupported` if an id is
    /// within 2^52 of 2^64.
    pub fn export_pseudonymised(&self, key: &[u8; 32]) -> Result<Export> {
        let lease = self.store.lease()?;
        Ok(Export::pseudonymised(lease, key))
    }
}

pub(super) fn remove_school(
    engine: &Engine,
    school: u64,
    key: Option<&IdempotencyKey>,
) -> Result<Summary> {
    let summary = engine.store.write(|write| {
        dataset::once(write, key, |write| {
            write.remove_idempotency_records()?;
            dataset::remove_school(write, school)
        })
    })?;
    if summary.total().removed > SMALL {
        engine.store.compact_if_wasteful();
    }
    Ok(summary)
}

/// The number of removed records up to which the removal leaves little unused space in the file.
const SMALL: u64 = 1000;

pub(super) fn erase_learner(
    engine: &Engine,
    school: u64,
    learner: u64,
    key: Option<&IdempotencyKey>,
) -> Result<Summary> {
    let summary = engine.store.write(|write| {
        dataset::once(write, key, |write| {
            write.mark_for_erasure()?;
            dataset::erase_learner(write, school, learner)
        })
    })?;
    engine.store.erase_leftovers()?;
    Ok(summary)
}

fn pump(
    mut load: Load,
    mut dataset: impl Read,
    progress: impl FnMut(Progress) -> ControlFlow<()>,
) -> Result<Summary> {
    push_all(&mut load, &mut dataset, progress)?;
    load.finish()
}

fn push_all(
    load: &mut Load,
    dataset: &mut impl Read,
    mut progress: impl FnMut(Progress) -> ControlFlow<()>,
) -> Result<()> {
    let mut buffer = vec![0; 64 << 10];
    loop {
        let read = match dataset.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(read) => read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error.into()),
        };
        load.push(buffer.get(..read).unwrap_or_default())?;
        if progress(load.progress()).is_break() {
            return Err(Error::Cancelled);
        }
    }
}
