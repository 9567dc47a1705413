//! The engine: forwards every call to the engine of the crate `rollbook`.

use crate::dataset::{Dataset, LoadListener, load_with_listener};
use crate::error::{Result, RollbookError};
use crate::export::Export;
use crate::load::Load;
use crate::options::Options;
use crate::question::{Page, Question};
use crate::report::{Stats, Summary};
use crate::request::{Answer, Request, Upgrade};
use crate::sync::{Coverage, Sync, SyncOptions};
use rollbook::{Credentials, Fault, SetState, Verification};
use std::sync::Arc;

/// A school administration system's integration API over a store on this device.
///
/// Load the data of a school as a dataset and send the same requests as to the service. The engine
/// answers with the exact JSON of v1 or v2, and implements every rule. It can be used from several
/// threads at once. Every call blocks until it is finished; most calls take microseconds.
#[derive(uniffi::Object)]
pub struct Engine {
    engine: rollbook::Engine,
}

#[uniffi::export]
impl Engine {
    /// Opens the store in a file, or creates one if no file exists. An empty file is not a store. A
    /// new store is first written next to the path as `rollbook-….part`. If the process is killed
    /// meanwhile, that file remains and can be removed.
    ///
    /// A forked process must open its own store. With an engine inherited from its parent it can
    /// only read what is in memory; every other call fails with `unsupported`.
    ///
    /// Fails with `already_open` if another engine, in this or another process, has the store open,
    /// and with `not_a_store`, `newer_format` or `corrupt` if it cannot be read. Every change fails
    /// with `missing` once the file is no longer at the path; questions, an export and a backup
    /// still use the open file.
    #[uniffi::constructor(default(options = None))]
    pub fn open(path: &str, options: Option<Options>) -> Result<Arc<Engine>> {
        let options = options.unwrap_or_default().into();
        let engine = rollbook::Engine::open(path, options)?;
        Ok(Arc::new(Engine { engine }))
    }

    /// Opens an empty store in memory, which is discarded with the engine.
    #[uniffi::constructor(default(options = None))]
    pub fn memory(options: Option<Options>) -> Result<Arc<Engine>> {
        let options = options.unwrap_or_default().into();
        let engine = rollbook::Engine::memory(options)?;
        Ok(Arc::new(Engine { engine }))
    }

    /// Answers a request as the service does, including the access checks.
    ///
    /// If the store fails, or the engine is suspended or closed, the answer is a 500 with an
    /// explanation.
    pub fn request(&self, request: &Request) -> Result<Answer> {
        Ok(request.with(|request| self.engine.request(request)).into())
    }

    /// Answers several requests, one after the other. This is faster than a call for each, because
    /// the call from another language takes longer than most answers.
    pub fn requests(&self, requests: &[Request]) -> Result<Vec<Answer>> {
        let requests = requests.iter();
        requests.map(|request| self.request(request)).collect()
    }

    /// Answers a question of a trusted app, without credentials, authorisation and activation. The
    /// body is the same as that of v1's answer to a request that passes these checks. `now` is the
    /// instant for which the question is answered, in seconds since 1970-01-01T00:00:00Z. The
    /// default is the instant of the engine's clock.
    ///
    /// If the API refuses the question or finds nothing, this is an answer and not an error. Fails
    /// with `suspended` or `closed`, with `not_synced` if the school is synced and the data was not
    /// fetched yet, with `io` or `corrupt` if the store fails, and with `bad_argument` if a text is
    /// not a date.
    #[uniffi::method(default(now = None))]
    pub fn ask(&self, question: &Question, now: Option<i64>) -> Result<Answer> {
        let asked = question.to_core()?;
        write_answer(|body| self.engine.ask_into(&*asked, now, body))
    }

    /// Answers one page of a question in the format of v2 (section 9, item 3). In other respects it
    /// works like `ask`.
    #[uniffi::method(default(now = None))]
    pub fn page(&self, question: &Question, page: &Page, now: Option<i64>) -> Result<Answer> {
        let asked = question.to_core()?;
        write_answer(|body| self.engine.page_into(&*asked, &page.to_core(), now, body))
    }

    /// Answers with the first record that matches a question, in the format of v2 for one record
    /// (section 9, item 1): an object, or 404. In other respects it works like `ask`.
    #[uniffi::method(default(now = None))]
    pub fn find(&self, question: &Question, now: Option<i64>) -> Result<Answer> {
        let asked = question.to_core()?;
        write_answer(|body| self.engine.find_into(&*asked, now, body))
    }

    /// Sets whether an integrator serves a school's API type (4.8), for a trusted app. The status
    /// is 200 if the state was changed, and 204 if it was the same already.
    ///
    /// If the API refuses the update, this is an answer and not an error. Fails with `busy` if a
    /// load does not finish in time, with `synced` if the school is synced without an outbox, and
    /// with `io` if the change cannot be written.
    pub fn set_state(
        &self,
        username: &str,
        school: u64,
        api_type_id: u64,
        active: bool,
    ) -> Result<Answer> {
        let set = SetState {
            username,
            school,
            api_type_id,
            state: active,
        };
        Ok(self.engine.set_state(&set)?.into())
    }

    /// Returns the v2 request for the data of a v1 request, which is given by its path and query
    /// string (section 9).
    ///
    /// Fails with `bad_argument` if the target does not belong to v1, if v1 does not have its path,
    /// or if v1 refuses it too.
    pub fn upgrade(&self, target: &str) -> Result<Upgrade> {
        let upgraded = self.engine.upgrade(target);
        let upgraded = upgraded.map_err(|none| RollbookError::BadArgument(none.to_string()))?;
        Ok(upgraded.into())
    }

    /// Applies a dataset: all of it, durably, or nothing.
    ///
    /// If the dataset is read from a file, the memory use is limited, whatever its size. Questions
    /// are answered meanwhile. Applying the same dataset again writes nothing.
    ///
    /// Fails as `bad_dataset` for the first fault, with its line; as `busy` if another change does
    /// not finish in time; as `synced` if the dataset has records that only the source of a synced
    /// or followed school may change; as `io` if the dataset cannot be read or the store cannot be
    /// written; as `cancelled` if the listener returned false, and as `listener_failed` if it threw
    /// an error.
    #[uniffi::method(default(listener = None))]
    pub fn apply(
        &self,
        dataset: Dataset,
        listener: Option<Box<dyn LoadListener>>,
    ) -> Result<Summary> {
        let dataset = dataset.open()?;
        let applied = load_with_listener(listener, |progress| {
            self.engine.apply_with(dataset, progress)
        });
        Ok(applied?.into())
    }

    /// Applies a dataset that contains one school completely. Stored records of the school that the
    /// dataset lacks are removed.
    ///
    /// The dataset may also contain API types and integrators; those that it lacks remain. Fails as
    /// `apply` does. A record of another school is an error in the dataset.
    #[uniffi::method(default(listener = None))]
    pub fn replace_school(
        &self,
        school: u64,
        dataset: Dataset,
        listener: Option<Box<dyn LoadListener>>,
    ) -> Result<Summary> {
        let dataset = dataset.open()?;
        let replaced = load_with_listener(listener, |progress| {
            self.engine.replace_school_with(school, dataset, progress)
        });
        Ok(replaced?.into())
    }

    /// Begins a load, into which the bytes of a dataset are pushed.
    pub fn load(&self) -> Result<Arc<Load>> {
        Ok(Arc::new(Load::new(self.engine.load())))
    }

    /// Begins a load of one complete school, into which the bytes of a dataset are pushed. See
    /// `replace_school`.
    pub fn load_school(&self, school: u64) -> Result<Arc<Load>> {
        Ok(Arc::new(Load::new(self.engine.load_school(school))))
    }

    /// Returns all errors in a dataset, up to a limit, in the order of its lines. Nothing is
    /// applied.
    ///
    /// Fails with `io` if the dataset cannot be read, and with `busy` as a change does.
    #[uniffi::method(default(limit = 100))]
    pub fn check(&self, dataset: Dataset, limit: u32) -> Result<Vec<Fault>> {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        Ok(self.engine.check(dataset.open()?, limit)?)
    }

    /// Removes every record of a school, including the authorisations that it gave. An unknown
    /// school is not an error. Unused pages of the file may contain its bytes until `compact` is
    /// called.
    ///
    /// Fails with `suspended`, `closed`, `busy` or `io`; nothing is changed in this case.
    pub fn remove_school(&self, school: u64) -> Result<Summary> {
        Ok(self.engine.remove_school(school)?.into())
    }

    /// Erases a learner: the learner, all records that belong to it (its subjects, marks, absences
    /// and discipline), and their remains in unused pages of the file. Parents and accountable
    /// persons are not erased, because they are other people, unless the store follows some learners
    /// of the school and no other one refers to them.
    ///
    /// Fails with `suspended` or `closed`, with `busy` if a change or a backup does not finish in
    /// time, or with `io`. Call it again if it fails with `busy` or `io`. An export or feed that is
    /// not read completely within five seconds fails with `reader_ended`.
    pub fn erase_learner(&self, school: u64, learner: u64) -> Result<Summary> {
        Ok(self.engine.erase_learner(school, learner)?.into())
    }

    /// Starts a sync, which fills a school from the service. An unfinished pass is resumed.
    /// Afterwards, questions about data that was not fetched fail with `not_synced`, and requests
    /// are answered with 503.
    ///
    /// Fails with `bad_argument` or `unsupported` if an option is invalid, with `unsupported` if
    /// the school follows another store, and with `busy`, `suspended`, `closed` or `io`.
    #[uniffi::method(default(options = None))]
    pub fn sync(&self, school: u64, options: Option<SyncOptions>) -> Result<Arc<Sync>> {
        let options = options.unwrap_or_default().to_core()?;
        Ok(Sync::new(self.engine.sync(school, options)?))
    }

    /// Returns the coverage of a synced school: which data was fetched, and when. Returns nothing
    /// for any other school.
    ///
    /// Fails with `suspended` or `closed`, and with `io` or `corrupt` if the store fails.
    pub fn synced(&self, school: u64) -> Result<Option<Coverage>> {
        Ok(self.engine.synced(school)?.map(Coverage::from))
    }

    /// Ends the sync of a school. Its records remain, and count as complete: data that was not
    /// fetched is answered as if it did not exist. From then on, the app may change the records. A
    /// school that is not synced remains unchanged.
    ///
    /// Fails with `busy` or `io`; nothing is changed in this case.
    pub fn forget_sync(&self, school: u64) -> Result<()> {
        Ok(self.engine.forget_sync(school)?)
    }

    /// Begins an export of all records. Fails with `suspended` or `closed`.
    pub fn export(&self, credentials: Credentials) -> Result<Arc<Export>> {
        let export = self.engine.export(credentials)?;
        Ok(Arc::new(Export::new(export)))
    }

    /// Begins an export of all records under pseudonyms, for tests, or for readers who need the
    /// structure of a school but not its people. Ids, texts and dates are replaced, and the same
    /// key always results in the same pseudonyms. Order, relations, lengths and the differences
    /// between dates remain. Therefore a request with the new ids, names and days has the same
    /// status and the same number of records. Integrators are omitted. The export is not anonymous:
    /// someone who knows some of the people can find them, and names can be solved like a
    /// cryptogram.
    ///
    /// The key consists of 32 random bytes; store it secretly or discard it. Fails with `suspended`
    /// or `closed`, and with `bad_argument` if the key does not have 32 bytes.
    pub fn export_pseudonymised(&self, key: Vec<u8>) -> Result<Arc<Export>> {
        let key: [u8; 32] = key.try_into().map_err(|key: Vec<u8>| {
            let length = key.len();
            RollbookError::BadArgument(format!("the key has {length} bytes: give 32 random ones"))
        })?;
        let export = self.engine.export_pseudonymised(&key)?;
        Ok(Arc::new(Export::new(export)))
    }

    /// Checks the whole store for damage and for inconsistent records. Changes nothing; questions
    /// are answered meanwhile.
    ///
    /// Damage is part of the result and not an error. Fails with `busy` if a change does not finish
    /// in time.
    pub fn verify(&self) -> Result<Verification> {
        Ok(self.engine.verify()?)
    }

    /// Returns free space to the file system, and removes all remains of removed records from the
    /// file. Questions wait meanwhile, and the file temporarily needs up to twice the space.
    ///
    /// Fails with `busy` if a change or a backup does not finish in time, with `io` if there is not
    /// enough space, with `corrupt` if the file is damaged, and with `missing` if it was deleted or
    /// replaced. In these cases the store remains unchanged. An export or feed that is not read
    /// completely within five seconds fails with `reader_ended`.
    pub fn compact(&self) -> Result<()> {
        Ok(self.engine.compact()?)
    }

    /// Writes a copy of the current state of the store to a new file. Changes and questions
    /// continue meanwhile. Only the owner of the file can read it, because it contains personal
    /// data, and password hashes if credentials are included.
    ///
    /// Until the copy is complete, its name is `rollbook-….part`, in the same folder. If the
    /// process is killed meanwhile, that file remains and contains personal data: remove it.
    ///
    /// Fails with `exists` if there is a file at the path, and with `io` if the copy cannot be
    /// written. In the latter case nothing remains at the path.
    pub fn backup(&self, path: &str, credentials: Credentials) -> Result<()> {
        Ok(self.engine.backup(path, credentials)?)
    }

    /// Closes the file and releases its lock until `resume` is called, as a mobile app must when it
    /// is moved to the background. Calls fail with `suspended` meanwhile.
    ///
    /// Fails with `busy` if a change or a backup does not finish in time, and with `unsupported`
    /// unless the store is in a file. An export or feed that is not read completely within five
    /// seconds fails with `reader_ended`.
    pub fn suspend(&self) -> Result<()> {
        Ok(self.engine.suspend()?)
    }

    /// Opens the file again after `suspend`. The store that is now at the path is opened. Does
    /// nothing if the engine is not suspended.
    ///
    /// Fails as `open` does, but with `missing` if there is no file, because none is created.
    pub fn resume(&self) -> Result<()> {
        Ok(self.engine.resume()?)
    }

    /// Returns the size of the store and the number of its records. Fails with `suspended` or
    /// `closed`.
    pub fn stats(&self) -> Result<Stats> {
        Ok(self.engine.stats()?.into())
    }

    /// Closes the store and its file. Every later call fails with `closed`. Closing again has no
    /// effect.
    ///
    /// Fails with `busy` if a load does not finish in time.
    pub fn close(&self) -> Result<()> {
        Ok(self.engine.close()?)
    }

    /// Returns the address of the engine in memory. Only the package itself uses it, for direct
    /// calls.
    pub fn address(&self) -> u64 {
        std::ptr::from_ref(self) as usize as u64
    }
}

impl Engine {
    pub(crate) fn inner(&self) -> &rollbook::Engine {
        &self.engine
    }
}

/// Returns an answer whose body is written by `ask`.
fn write_answer(
    ask: impl FnOnce(&mut Vec<u8>) -> rollbook::Result<rollbook::Status>,
) -> Result<Answer> {
    let mut body = Vec::new();
    let status = ask(&mut body)?;
    Ok(rollbook::Answer { status, body }.into())
}
