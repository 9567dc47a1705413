//! Asking: requests as the service takes them, and questions of an app that is
//! trusted.

use super::Engine;
use crate::Result;
use crate::api::{self, Answer, Context, Request, SetState, Status};
use crate::query::{
    Absentees, AssessmentMarks, Clients, LearnerSubjects, Learners, Schools, SubjectMarks,
    SubjectsPerTerm, View,
};

/// A question that an app asks without credentials: one of [`Learners`],
/// [`AssessmentMarks`], [`SubjectsPerTerm`], [`SubjectMarks`],
/// [`LearnerSubjects`], [`Schools`], [`Clients`] and [`Absentees`].
pub trait Question: sealed::Ask {}

mod sealed {
    use super::{Result, Status, View};

    pub trait Ask {
        /// The school that the question is about, if it is about one.
        fn about(&self) -> Option<u64>;
        fn ask(&self, view: Moment<'_>, out: &mut Vec<u8>) -> Result<Status>;
    }

    /// One moment of the store, opaque outside this crate.
    pub struct Moment<'a>(pub(super) View<'a>);
}

macro_rules! questions {
    ($($question:ty: $about:expr),* $(,)?) => {$(
        impl Question for $question {}

        impl sealed::Ask for $question {
            fn about(&self) -> Option<u64> {
                let about: fn(&$question) -> Option<u64> = $about;
                about(self)
            }

            fn ask(&self, moment: sealed::Moment<'_>, out: &mut Vec<u8>) -> Result<Status> {
                api::answer_question(self, moment.0, out)
            }
        }
    )*};
}

questions! {
    Learners<'_>: |asked| Some(asked.school),
    AssessmentMarks: |asked| Some(asked.school),
    SubjectsPerTerm: |asked| Some(asked.school),
    SubjectMarks: |asked| Some(asked.school),
    LearnerSubjects: |asked| Some(asked.school),
    Absentees: |asked| Some(asked.school),
    Schools<'_>: |asked| asked.school,
    Clients<'_>: |asked| asked.school,
}

impl Engine {
    /// Answers a request as the service does, rules of access included.
    ///
    /// It always answers: if the store fails or the engine is suspended or
    /// closed, with a 500 that says so.
    pub fn request(&self, request: &Request<'_>) -> Answer {
        let mut body = Vec::new();
        let status = self.answer(request, &mut body);
        Answer { status, body }
    }

    /// Like [`request`](Self::request), into a buffer of the caller's, which
    /// holds the body alone afterwards.
    pub fn answer(&self, request: &Request<'_>, out: &mut Vec<u8>) -> Status {
        out.clear();
        let now = request.now.unwrap_or_else(|| self.clock.now());
        let context = Context {
            store: &self.store,
            credentials: &self.credentials,
            freshness: &self.freshness,
            now,
        };
        let answered = api::answer(&context, request, out);
        answered.unwrap_or_else(|error| api::internal_error(&error.to_string(), out))
    }

    /// Answers a question of an app that is trusted: no credentials, no
    /// authorisation, no activation. The bytes are those that a request gets
    /// which has passed them.
    ///
    /// # Errors
    /// `suspended` or `closed`; `io` or `corrupt` if the store fails; `busy` if
    /// another version rendered the school's records, so that this one does it
    /// again first, and a change does not end in time. What the API refuses or
    /// does not find is an answer.
    pub fn ask(&self, question: &impl Question) -> Result<Answer> {
        let mut body = Vec::new();
        let status = self.ask_into(question, None, &mut body)?;
        Ok(Answer { status, body })
    }

    /// Like [`ask`](Self::ask), for an instant in seconds since
    /// 1970-01-01T00:00:00Z unless it is to be the clock's, into a buffer of
    /// the caller's, which holds the body alone afterwards.
    ///
    /// # Errors
    /// As [`ask`](Self::ask).
    pub fn ask_into(
        &self,
        question: &impl Question,
        now: Option<i64>,
        out: &mut Vec<u8>,
    ) -> Result<Status> {
        let now = now.unwrap_or_else(|| self.clock.now());
        self.freshness.ensure(&self.store, question.about())?;
        self.store
            .read(|snapshot| question.ask(sealed::Moment(View { snapshot, now }), out))
    }

    /// Sets whether an integrator serves a school's API type (4.8), for an app
    /// that is trusted.
    ///
    /// # Errors
    /// `busy` if a load does not end in time; `io` if the change could not be
    /// written: nothing is changed then. What the API refuses is an answer.
    pub fn set_state(&self, set: &SetState<'_>) -> Result<Answer> {
        let mut body = Vec::new();
        let status = api::set_state(&self.store, set, &mut body)?;
        Ok(Answer { status, body })
    }
}
