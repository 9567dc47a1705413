//! Idempotent changes: a change with an id is made only once.

use super::{Engine, ask, data};
use crate::api::{Answer, Request, SetState};
use crate::dataset::{IdempotencyKey, Load, Mode, Summary};
use crate::error::Error;
use crate::error::public::Result;

/// Makes changes under an id of the caller. See [`Engine::once`].
#[derive(Debug, Clone, Copy)]
pub struct KeyedChanges<'a> {
    engine: &'a Engine,
    id: &'a str,
}

impl Engine {
    /// Makes changes that are made only once, even if the calls are repeated.
    ///
    /// If a caller does not receive the result of a change, for example because its process or a
    /// proxy was killed, it does not know whether the change was made. With an id of its own, of at
    /// most 128 bytes, it can repeat the call: a change that was already made under the id is not
    /// made again, and the answer is that of the first call, which was stored in the same
    /// transaction. The last 64 changes with an id are stored in the file until a school is
    /// removed. A change that had no effect is not stored.
    ///
    /// An id belongs to one change: by one integrator, with one call, for one target, with one
    /// body. A different change under the same id is refused with `id_reused`, and changes nothing.
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
    pub fn once<'a>(&'a self, id: &'a str) -> KeyedChanges<'a> {
        KeyedChanges { engine: self, id }
    }
}

impl KeyedChanges<'_> {
    /// Answers a request like [`Engine::request`]. The id is used if the request is a change; a
    /// caller without access is refused first. If another change was made under the id, the answer
    /// is a 409; if the id is too long, it is a 400.
    ///
    /// ```
    /// use rollbook::{Engine, Options, Request};
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// engine.apply(r#"
    /// {"type":"school","school_id":1,"current_year":2026}
    /// {"type":"api_type","api_type_id":8,"api_type":"Admin+ API","family":"administration"}
    /// {"type":"integrator","username":"demo","password":"demo"}
    /// {"type":"client_integration","username":"demo","school_id":1,"api_type_id":8,"state":0}
    /// "#.as_bytes())?;
    /// let activate = Request {
    ///     method: "PATCH",
    ///     target: "/api/v1/settings/clients/1",
    ///     headers: &[("HTTP-X-USERNAME", "demo"), ("HTTP-X-PASSWORD", "demo")],
    ///     body: br#"{"api_type_id":8,"state":1}"#,
    ///     ..Request::default()
    /// };
    /// for _ in 0..2 {
    ///     // Without the id, the answer to the second request would be a 204.
    ///     assert_eq!(engine.once("4f6c").request(&activate).status.code, 200);
    /// }
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    pub fn request(&self, request: &Request<'_>) -> Answer {
        let mut body = Vec::new();
        let status = self
            .engine
            .respond(request, Some(self.id), false, &mut body);
        Answer { status, body }
    }

    /// Sets a state like [`Engine::set_state`].
    ///
    /// ```
    /// use rollbook::{Engine, Options, SetState};
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// engine.apply(r#"
    /// {"type":"school","school_id":1,"current_year":2026}
    /// {"type":"api_type","api_type_id":8,"api_type":"Admin+ API","family":"administration"}
    /// {"type":"integrator","username":"demo","password":"demo"}
    /// {"type":"client_integration","username":"demo","school_id":1,"api_type_id":8,"state":0}
    /// "#.as_bytes())?;
    /// let set = SetState { username: "demo", school: 1, api_type_id: 8, state: true };
    /// for _ in 0..2 {
    ///     assert_eq!(engine.once("4f6c").set_state(&set)?.status.code, 200);
    /// }
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails as [`Engine::set_state`] does; with `id_reused` if another change was made under the
    /// id; with `unsupported` if the id is too long.
    pub fn set_state(&self, set: &SetState<'_>) -> Result<Answer> {
        let SetState {
            username,
            school,
            api_type_id,
            state,
        } = set;
        let key = self.key(
            "set_state",
            &[
                username.as_bytes(),
                &school.to_le_bytes(),
                &api_type_id.to_le_bytes(),
                &u64::from(*state).to_le_bytes(),
            ],
        );
        ask::set_state(self.engine, set, Some(&key))
    }

    /// Begins a load like [`Engine::load`]. If another change was made under the id, the dataset is
    /// read but not stored, and refused with `id_reused` at its end. If the same dataset was loaded
    /// under the id, the result is the summary of that load.
    ///
    /// ```
    /// use rollbook::{Engine, Options};
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// let mut load = engine.once("4f6c").load();
    /// load.push(br#"{"type":"grade","school_id":1,"grade_id":9}"#)?;
    /// load.finish()?;
    ///
    /// let mut other = engine.once("4f6c").load();
    /// other.push(br#"{"type":"grade","school_id":1,"grade_id":10}"#)?;
    /// assert_eq!(other.finish().unwrap_err().code(), "id_reused");
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    pub fn load(&self) -> Load {
        self.engine.begin(Mode::Apply, Some(self.key("load", &[])))
    }

    /// Begins a load of one complete school like [`Engine::load_school`], with an id as in
    /// [`load`](Self::load).
    ///
    /// ```
    /// use rollbook::{Engine, Options};
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// for _ in 0..2 {
    ///     let mut load = engine.once("4f6c").load_school(1);
    ///     load.push(br#"{"type":"grade","school_id":1,"grade_id":9}"#)?;
    ///     assert_eq!(load.finish()?.total().added, 1);
    /// }
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    pub fn load_school(&self, school: u64) -> Load {
        let key = self.key("load_school", &[&school.to_le_bytes()]);
        self.engine.begin(Mode::Replace(school), Some(key))
    }

    /// Removes a school like [`Engine::remove_school`].
    ///
    /// ```
    /// use rollbook::{Engine, Options};
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// engine.apply(r#"
    /// {"type":"school","school_id":1,"current_year":2026}
    /// {"type":"learner","school_id":1,"id":7}
    /// "#.as_bytes())?;
    /// for _ in 0..2 {
    ///     assert_eq!(engine.once("4f6c").remove_school(1)?.total().removed, 2);
    /// }
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails as [`Engine::remove_school`] does; with `id_reused` if another change was made under
    /// the id; with `unsupported` if the id is too long.
    pub fn remove_school(&self, school: u64) -> Result<Summary> {
        let key = self.key("remove_school", &[&school.to_le_bytes()]);
        data::remove_school(self.engine, school, Some(&key))
    }

    /// Erases a learner like [`Engine::erase_learner`].
    ///
    /// ```
    /// use rollbook::{Engine, Options};
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// engine.apply(r#"
    /// {"type":"school","school_id":1,"current_year":2026}
    /// {"type":"learner","school_id":1,"id":7}
    /// "#.as_bytes())?;
    /// for _ in 0..2 {
    ///     assert_eq!(engine.once("4f6c").erase_learner(1, 7)?.total().removed, 1);
    /// }
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails as [`Engine::erase_learner`] does; with `id_reused` if another change was made under
    /// the id; with `unsupported` if the id is too long.
    pub fn erase_learner(&self, school: u64, learner: u64) -> Result<Summary> {
        let ids = [school.to_le_bytes(), learner.to_le_bytes()];
        let key = self.key("erase_learner", &[&ids.concat()]);
        data::erase_learner(self.engine, school, learner, Some(&key))
    }

    /// Returns the summary of the load, removal or erasure that was made under the id, or `None` if
    /// none is recorded. A change that had no effect is not recorded.
    ///
    /// ```
    /// use rollbook::{Engine, Options};
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// assert!(engine.once("4f6c").summary()?.is_none());
    /// let mut load = engine.once("4f6c").load();
    /// load.push(br#"{"type":"grade","school_id":1,"grade_id":9}"#)?;
    /// let summary = load.finish()?;
    /// assert_eq!(engine.once("4f6c").summary()?, Some(summary));
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails with `closed`, `suspended` or `io` if the store cannot be read, and with `id_reused` if
    /// the change under the id has no summary, such as [`set_state`](Self::set_state).
    pub fn summary(&self) -> Result<Option<Summary>> {
        let store = &self.engine.store;
        let record = store.read(|snapshot| snapshot.idempotency_record(self.id))?;
        let summary = record.map(|record| Summary::decode(&record.outcome).ok_or(Error::IdReused));
        summary.transpose()
    }

    fn key(&self, kind: &str, parts: &[&[u8]]) -> IdempotencyKey {
        IdempotencyKey::new(self.id, kind, parts)
    }
}
