//! Answers requests in the format of the service, and typed questions of a trusted app.

use super::Engine;
use crate::api::{
    self, Answer, NoUpgrade, Page, Request, RequestContext, SetState, Status, Upgrade,
};
use crate::dataset::IdempotencyKey;
use crate::error::public::Result;
use crate::query::{Question, View};

impl Engine {
    /// Answers a request as the service does, including the access checks.
    ///
    /// There is always an answer: if the store fails, or the engine is suspended or closed, it is a
    /// 500 with an explanation.
    ///
    /// ```
    /// use rollbook::{Engine, Options, Request};
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// let answer = engine.request(&Request {
    ///     target: "/api/v1/adminplus/learners/1000?grade_id=9",
    ///     headers: &[("HTTP-X-USERNAME", "demo"), ("HTTP-X-PASSWORD", "wrong")],
    ///     ..Request::default()
    /// });
    /// assert_eq!(answer.status.code, 401);
    /// assert!(answer.text().starts_with(r#"{"error":"Unauthorized""#));
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    pub fn request(&self, request: &Request<'_>) -> Answer {
        let mut body = Vec::new();
        let status = self.answer(request, &mut body);
        Answer { status, body }
    }

    /// Answers like [`request`](Self::request), into a buffer of the caller. Afterwards, the buffer
    /// contains only the body.
    ///
    /// ```
    /// use rollbook::{Engine, Options, Request};
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// let mut body = Vec::new(); // reused for each request
    /// for target in ["/api/v1/settings/clients", "/api/v2/settings/clientintegrations"] {
    ///     let status = engine.answer(&Request { target, ..Request::default() }, &mut body);
    ///     assert_eq!((status.code, body.first()), (401, Some(&b'{')));
    /// }
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    pub fn answer(&self, request: &Request<'_>, out: &mut Vec<u8>) -> Status {
        self.respond(request, None, false, out)
    }

    /// Answers a `GET` of a trusted app, without credentials, authorisation and activation. The
    /// header `HTTP-X-USERNAME` names the integrator whose schools and clients are requested; the
    /// other answers do not depend on it. Another method is refused with 405.
    ///
    /// ```
    /// use rollbook::{Engine, Options, Request};
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// engine.apply(&br#"{"type":"grade","school_id":1,"grade_id":9,"grade":"7"}"#[..])?;
    /// let target = "/api/v1/adminplus/lookup/grade/1";
    /// let answer = engine.request_trusted(&Request { target, ..Request::default() });
    /// assert_eq!(answer.text(), r#"[{"id":"9","name":"Grade 7"}]"#);
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    pub fn request_trusted(&self, request: &Request<'_>) -> Answer {
        let mut body = Vec::new();
        let status = self.respond(request, None, true, &mut body);
        Answer { status, body }
    }

    /// Answers a request. If the request is a change, it is made under the given id. The access of
    /// a trusted app is not checked.
    pub(super) fn respond(
        &self,
        request: &Request<'_>,
        id: Option<&str>,
        is_trusted: bool,
        out: &mut Vec<u8>,
    ) -> Status {
        let now = request.now.unwrap_or_else(|| self.clock.now());
        let context = RequestContext {
            store: &self.store,
            logins: &self.logins,
            freshness: &self.freshness,
            limits: self.limits,
            now,
            id,
            is_trusted,
        };
        api::answer(&context, request, out)
    }

    /// Answers a question of a trusted app, without credentials, authorisation and activation. The
    /// body is the same as that of a request that passes these checks.
    ///
    /// ```
    /// use rollbook::{Engine, Learners, Options};
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// engine.apply(r#"
    /// {"type":"school","school_id":1,"current_year":2026}
    /// {"type":"learner","school_id":1,"id":7,"last_name":"Smith","grade_id":9}
    /// {"type":"learner","school_id":1,"id":8,"last_name":"Dlamini","grade_id":9}
    /// "#.as_bytes())?;
    ///
    /// let smiths = Learners { school: 1, name: Some("smith"), ..Learners::default() };
    /// let answer = engine.ask(&smiths)?;
    /// assert!(answer.text().starts_with(r#"[{"id":"7","first_name":"","last_name":"Smith""#));
    ///
    /// let unknown = Learners { school: 1, name: Some("naidoo"), ..Learners::default() };
    /// assert_eq!(engine.ask(&unknown)?.status.code, 404);
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails with `suspended` or `closed`; with `not_synced` if the school is synced and the data
    /// was not fetched yet; with `io` or `corrupt` if the store fails. If another version has
    /// rendered the school's records, this version must render them again first, which fails with
    /// `busy` if another change does not finish in time. If the API refuses a question or finds
    /// nothing, this is an answer and not an error.
    pub fn ask(&self, question: &dyn Question) -> Result<Answer> {
        let mut body = Vec::new();
        let status = self.ask_into(question, None, &mut body)?;
        Ok(Answer { status, body })
    }

    /// Answers like [`ask`](Self::ask), into a buffer of the caller, for an instant in seconds
    /// since 1970-01-01T00:00:00Z. The default is the instant of the engine's clock. Afterwards,
    /// the buffer contains only the body.
    ///
    /// ```
    /// use rollbook::{Absentees, Engine, Options};
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// engine.apply(&br#"{"type":"absentee","school_id":1,"id":7,"learner_id":1,"absent_date":"2026-05-04"}"#[..])?;
    /// let month = Absentees { school: 1, ..Absentees::default() };
    /// let (may, june) = (1_778_745_600, 1_781_424_000); // 2026-05-14, 2026-06-14
    /// let mut body = Vec::new();
    /// assert_eq!(engine.ask_into(&month, Some(may), &mut body)?.code, 200);
    /// assert_eq!(engine.ask_into(&month, Some(june), &mut body)?.code, 404);
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails as [`ask`](Self::ask) does.
    pub fn ask_into(
        &self,
        question: &dyn Question,
        now: Option<i64>,
        out: &mut Vec<u8>,
    ) -> Result<Status> {
        self.view(question, now, |view| {
            api::answer_question(question, view, out)
        })
    }

    /// Answers one page of a question in the format of v2 (section 9, item 3), as
    /// [`ask`](Self::ask) does in the format of v1. For a collection without records, the page is
    /// empty.
    ///
    /// ```
    /// use rollbook::{Engine, Learners, Options, Page};
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// engine.apply(r#"
    /// {"type":"school","school_id":1,"current_year":2026}
    /// {"type":"learner","school_id":1,"id":7,"last_name":"Smith","grade_id":9}
    /// {"type":"learner","school_id":1,"id":8,"last_name":"Dlamini","grade_id":9}
    /// "#.as_bytes())?;
    ///
    /// let all = Learners { school: 1, ..Learners::default() };
    /// let first = Page { limit: Some(1), ..Page::default() };
    /// let answer = engine.page(&all, &first)?;
    /// // The cursor of the next page is used as Page { cursor: Some(…), .. }.
    /// assert!(answer.text().contains(r#""meta":{"limit":1,"max_allowed_limit":50,"next_cursor":"#));
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails as [`ask`](Self::ask) does.
    pub fn page(&self, question: &dyn Question, page: &Page<'_>) -> Result<Answer> {
        let mut body = Vec::new();
        let status = self.page_into(question, page, None, &mut body)?;
        Ok(Answer { status, body })
    }

    /// Answers like [`page`](Self::page), for an instant and into a buffer of the caller, as
    /// [`ask_into`](Self::ask_into) does.
    ///
    /// ```
    /// use rollbook::{Absentees, Engine, Options, Page};
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// let month = Absentees { school: 1, ..Absentees::default() };
    /// let mut body = Vec::new();
    /// let may = 1_778_745_600; // 2026-05-14T08:00:00Z
    /// let status = engine.page_into(&month, &Page::default(), Some(may), &mut body)?;
    /// assert!(status.code == 200 && body.starts_with(br#"{"data":[]"#));
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails as [`ask`](Self::ask) does.
    pub fn page_into(
        &self,
        question: &dyn Question,
        page: &Page<'_>,
        now: Option<i64>,
        out: &mut Vec<u8>,
    ) -> Result<Status> {
        self.view(question, now, |view| {
            api::answer_page(question, page, self.limits, view, out)
        })
    }

    /// Answers with the first record that matches a question, in the format of v2 for one record
    /// (section 9, item 1): an object without an envelope, or 404. It is intended for questions
    /// with an id.
    ///
    /// ```
    /// use rollbook::{Engine, Learners, Options};
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// engine.apply(r#"
    /// {"type":"school","school_id":1,"current_year":2026}
    /// {"type":"learner","school_id":1,"id":7,"last_name":"Smith","grade_id":9}
    /// {"type":"learner","school_id":1,"id":8,"last_name":"Dlamini","grade_id":9}
    /// "#.as_bytes())?;
    ///
    /// let one = Learners { school: 1, learner_id: Some(8), ..Learners::default() };
    /// assert!(engine.find(&one)?.text().starts_with(r#"{"id":8,"first_name":null,"#));
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails as [`ask`](Self::ask) does.
    pub fn find(&self, question: &dyn Question) -> Result<Answer> {
        let mut body = Vec::new();
        let status = self.find_into(question, None, &mut body)?;
        Ok(Answer { status, body })
    }

    /// Answers like [`find`](Self::find), for an instant and into a buffer of the caller, as
    /// [`ask_into`](Self::ask_into) does.
    ///
    /// ```
    /// use rollbook::{Engine, Grades, Options};
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// engine.apply(&br#"{"type":"grade","school_id":1,"grade_id":9,"grade":"7"}"#[..])?;
    /// let mut body = Vec::new(); // reused for each question
    /// let grade = Grades { school: 1, grade_id: Some(9) };
    /// assert_eq!(engine.find_into(&grade, None, &mut body)?.code, 200);
    /// assert_eq!(body, br#"{"id":9,"name":"Grade 7"}"#);
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails as [`ask`](Self::ask) does.
    pub fn find_into(
        &self,
        question: &dyn Question,
        now: Option<i64>,
        out: &mut Vec<u8>,
    ) -> Result<Status> {
        self.view(question, now, |view| {
            api::answer_record(question, view, out)
        })
    }

    fn view(
        &self,
        question: &dyn Question,
        now: Option<i64>,
        mut answer: impl FnMut(View<'_>) -> crate::error::Result<Status>,
    ) -> Result<Status> {
        let now = now.unwrap_or_else(|| self.clock.now());
        self.freshness.ensure(&self.store, question.about())?;
        let read = self.store.read(|snapshot| answer(View::new(snapshot, now)));
        Ok(read?)
    }

    /// Returns the v2 request for the data of a v1 request, which is given by its path and query
    /// string (section 9).
    ///
    /// ```
    /// # fn main() -> rollbook::Result<()> {
    /// let engine = rollbook::Engine::memory(rollbook::Options::default())?;
    /// let upgraded = engine.upgrade("/api/v1/adminplus/learners/1000?learner_id=7");
    /// let upgraded = upgraded.map(|upgrade| (upgrade.target, upgrade.school));
    /// assert_eq!(upgraded, Ok(("/api/v2/adminplus/learners/7".to_owned(), Some(1000))));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Fails if the target does not belong to v1, if v1 does not have its path, or if v1 refuses it
    /// too.
    pub fn upgrade(&self, target: &str) -> Result<Upgrade, NoUpgrade> {
        api::upgrade(target)
    }

    /// Sets whether an integrator serves a school's API type (4.8), for a trusted app.
    ///
    /// ```
    /// use rollbook::{Engine, Options, SetState};
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// engine.apply(r#"
    /// {"type":"school","school_id":1,"current_year":2026}
    /// {"type":"client_integration","username":"demo","school_id":1,"api_type_id":8}
    /// "#.as_bytes())?;
    /// let on = SetState { username: "demo", school: 1, api_type_id: 8, state: true };
    /// assert_eq!(engine.set_state(&on)?.status.code, 200); // 204 if the state is already set
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails with `busy` if a load does not finish in time; with `synced` if the school is synced
    /// and the app has not enabled its outbox, because the update would not be sent to the service;
    /// with `io` if the change cannot be written. In these cases nothing is changed. If the API
    /// refuses the update, this is an answer and not an error.
    pub fn set_state(&self, set: &SetState<'_>) -> Result<Answer> {
        set_state(self, set, None)
    }
}

/// Sets a state, as an idempotent change if there is a key.
pub(super) fn set_state(
    engine: &Engine,
    set: &SetState<'_>,
    key: Option<&IdempotencyKey>,
) -> Result<Answer> {
    let mut body = Vec::new();
    let status = api::set_state(&engine.store, key, set, &mut body)?;
    Ok(Answer { status, body })
}
