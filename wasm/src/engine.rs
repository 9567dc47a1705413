//! The engine: forwards every call to the engine of the crate `rollbook`.

use crate::answer::{Sink, put};
use crate::error::{Error, Result};
use crate::export::Export;
use crate::file::{Backend, File};
use crate::host::Settings;
use crate::load::Load;
use crate::question::{texts, with};
use crate::report;
use rollbook::{Credentials, Page, Request, SetState};
use std::cell::{Cell, RefCell};
use wasm_bindgen::prelude::*;

/// An engine. A change that must be made only once has an id: see `rollbook::KeyedChanges`.
#[wasm_bindgen]
pub struct Engine {
    pub(crate) engine: rollbook::Engine,
    /// The body of the last answer. It is reused, so that the next answer needs no allocation.
    buffer: RefCell<Vec<u8>>,
}

#[wasm_bindgen]
impl Engine {
    /// Opens a store in the memory of this instance.
    pub fn memory(settings: &Settings) -> Result<Engine> {
        Ok(Engine::from_core(rollbook::Engine::memory(
            settings.options(),
        )?))
    }

    /// Opens a store in a file.
    pub fn open(file: File, settings: &Settings) -> Result<Engine> {
        let backend = Backend::on(file);
        let engine = rollbook::Engine::open_with_backend(backend, settings.options())?;
        Ok(Engine::from_core(engine))
    }

    fn from_core(engine: rollbook::Engine) -> Engine {
        Engine {
            engine,
            buffer: RefCell::default(),
        }
    }

    /// Answers a request. `parts` contains the method, the target, and then the name and value of
    /// each header.
    pub fn request(
        &self,
        parts: &str,
        body: &[u8],
        now: Option<i64>,
        id: Option<String>,
        sink: &Sink,
    ) -> Result<()> {
        let parts = texts(parts)?;
        let [method, target, headers @ ..] = parts.as_slice() else {
            return Err(Error::bad_argument("a request has a method and a target"));
        };
        let headers = headers.as_chunks::<2>().0.iter();
        let headers: Vec<_> = headers.map(|[name, value]| (*name, *value)).collect();
        let request = Request {
            method,
            target,
            headers: &headers,
            body,
            now,
        };
        put(sink, &mut self.buffer.borrow_mut(), |out| {
            Ok(match id {
                None => self.engine.answer(&request, out),
                Some(id) => {
                    let answer = self.engine.once(&id).request(&request);
                    *out = answer.body;
                    answer.status
                }
            })
        })
    }

    /// Answers a question in the format of v1.
    pub fn ask(&self, question: &str, now: Option<i64>, sink: &Sink) -> Result<()> {
        with(question, &|asked| {
            put(sink, &mut self.buffer.borrow_mut(), |out| {
                self.engine.ask_into(asked, now, out)
            })
        })
    }

    /// Returns the instant until which the answer to a question remains valid if nothing is
    /// changed. An error is not reported here, because `ask` reports it.
    #[wasm_bindgen(js_name = validUntil)]
    pub fn valid_until(&self, question: &str, now: i64) -> Option<i64> {
        let until = Cell::new(None);
        let read = with(question, &|asked| {
            until.set(self.engine.valid_until(asked, now)?);
            Ok(())
        });
        read.ok().and_then(|()| until.get())
    }

    /// Returns the number of the last change of the store, or nothing if the store fails.
    pub fn revision(&self) -> Option<u64> {
        self.engine.revision().ok()
    }

    /// Answers one page of a question in the format of v2.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "wasm-bindgen passes optional arguments by value"
    )]
    pub fn page(
        &self,
        question: &str,
        cursor: Option<String>,
        limit: Option<u32>,
        reverse_order: bool,
        now: Option<i64>,
        sink: &Sink,
    ) -> Result<()> {
        let page = Page {
            cursor: cursor.as_deref(),
            limit: limit.map(u64::from),
            reverse_order,
        };
        with(question, &|asked| {
            put(sink, &mut self.buffer.borrow_mut(), |out| {
                self.engine.page_into(asked, &page, now, out)
            })
        })
    }

    /// Answers with the first record that matches a question, in the format of v2.
    pub fn find(&self, question: &str, now: Option<i64>, sink: &Sink) -> Result<()> {
        with(question, &|asked| {
            put(sink, &mut self.buffer.borrow_mut(), |out| {
                self.engine.find_into(asked, now, out)
            })
        })
    }

    /// Sets whether an integrator serves a school's API type.
    #[wasm_bindgen(js_name = setState)]
    pub fn set_state(
        &self,
        username: &str,
        school: u64,
        api_type_id: u64,
        active: bool,
        id: &str,
        sink: &Sink,
    ) -> Result<()> {
        let set = SetState {
            username,
            school,
            api_type_id,
            state: active,
        };
        put(sink, &mut self.buffer.borrow_mut(), |out| {
            let answer = self.engine.once(id).set_state(&set)?;
            *out = answer.body;
            Ok(answer.status)
        })
    }

    /// Returns the v2 request for a v1 request, as JSON.
    pub fn upgrade(&self, target: &str) -> Result<String> {
        let upgraded = self.engine.upgrade(target);
        let upgraded = upgraded.map_err(|none| Error::bad_argument(&none.to_string()))?;
        Ok(report::upgrade(&upgraded))
    }

    /// Begins a load. If a school is given, it is a load of one complete school.
    pub fn load(&self, school: Option<u64>, id: &str) -> Load {
        let changes = self.engine.once(id);
        let load = school.map_or_else(|| changes.load(), |school| changes.load_school(school));
        load.into()
    }

    /// Returns the summary of the load with this id, as JSON, if it was finished.
    #[wasm_bindgen(js_name = finishedLoad)]
    pub fn finished_load(&self, id: &str) -> Result<Option<String>> {
        let summary = self.engine.once(id).summary()?;
        Ok(summary.as_ref().map(report::summary))
    }

    /// Returns the errors in a dataset, as JSON.
    pub fn check(&self, dataset: &[u8], limit: u32) -> Result<String> {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        Ok(report::faults(self.engine.check(dataset, limit)?))
    }

    /// Removes a school, and returns the summary as JSON.
    #[wasm_bindgen(js_name = removeSchool)]
    pub fn remove_school(&self, school: u64, id: &str) -> Result<String> {
        let removed = self.engine.once(id).remove_school(school)?;
        Ok(report::summary(&removed))
    }

    /// Erases a learner, and returns the summary as JSON.
    #[wasm_bindgen(js_name = eraseLearner)]
    pub fn erase_learner(&self, school: u64, learner: u64, id: &str) -> Result<String> {
        let erased = self.engine.once(id).erase_learner(school, learner)?;
        Ok(report::summary(&erased))
    }

    /// Begins an export, with or without credentials.
    pub fn export(&self, credentials: bool) -> Result<Export> {
        let credentials = if credentials {
            Credentials::Keep
        } else {
            Credentials::LeaveOut
        };
        Ok(self.engine.export(credentials)?.into())
    }

    /// Checks the store for damage, and returns the result as JSON.
    pub fn verify(&self) -> Result<String> {
        Ok(report::verification(&self.engine.verify()?))
    }

    /// Returns free space to the file system.
    pub fn compact(&self) -> Result<()> {
        Ok(self.engine.compact()?)
    }

    /// Returns the size of the store and the number of its records, as JSON.
    pub fn stats(&self) -> Result<String> {
        Ok(report::stats(self.engine.stats()?))
    }

    /// Closes the store.
    pub fn close(&self) -> Result<()> {
        Ok(self.engine.close()?)
    }
}
