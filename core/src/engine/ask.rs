//! Asking: requests as the service takes them, and questions of an app that is
//! trusted.

use super::Engine;
use crate::api::{self, Answer, Context, NoUpgrade, Page, Request, SetState, Status, Upgrade};
use crate::dataset::IdempotencyKey;
use crate::error::public::Result;
use crate::query::{Question, View};

impl Engine {
    /// Answers a request as the service does, rules of access included.
    ///
    /// It always answers: if the store fails or the engine is suspended or
    /// closed, with a 500 that says so.
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

    /// Like [`request`](Self::request), into a buffer of the caller's, which
    /// holds the body alone afterwards.
    ///
    /// ```
    /// use rollbook::{Engine, Options, Request};
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// let mut body = Vec::new(); // used again for each request
    /// for target in ["/api/v1/settings/clients", "/api/v2/settings/clientintegrations"] {
    ///     let status = engine.answer(&Request { target, ..Request::default() }, &mut body);
    ///     assert_eq!((status.code, body.first()), (401, Some(&b'{')));
    /// }
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    pub fn answer(&self, request: &Request<'_>, out: &mut Vec<u8>) -> Status {
        self.respond(request, None, out)
    }

    /// Answers a request, which makes its change under this id if it makes one.
    pub(super) fn respond(
        &self,
        request: &Request<'_>,
        id: Option<&str>,
        out: &mut Vec<u8>,
    ) -> Status {
        let now = request.now.unwrap_or_else(|| self.clock.now());
        let context = Context {
            store: &self.store,
            logins: &self.logins,
            freshness: &self.freshness,
            limits: self.limits,
            now,
            id,
        };
        api::answer(&context, request, out)
    }

    /// Answers a question of an app that is trusted: no credentials, no
    /// authorisation, no activation. The bytes are those that a request gets
    /// which has passed them.
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
    /// let nobody = Learners { school: 1, name: Some("naidoo"), ..Learners::default() };
    /// assert_eq!(engine.ask(&nobody)?.status.code, 404);
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    ///
    /// # Errors
    /// `suspended` or `closed`; `not_synced` if the school is synced and what is asked
    /// was not seen yet; `io` or `corrupt` if the store fails; `busy` if
    /// another version rendered the school's records, so that this one does it
    /// again first, and a change does not end in time. What the API refuses or
    /// does not find is an answer.
    pub fn ask(&self, question: &dyn Question) -> Result<Answer> {
        let mut body = Vec::new();
        let status = self.ask_into(question, None, &mut body)?;
        Ok(Answer { status, body })
    }

    /// Like [`ask`](Self::ask), for an instant in seconds since
    /// 1970-01-01T00:00:00Z unless it is to be the clock's, into a buffer of
    /// the caller's, which holds the body alone afterwards.
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
    /// As [`ask`](Self::ask).
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

    /// Answers one page of a question as v2 does (section 9, item 3), as
    /// [`ask`](Self::ask) does for v1. A collection without records is an empty
    /// page.
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
    /// // The page says where the next one begins: Page { cursor: Some(…), .. }.
    /// assert!(answer.text().contains(r#""meta":{"limit":1,"max_allowed_limit":50,"next_cursor":"#));
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`ask`](Self::ask).
    pub fn page(&self, question: &dyn Question, page: &Page<'_>) -> Result<Answer> {
        let mut body = Vec::new();
        let status = self.page_into(question, page, None, &mut body)?;
        Ok(Answer { status, body })
    }

    /// Like [`page`](Self::page), for an instant and into a buffer of the
    /// caller's, as [`ask_into`](Self::ask_into).
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
    /// As [`ask`](Self::ask).
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

    /// Answers the first record that a question finds as v2 answers one record
    /// (section 9, item 1): a bare object, or 404. Meant for a question that
    /// names an id.
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
    /// As [`ask`](Self::ask).
    pub fn find(&self, question: &dyn Question) -> Result<Answer> {
        let mut body = Vec::new();
        let status = self.find_into(question, None, &mut body)?;
        Ok(Answer { status, body })
    }

    /// Like [`find`](Self::find), for an instant and into a buffer of the
    /// caller's, as [`ask_into`](Self::ask_into).
    ///
    /// ```
    /// use rollbook::{Engine, Grades, Options};
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// engine.apply(&br#"{"type":"grade","school_id":1,"grade_id":9,"grade":"7"}"#[..])?;
    /// let mut body = Vec::new(); // used again for each question
    /// let grade = Grades { school: 1, grade_id: Some(9) };
    /// assert_eq!(engine.find_into(&grade, None, &mut body)?.code, 200);
    /// assert_eq!(body, br#"{"id":9,"name":"Grade 7"}"#);
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`ask`](Self::ask).
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

    /// The v2 request for the data of a v1 one, given its path and query
    /// string; or why there is none (section 9).
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
    /// That the target is not of v1, or of none of its paths, or that v1 refuses
    /// it as well.
    pub fn upgrade(&self, target: &str) -> Result<Upgrade, NoUpgrade> {
        api::upgrade(target)
    }

    /// Sets whether an integrator serves a school's API type (4.8), for an app
    /// that is trusted.
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
    /// assert_eq!(engine.set_state(&on)?.status.code, 200); // 204 if it was so already
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    ///
    /// # Errors
    /// `busy` if a load does not end in time; `synced` if the school is synced, since
    /// the service would not hear of it; `io` if the change could not be written:
    /// nothing is changed then. What the API refuses is an answer.
    pub fn set_state(&self, set: &SetState<'_>) -> Result<Answer> {
        set_state(self, set, None)
    }
}

/// Sets a state.
pub(super) fn set_state(
    engine: &Engine,
    set: &SetState<'_>,
    key: Option<&IdempotencyKey>,
) -> Result<Answer> {
    let mut body = Vec::new();
    let status = api::set_state(&engine.store, key, set, &mut body)?;
    Ok(Answer { status, body })
}
