//! Datasets in and out.

use super::{Credentials, Engine};
use crate::dataset::{self, Export, IdempotencyKey, Load, Mode, Progress, Summary};
use crate::error::public::Result;
use crate::error::{Error, Fault};
use std::io::Read;
use std::ops::ControlFlow;

impl Engine {
    /// Applies a dataset: all of it, durably, or nothing.
    ///
    /// Memory stays bounded whatever its size, and readers go on meanwhile.
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
    /// `bad_dataset` for the first fault, with its line; `busy` if another
    /// change does not end in time; `synced` if it has records of a school that is
    /// synced, other than its client integrations; `io` if the dataset could not be
    /// read or the store could not be written.
    pub fn apply(&self, dataset: impl Read) -> Result<Summary> {
        self.apply_with(dataset, |_| ControlFlow::Continue(()))
    }

    /// Like [`apply`](Self::apply); tells how far it has come about every
    /// 64 KiB, and gives up as `cancelled` when told to break.
    ///
    /// ```
    /// use rollbook::{Engine, Options};
    /// use std::ops::ControlFlow;
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// let line = br#"{"type":"grade","school_id":1,"grade_id":9,"grade":"7"}"#;
    /// let given_up = engine.apply_with(&line[..], |progress| {
    ///     assert_eq!(progress.bytes, 55);
    ///     ControlFlow::Break(()) // the user has closed the window
    /// });
    /// assert_eq!(given_up.unwrap_err().code(), "cancelled");
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`apply`](Self::apply), and `cancelled`.
    pub fn apply_with(
        &self,
        dataset: impl Read,
        progress: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Summary> {
        pump(self.load(), dataset, progress)
    }

    /// Applies a dataset that is the whole of one school: what it lacks goes.
    ///
    /// It may bring API types and integrators along; those that it lacks stay.
    /// A `client_integration` without a `state` keeps the one it has. A school that
    /// was synced is synced no more.
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
    /// As [`apply`](Self::apply); a record of another school is a fault.
    pub fn replace_school(&self, school: u64, dataset: impl Read) -> Result<Summary> {
        self.replace_school_with(school, dataset, |_| ControlFlow::Continue(()))
    }

    /// Like [`replace_school`](Self::replace_school); tells how far it has come
    /// and may be told to break, as [`apply_with`](Self::apply_with).
    ///
    /// ```
    /// use rollbook::{Engine, Options};
    /// use std::ops::ControlFlow;
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// let line = br#"{"type":"school","school_id":1,"current_year":2026}"#;
    /// let given_up = engine.replace_school_with(1, &line[..], |_| ControlFlow::Break(()));
    /// assert_eq!(given_up.unwrap_err().code(), "cancelled");
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`replace_school`](Self::replace_school), and `cancelled`.
    pub fn replace_school_with(
        &self,
        school: u64,
        dataset: impl Read,
        progress: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Summary> {
        pump(self.load_school(school), dataset, progress)
    }

    /// A load that bytes are pushed into.
    ///
    /// ```
    /// use rollbook::{Engine, Options};
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// let mut load = engine.load();
    /// for piece in ["{\"type\":\"grade\",\"school_id\":1,", "\"grade_id\":9}\n"] {
    ///     load.push(piece.as_bytes())?; // as it comes from the network
    /// }
    /// assert_eq!(load.finish()?.total().added, 1);
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    pub fn load(&self) -> Load {
        self.begin(Mode::Apply, None)
    }

    /// A load of the whole of one school, that bytes are pushed into: see
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

    /// Every fault of a dataset, at most so many, in the order of its lines.
    /// Nothing is applied.
    ///
    /// A missing school is looked for only if every line is good by itself.
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
    /// `suspended`, `closed`; `io` if the dataset could not be read; `busy` as for
    /// a change.
    pub fn check(&self, mut dataset: impl Read, limit: usize) -> Result<Vec<Fault>> {
        // Faults of lines alone would not reach the store.
        self.store.read(|_| Ok(()))?;
        let mut load = self.begin(Mode::Check(limit), None);
        push_all(&mut load, &mut dataset, |_| ControlFlow::Continue(()))?;
        Ok(load.finish_check(limit)?)
    }

    /// Removes every record of a school, the authorisations that it gave
    /// included. An unknown school is no error. Old pages of the file may hold
    /// bytes of it until [`compact`](Self::compact) is called.
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
    /// engine.compact()?; // nothing of it is left in the file
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    ///
    /// # Errors
    /// `busy` or `io`; nothing is changed then.
    pub fn remove_school(&self, school: u64) -> Result<Summary> {
        remove_school(self, school, None)
    }

    /// Erases a learner: the learner, its subjects, marks and absences, and
    /// what old pages of the file still hold of them.
    ///
    /// Parents and accountable persons are people of their own and stay. A load
    /// that is under way brings back whom its dataset holds. If the school is synced,
    /// sync does not bring the learner back: a digest of the id is kept for that,
    /// until the school is removed or replaced.
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
    /// `busy` if a change, an export or a backup does not end in time; `io`.
    /// Call it again then.
    pub fn erase_learner(&self, school: u64, learner: u64) -> Result<Summary> {
        erase_learner(self, school, learner, None)
    }

    /// Everything that is kept, as a dataset again, line by line. The store
    /// stays open until the export is read or dropped, even if the engine goes.
    ///
    /// It does not say what was seen of a school that is synced. Applied elsewhere, the
    /// school has what the export has, and what was not seen is taken not to be. A
    /// [`backup`](Self::backup) keeps what was seen.
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
    /// `suspended`, `closed`; `io` or `corrupt` if the store fails.
    pub fn export(&self, credentials: Credentials) -> Result<Export> {
        let lease = self.store.lease()?;
        Ok(Export::new(lease, credentials == Credentials::Keep))
    }
}

pub(super) fn remove_school(
    engine: &Engine,
    school: u64,
    key: Option<&IdempotencyKey>,
) -> Result<Summary> {
    let summary = engine.store.write(|write| {
        dataset::once(write, key, |write| {
            write.forget_receipts()?;
            dataset::remove_school(write, school)
        })
    })?;
    if summary.total().removed > SMALL {
        engine.store.tidy();
    }
    Ok(summary)
}

/// A school of so few records leaves little behind.
const SMALL: u64 = 1000;

pub(super) fn erase_learner(
    engine: &Engine,
    school: u64,
    learner: u64,
    key: Option<&IdempotencyKey>,
) -> Result<Summary> {
    let summary = engine.store.write(|write| {
        dataset::once(write, key, |write| {
            dataset::erase_learner(write, school, learner)
        })
    })?;
    // Also if it was erased before: what old pages hold may still be there.
    engine.store.compact()?;
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
