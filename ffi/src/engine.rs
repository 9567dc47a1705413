//! The engine: everything that is asked of it, passed on.

use crate::dataset::{Dataset, LoadListener, heard};
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
/// Give it a school's data as a dataset, ask it the requests of the service, and
/// it answers with the exact JSON of v1 or v2, every rule included. It may be
/// used from several threads at once; every call blocks until it is done, most
/// for microseconds.
#[derive(uniffi::Object)]
pub struct Engine {
    engine: rollbook::Engine,
}

#[uniffi::export]
impl Engine {
    /// Opens the store in a file, and makes one where nothing is: a file that is
    /// empty is no store. A new store is written beside the path as
    /// `rollbook-….part`; should the process be killed meanwhile, that file stays,
    /// and may be removed.
    ///
    /// A process that is forked opens a store of its own: of an engine that it
    /// inherits it reads what lies in memory, and every other call fails as
    /// `unsupported`.
    ///
    /// Fails as `already_open` if an engine holds it, here or in another process;
    /// as `not_a_store`, `newer_format` or `corrupt` if it cannot be read. Every
    /// change fails as `missing` once the file is no longer at the path; questions,
    /// an export and a backup still see what is open.
    #[uniffi::constructor(default(options = None))]
    pub fn open(path: &str, options: Option<Options>) -> Result<Arc<Engine>> {
        let options = options.unwrap_or_default().into();
        let engine = rollbook::Engine::open(path, options)?;
        Ok(Arc::new(Engine { engine }))
    }

    /// Opens an empty store that lives in memory and goes with the engine.
    #[uniffi::constructor(default(options = None))]
    pub fn memory(options: Option<Options>) -> Result<Arc<Engine>> {
        let options = options.unwrap_or_default().into();
        let engine = rollbook::Engine::memory(options)?;
        Ok(Arc::new(Engine { engine }))
    }

    /// Answers a request as the service does, rules of access included.
    ///
    /// If the store fails or the engine is suspended or closed, the answer is a
    /// 500 that says so.
    pub fn request(&self, request: &Request) -> Result<Answer> {
        Ok(request.with(|request| self.engine.request(request)).into())
    }

    /// Answers several requests, one after the other: to cross the language
    /// boundary costs more than most answers.
    pub fn requests(&self, requests: &[Request]) -> Result<Vec<Answer>> {
        let requests = requests.iter();
        requests.map(|request| self.request(request)).collect()
    }

    /// Answers a question of an app that is trusted: no credentials, no
    /// authorisation, no activation. The body is that of v1's answer to a request
    /// which has passed them. `now` is the instant to answer for, in seconds since
    /// 1970-01-01T00:00:00Z; the engine's clock unless given.
    ///
    /// What the API refuses or does not find is an answer. Fails as `suspended`
    /// or `closed`; as `io` or `corrupt` if the store fails; as `bad_argument`
    /// if a text is no date.
    #[uniffi::method(default(now = None))]
    pub fn ask(&self, question: &Question, now: Option<i64>) -> Result<Answer> {
        let asked = question.as_asked()?;
        answered(|body| self.engine.ask_into(&*asked, now, body))
    }

    /// Answers one page of a question as v2 does (section 9, item 3); otherwise
    /// as `ask`.
    #[uniffi::method(default(now = None))]
    pub fn page(&self, question: &Question, page: &Page, now: Option<i64>) -> Result<Answer> {
        let asked = question.as_asked()?;
        answered(|body| self.engine.page_into(&*asked, &page.as_asked(), now, body))
    }

    /// Answers the first record that a question finds as v2 answers one record
    /// (section 9, item 1): an object, or 404. Otherwise as `ask`.
    #[uniffi::method(default(now = None))]
    pub fn find(&self, question: &Question, now: Option<i64>) -> Result<Answer> {
        let asked = question.as_asked()?;
        answered(|body| self.engine.find_into(&*asked, now, body))
    }

    /// Sets whether an integrator serves a school's API type (4.8), for an app
    /// that is trusted: 200 if that changed something, 204 if it was so already.
    ///
    /// What the API refuses is an answer. Fails as `busy` if a load does not end
    /// in time, as `io` if the change could not be written.
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

    /// The v2 request for the data of a v1 one, given its path and query string
    /// (section 9).
    ///
    /// Fails as `bad_argument` if the target is not of v1, or of none of its
    /// paths, or if v1 refuses it as well.
    pub fn upgrade(&self, target: &str) -> Result<Upgrade> {
        let upgraded = self.engine.upgrade(target);
        let upgraded = upgraded.map_err(|none| RollbookError::BadArgument(none.to_string()))?;
        Ok(upgraded.into())
    }

    /// Applies a dataset: all of it, durably, or nothing.
    ///
    /// Memory stays bounded if it is read from a file, and questions go on
    /// meanwhile. Applying the same dataset again writes nothing.
    ///
    /// Fails as `bad_dataset` for the first fault, with its line; as `busy` if
    /// another change does not end in time; as `io` if the dataset could not be
    /// read or the store could not be written; as `cancelled` if the listener said
    /// so, and as `listener_failed` if it threw.
    #[uniffi::method(default(listener = None))]
    pub fn apply(
        &self,
        dataset: Dataset,
        listener: Option<Box<dyn LoadListener>>,
    ) -> Result<Summary> {
        let dataset = dataset.open()?;
        let applied = heard(listener, |progress| {
            self.engine.apply_with(dataset, progress)
        });
        Ok(applied?.into())
    }

    /// Applies a dataset that is the whole of one school: what it lacks goes.
    ///
    /// It may bring API types and integrators along; those that it lacks stay.
    /// Fails as `apply`; a record of another school is a fault.
    #[uniffi::method(default(listener = None))]
    pub fn replace_school(
        &self,
        school: u64,
        dataset: Dataset,
        listener: Option<Box<dyn LoadListener>>,
    ) -> Result<Summary> {
        let dataset = dataset.open()?;
        let replaced = heard(listener, |progress| {
            self.engine.replace_school_with(school, dataset, progress)
        });
        Ok(replaced?.into())
    }

    /// Begins a load that bytes are pushed into.
    pub fn load(&self) -> Result<Arc<Load>> {
        Ok(Arc::new(Load::new(self.engine.load())))
    }

    /// Begins a load of the whole of one school, that bytes are pushed into.
    pub fn load_school(&self, school: u64) -> Result<Arc<Load>> {
        Ok(Arc::new(Load::new(self.engine.load_school(school))))
    }

    /// Every fault of a dataset, at most so many, in the order of its lines.
    /// Nothing is applied.
    ///
    /// Fails as `io` if the dataset could not be read, as `busy` as a change does.
    #[uniffi::method(default(limit = 100))]
    pub fn check(&self, dataset: Dataset, limit: u32) -> Result<Vec<Fault>> {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        Ok(self.engine.check(dataset.open()?, limit)?)
    }

    /// Removes every record of a school, the authorisations that it gave
    /// included. An unknown school is no error. Old pages of the file may hold
    /// bytes of it until the store is compacted.
    ///
    /// Fails as `suspended` or `closed`, `busy` or `io`; nothing is changed then.
    pub fn remove_school(&self, school: u64) -> Result<Summary> {
        Ok(self.engine.remove_school(school)?.into())
    }

    /// Erases a learner: the learner, its subjects, marks and absences, and what
    /// old pages of the file still hold of them. Parents and accountable persons
    /// are people of their own and stay.
    ///
    /// Fails as `suspended` or `closed`; as `busy` if a change or a backup does not end in
    /// time, or as `io`: call it again then. An export or feed that is not read to its end
    /// within five seconds fails as `reader_ended`.
    pub fn erase_learner(&self, school: u64, learner: u64) -> Result<Summary> {
        Ok(self.engine.erase_learner(school, learner)?.into())
    }

    /// Fills a school from the service, or goes on with a pass that was left under way. What
    /// was not seen of it is `not_synced` afterwards, and in requests a 503.
    ///
    /// Fails as `bad_argument` or `unsupported` if an option is of no form that it may have;
    /// as `suspended` or `closed`, or as `io`.
    #[uniffi::method(default(options = None))]
    pub fn sync(&self, school: u64, options: Option<SyncOptions>) -> Result<Arc<Sync>> {
        let options = options.unwrap_or_default().as_given()?;
        Ok(Sync::new(self.engine.sync(school, options)?))
    }

    /// What was seen of a school that is synced, and when; nothing of any other school.
    ///
    /// Fails as `suspended` or `closed`; as `io` or `corrupt` if the store fails.
    pub fn synced(&self, school: u64) -> Result<Option<Coverage>> {
        Ok(self.engine.synced(school)?.map(Coverage::from))
    }

    /// Ends the syncing of a school. Its records stay, and are taken for all there is:
    /// what was not seen is answered as if there were nothing. The app may change them
    /// from here on. A school that is not synced stays as it is.
    ///
    /// Fails as `busy` or `io`; nothing is changed then.
    pub fn forget_sync(&self, school: u64) -> Result<()> {
        Ok(self.engine.forget_sync(school)?)
    }

    /// Begins an export of everything that is kept. Fails as `suspended` or `closed`.
    pub fn export(&self, credentials: Credentials) -> Result<Arc<Export>> {
        let export = self.engine.export(credentials)?;
        Ok(Arc::new(Export::new(export)))
    }

    /// Begins an export of everything that is kept, under other names: for tests, and for
    /// whoever is to see a school's shape and not its people. Ids, texts and dates become
    /// others, the same for the same key; order, relations, lengths and the distances of
    /// dates stay, so that a request for the other ids, names and days has the same status
    /// and as many records. Integrators are left out. This is not anonymous: who knows
    /// some of the people can find them, and names can be solved like a cryptogram.
    ///
    /// The key is 32 random bytes, to be kept secret or thrown away. Fails as `suspended`
    /// or `closed`; as `bad_argument` if the key has not 32 bytes.
    pub fn export_pseudonymised(&self, key: Vec<u8>) -> Result<Arc<Export>> {
        let key: [u8; 32] = key.try_into().map_err(|key: Vec<u8>| {
            let length = key.len();
            RollbookError::BadArgument(format!("the key has {length} bytes: give 32 random ones"))
        })?;
        let export = self.engine.export_pseudonymised(&key)?;
        Ok(Arc::new(Export::new(export)))
    }

    /// Looks through the whole store for damage and for records that do not agree
    /// with each other. Changes nothing; questions go on meanwhile.
    ///
    /// Damage is a finding. Fails as `busy` if a change does not end in time.
    pub fn verify(&self) -> Result<Verification> {
        Ok(self.engine.verify()?)
    }

    /// Gives free space back to the file system, and leaves nothing in the file of
    /// what was removed. Questions wait meanwhile; for a while the file is up to
    /// twice as long.
    ///
    /// Fails as `busy` if a change or a backup does not end in time; as `io` if there is
    /// no room, as `corrupt` if the file is damaged, and then the store is as it was. An
    /// export or feed that is not read to its end within five seconds fails as
    /// `reader_ended`.
    pub fn compact(&self) -> Result<()> {
        Ok(self.engine.compact()?)
    }

    /// Writes a copy of the store to a new file, as it is now; changes and
    /// questions go on meanwhile. The file is readable by its owner alone: it
    /// holds personal data, and password hashes if credentials are kept.
    ///
    /// Until it is whole, the copy is called `rollbook-….part`, in the same folder;
    /// should the process be killed meanwhile, that file stays, with personal data:
    /// remove it.
    ///
    /// Fails as `exists` if there is something at the path; as `io` if it could
    /// not be written, and then nothing is left at the path.
    pub fn backup(&self, path: &str, credentials: Credentials) -> Result<()> {
        Ok(self.engine.backup(path, credentials)?)
    }

    /// Gives the file back until the engine is resumed, as a mobile app must when
    /// it goes to the background. Calls fail as `suspended` meanwhile.
    ///
    /// Fails as `busy` if a change or a backup does not end in time. An export or feed that
    /// is not read to its end within five seconds fails as `reader_ended`.
    pub fn suspend(&self) -> Result<()> {
        Ok(self.engine.suspend()?)
    }

    /// Takes the file again, whatever store is at its path by now. Does nothing if
    /// the engine is not suspended.
    ///
    /// Fails as opening does, but as `missing` where nothing is.
    pub fn resume(&self) -> Result<()> {
        Ok(self.engine.resume()?)
    }

    /// How much the store holds. Fails as `suspended` or `closed`.
    pub fn stats(&self) -> Result<Stats> {
        Ok(self.engine.stats()?.into())
    }

    /// Closes the store and gives its file back. Every later call fails as
    /// `closed`; closing again does nothing.
    ///
    /// Fails as `busy` if a load does not end in time.
    pub fn close(&self) -> Result<()> {
        Ok(self.engine.close()?)
    }

    /// Where the engine is in memory, for the package itself: its short way to ask.
    pub fn address(&self) -> u64 {
        std::ptr::from_ref(self) as usize as u64
    }
}

impl Engine {
    pub(crate) fn inner(&self) -> &rollbook::Engine {
        &self.engine
    }
}

/// The answer that was written into a buffer.
fn answered(
    ask: impl FnOnce(&mut Vec<u8>) -> rollbook::Result<rollbook::Status>,
) -> Result<Answer> {
    let mut body = Vec::new();
    let status = ask(&mut body)?;
    Ok(rollbook::Answer { status, body }.into())
}
