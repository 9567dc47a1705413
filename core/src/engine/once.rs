//! Changes under an id: repeated, they are not made twice.

use super::{Engine, ask, data};
use crate::Result;
use crate::api::{Answer, Request, SetState};
use crate::dataset::{Load, Mode, Summary};

/// Changes that are made under an id of the caller's: see [`Engine::once`].
#[derive(Debug, Clone, Copy)]
pub struct Once<'a> {
    engine: &'a Engine,
    id: &'a str,
}

impl Engine {
    /// Changes that are made once, however often they are asked for.
    ///
    /// A caller that does not hear what came of a change cannot tell whether it
    /// was made: its process was killed, or whoever passes its requests on. Under
    /// an id of its own, of at most 128 bytes, it may ask again: a change that was
    /// made under the id is not made twice, and has the answer of the first time,
    /// which is kept in the same transaction. The last 64 changes under an id are
    /// remembered, also by the file, until a school is removed. One that changed
    /// nothing is not.
    ///
    /// ```
    /// # fn main() -> rollbook::Result<()> {
    /// use rollbook::{Engine, Options};
    /// let engine = Engine::memory(Options::default())?;
    /// let line = br#"{"type":"grade","school_id":1,"grade_id":9,"grade":"7"}"#;
    /// for _ in 0..2 {
    ///     let mut load = engine.once("4f6c").load();
    ///     load.push(line)?;
    ///     assert_eq!(load.finish()?.total().added, 1);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn once<'a>(&'a self, id: &'a str) -> Once<'a> {
        Once { engine: self, id }
    }
}

impl Once<'_> {
    /// As [`Engine::request`]. The id counts for a request that changes
    /// something; who may not make it is refused first.
    pub fn request(&self, request: &Request<'_>) -> Answer {
        let mut body = Vec::new();
        let status = self.engine.respond(request, Some(self.id), &mut body);
        Answer { status, body }
    }

    /// As [`Engine::set_state`].
    ///
    /// # Errors
    /// As [`Engine::set_state`]; `unsupported` if the id is too long.
    pub fn set_state(&self, set: &SetState<'_>) -> Result<Answer> {
        ask::set_state(self.engine, set, Some(self.id))
    }

    /// As [`Engine::load`].
    pub fn load(&self) -> Load {
        self.engine.begin(Mode::Apply, Some(self.id))
    }

    /// As [`Engine::load_school`].
    pub fn load_school(&self, school: u64) -> Load {
        self.engine.begin(Mode::Replace(school), Some(self.id))
    }

    /// As [`Engine::remove_school`].
    ///
    /// # Errors
    /// As [`Engine::remove_school`]; `unsupported` if the id is too long.
    pub fn remove_school(&self, school: u64) -> Result<Summary> {
        data::remove_school(self.engine, school, Some(self.id))
    }

    /// As [`Engine::erase_learner`].
    ///
    /// # Errors
    /// As [`Engine::erase_learner`]; `unsupported` if the id is too long.
    pub fn erase_learner(&self, school: u64, learner: u64) -> Result<Summary> {
        data::erase_learner(self.engine, school, learner, Some(self.id))
    }
}
