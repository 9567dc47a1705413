//! Live queries: a question is repeated after a change of the data from which its answer is made,
//! and when another day begins at its school.
//!
//! - This file: repeats the question and returns changed answers. `waiter`, `stream`: the ways to
//!   wait for the next answer.

mod stream;
#[cfg(test)]
mod tests;
mod waiter;

pub use stream::Answers;

use super::Engine;
use super::timer_thread::{Registration, TimerThread};
use crate::api::{self, Answer, Status};
use crate::clock::Clock;
use crate::dataset::Freshness;
use crate::error::{self, Error, public::Result};
use crate::query::{self, Query, Question, View};
use crate::record::presence::{RECORDS, STATE};
use crate::store::{Sources, Store, Watch};
use std::ops::Range;
use std::sync::{Arc, Weak};
use twox_hash::XxHash3_128;

/// A question that can be stored and repeated. Each question without borrowed data implements it.
/// For a question that borrows data, such as a name, store the data and create the question
/// whenever it is asked.
///
/// ```
/// use rollbook::{Engine, Learners, Observable, Options, Question};
///
/// struct ByName(String);
///
/// impl Observable for ByName {
///     fn with(&self, ask: &mut dyn FnMut(&dyn Question)) {
///         ask(&Learners { school: 1, name: Some(&self.0), ..Learners::default() });
///     }
/// }
///
/// let engine = Engine::memory(Options::default())?;
/// let mut smiths = engine.observe(ByName("smith".to_owned()));
/// assert_eq!(smiths.poll().transpose()?.map(|answer| answer.status.code), Some(404));
/// # Ok::<(), rollbook::Error>(())
/// ```
pub trait Observable: Send + Sync + 'static {
    /// Passes the question to `ask`. It must always be the same question.
    fn with(&self, ask: &mut dyn FnMut(&dyn Question));
}

impl<Q: Question + Send + Sync + 'static> Observable for Q {
    fn with(&self, ask: &mut dyn FnMut(&dyn Question)) {
        ask(self);
    }
}

/// The function that writes an answer.
type WriteAnswer = fn(&dyn Query, View<'_>, &mut Vec<u8>) -> error::Result<Status>;

/// A live query: the successive answers to a question. See [`Engine::observe`].
///
/// It is an iterator that waits for the next answer, and [`stream`](Self::stream) converts it to a
/// `Stream`. An app with its own event loop calls [`poll`](Self::poll), and
/// [`on_change`](Self::on_change) sets a callback for the time to do so. If several of these ways
/// to wait are used, the last one is in effect. Only `poll` works in a browser, because nothing can
/// wait there: the iterator and the stream end, and a callback cannot be set.
pub struct LiveQuery {
    question: Box<dyn Observable>,
    write_answer: WriteAnswer,
    store: Weak<Store>,
    freshness: Arc<Freshness>,
    clock: Clock,
    watch: Watch,
    /// The range of instants in which the last answer is valid.
    validity: Option<Range<i64>>,
    /// The last result that was returned: the digest of an answer, or an error.
    last: Option<Result<u128>>,
    timer_thread: Arc<TimerThread>,
    registration: Option<Registration>,
}

impl Engine {
    /// Observes a question. Returns the current answer of [`ask`](Self::ask), and a new one
    /// whenever its status or its bytes change. This can happen after a change of the data from
    /// which the answer is made, and when another day begins at the school.
    ///
    /// Several changes in succession may result in one answer. Answers arrive in order and without
    /// duplicates. An error is returned once, and the live query continues. It ends when the engine
    /// is closed or dropped; while the engine is suspended, it waits.
    ///
    /// ```
    /// use rollbook::{Engine, Grades, Options};
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// let mut grades = engine.observe(Grades { school: 1, grade_id: None });
    /// assert_eq!(grades.poll().transpose()?.map(|answer| answer.status.code), Some(404));
    ///
    /// engine.apply(&br#"{"type":"grade","school_id":1,"grade_id":9,"grade":"7"}"#[..])?;
    /// let answer = grades.next().transpose()?.map(|answer| answer.body);
    /// assert_eq!(answer.as_deref(), Some(&br#"[{"id":"9","name":"Grade 7"}]"#[..]));
    ///
    /// engine.apply(&br#"{"type":"parent","school_id":1,"id":40}"#[..])?;
    /// assert!(grades.poll().is_none());
    /// engine.close()?;
    /// assert!(grades.next().is_none());
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    pub fn observe(&self, question: impl Observable) -> LiveQuery {
        self.live_query(Box::new(question), api::answer_question)
    }

    /// Observes one record in the format of v2. It works like [`observe`](Self::observe), but with
    /// the answers of [`find`](Self::find).
    ///
    /// ```
    /// use rollbook::{Engine, Grades, Options};
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// engine.apply(&br#"{"type":"grade","school_id":1,"grade_id":9,"grade":"7"}"#[..])?;
    /// let mut grade = engine.observe_record(Grades { school: 1, grade_id: Some(9) });
    /// let answer = grade.poll().transpose()?.map(|answer| answer.body);
    /// assert_eq!(answer.as_deref(), Some(&br#"{"id":9,"name":"Grade 7"}"#[..]));
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    pub fn observe_record(&self, question: impl Observable) -> LiveQuery {
        self.live_query(Box::new(question), api::answer_record)
    }

    fn live_query(&self, question: Box<dyn Observable>, write_answer: WriteAnswer) -> LiveQuery {
        let (mut school, mut sources) = (None, Sources::NONE);
        question.with(&mut |question| {
            school = question.about();
            sources = question.sources().union(STATE);
        });
        LiveQuery {
            question,
            write_answer,
            store: Arc::downgrade(&self.store),
            freshness: self.freshness.clone(),
            clock: self.clock.clone(),
            watch: self.store.watch(school, sources),
            validity: None,
            last: None,
            timer_thread: self.timer_thread.clone(),
            registration: None,
        }
    }
}

/// The time after which a question is repeated because of an error of the store, in seconds.
const RETRY_SECONDS: i64 = 60;

impl LiveQuery {
    /// Returns the answer if it differs from the last one that was returned. As long as the data
    /// from which the answer is made does not change, this costs almost nothing.
    ///
    /// It also returns `None` while the engine is suspended, and once [`is_over`](Self::is_over) is
    /// true.
    ///
    /// # Errors
    /// Returns each error of [`Engine::ask`] once.
    pub fn poll(&mut self) -> Option<Result<Answer>> {
        let has_changed = self.watch.take_changed();
        let result = if has_changed || self.is_outdated() {
            self.refresh()
        } else {
            None
        };
        self.update_timer();
        result
    }

    /// Returns the instant at which to poll next if nothing changes before, in seconds since
    /// 1970-01-01T00:00:00Z. This is the next midnight at the school if the answer depends on the
    /// date. After an error of the store, it is one minute later.
    ///
    /// To wait for it, compare it with the clock once a minute, because timers stop while a device
    /// sleeps. If the clock was set back since the last poll, poll at once.
    pub fn next_look(&self) -> Option<i64> {
        let validity = self.validity.as_ref()?;
        (!self.clock.is_fixed()).then_some(validity.end)
    }

    /// Returns whether the engine was closed or dropped. No answer follows.
    pub fn is_over(&self) -> bool {
        self.watch.has_ended()
    }

    fn is_outdated(&self) -> bool {
        let validity = self.validity.as_ref();
        validity.is_some_and(|validity| !validity.contains(&self.clock.now()))
    }

    /// Repeats the question, and returns the answer if it is new.
    fn refresh(&mut self) -> Option<Result<Answer>> {
        let store = self.store.upgrade().filter(|_| !self.is_over())?;
        let mut body = Vec::new();
        let now = self.clock.now();
        let mut validity = None;
        let mut answered = None;
        self.question.with(&mut |question| {
            let fresh = self.freshness.ensure(&store, question.about());
            answered = Some(fresh.and_then(|()| {
                loop {
                    let answer = store.read(|snapshot| {
                        let view = View::new(snapshot, now);
                        if query::depends_on_any_record(question, view.snapshot)?
                            && self.watch.extend(RECORDS)
                        {
                            // The snapshot may be older than a change of these records.
                            return Ok(None);
                        }
                        validity = view.day(question)?;
                        (self.write_answer)(question, view, &mut body).map(Some)
                    })?;
                    if let Some(status) = answer {
                        return Ok(status);
                    }
                }
            }));
        });
        let result = match answered? {
            Ok(status) => Ok(Answer { status, body }),
            Err(failure) => Err(Error::from(failure)),
        };
        match result {
            Ok(_) | Err(Error::NotSynced { .. }) => self.validity = validity,
            // The watch is notified when the engine is resumed or closed.
            Err(Error::Suspended | Error::Closed) => {
                self.validity = None;
                return None;
            }
            Err(_) => self.validity = Some(now..now.saturating_add(RETRY_SECONDS)),
        }
        let digest = |answer: &Answer| {
            XxHash3_128::oneshot_with_seed(u64::from(answer.status.code), &answer.body)
        };
        let last = Some(result.as_ref().map(digest).map_err(Clone::clone));
        if last == self.last {
            return None;
        }
        self.last = last;
        Some(result)
    }

    /// Tells the timer thread how long the answer is valid.
    fn update_timer(&mut self) {
        if self.is_over() {
            self.registration = None;
        }
        if let Some(registration) = &self.registration {
            let validity = self.validity.clone().filter(|_| !self.clock.is_fixed());
            registration.set_validity(validity);
        }
    }
}

impl std::fmt::Debug for LiveQuery {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LiveQuery")
            .field("next_look", &self.next_look())
            .field("is_over", &self.is_over())
            .finish_non_exhaustive()
    }
}
