//! Answers that follow what changes: a question is asked again once something that its answer
//! is made from was changed, or another day began at its school.
//!
//! - here: asking again, and what is handed on of it. `attendant`: the thread of an engine
//!   that looks at the clock. `waiting`, `stream`: who waits for the next answer.

#[cfg(not(target_family = "wasm"))]
mod attendant;
#[cfg(all(feature = "stream", not(target_family = "wasm")))]
mod stream;
#[cfg(test)]
mod tests;
#[cfg(not(target_family = "wasm"))]
mod waiting;

#[cfg(not(target_family = "wasm"))]
pub(super) use attendant::Attendant;
#[cfg(all(feature = "stream", not(target_family = "wasm")))]
pub use stream::Answers;

use super::Engine;
use crate::api::{self, Answer, Status};
use crate::clock::Clock;
use crate::dataset::Freshness;
use crate::error::{self, Error, public::Result};
use crate::query::{Query, Question, View};
use crate::store::{Collection, Sources, Store, Watch};
use std::ops::Range;
use std::sync::{Arc, Weak};
use twox_hash::XxHash3_128;

/// A question that is kept: each that borrows nothing for a while is one. Who keeps what
/// questions borrow, such as a name, makes the question of it whenever it is asked.
///
/// ```
/// use rollbook::{Engine, Learners, Observed, Options, Question};
///
/// struct ByName(String);
///
/// impl Observed for ByName {
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
pub trait Observed: Send + Sync + 'static {
    /// Hands the question on: always the same one.
    fn with(&self, ask: &mut dyn FnMut(&dyn Question));
}

impl<Q: Question + Send + Sync + 'static> Observed for Q {
    fn with(&self, ask: &mut dyn FnMut(&dyn Question)) {
        ask(self);
    }
}

/// How an answer is written.
type Form = fn(&dyn Query, View<'_>, &mut Vec<u8>) -> error::Result<Status>;

/// The answers to a question, one after the other, as they change: see
/// [`Engine::observe`].
///
/// It is an iterator that waits for the next answer, and [`stream`](Self::stream) makes a
/// `Stream` of it. Who has a loop of their own calls [`poll`](Self::poll), and is told
/// by [`on_change`](Self::on_change) when it is time to. Of these ways to wait, the one that
/// was taken last counts. In WebAssembly there is `poll` alone.
pub struct Observation {
    question: Box<dyn Observed>,
    form: Form,
    store: Weak<Store>,
    freshness: Arc<Freshness>,
    clock: Clock,
    watch: Watch,
    /// The instants for which the last answer holds.
    holds: Option<Range<i64>>,
    /// What was given last: the digest of an answer, or an error.
    last: Option<Result<u128>>,
    #[cfg(not(target_family = "wasm"))]
    attendant: Arc<Attendant>,
    #[cfg(not(target_family = "wasm"))]
    attention: Option<attendant::Attention>,
}

impl Engine {
    /// Observes a question: the answer that [`ask`](Self::ask) gives now, and again
    /// whenever its status or its bytes change. They change after a change of the data
    /// that it is made from, and when another day begins at the school.
    ///
    /// Several changes in a row may make one answer. An answer is never older than the one
    /// before it, and never the same. An error is handed on once, and the observation goes on. It
    /// ends when the engine is closed or dropped; while the engine is suspended it waits.
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
    pub fn observe(&self, question: impl Observed) -> Observation {
        self.observation(Box::new(question), api::answer_question)
    }

    /// Observes one record, as v2 answers it: as [`observe`](Self::observe), but with the
    /// answers of [`find`](Self::find).
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
    pub fn observe_record(&self, question: impl Observed) -> Observation {
        self.observation(Box::new(question), api::answer_record)
    }

    fn observation(&self, question: Box<dyn Observed>, form: Form) -> Observation {
        let (mut school, mut sources) = (None, Sources::NONE);
        question.with(&mut |question| {
            school = question.about();
            // Of a school that is synced, what was seen decides as well.
            sources = question.sources().and(Sources::of(&[Collection::Coverage]));
        });
        Observation {
            question,
            form,
            store: Arc::downgrade(&self.store),
            freshness: self.freshness.clone(),
            clock: self.clock.clone(),
            watch: self.store.watch(school, sources),
            holds: None,
            last: None,
            #[cfg(not(target_family = "wasm"))]
            attendant: self.attendant.clone(),
            #[cfg(not(target_family = "wasm"))]
            attention: None,
        }
    }
}

/// How long an error of the store is taken to last, in seconds.
const PAUSE: i64 = 60;

impl Observation {
    /// The answer, if it is another than the one that was given last. It costs next to
    /// nothing as long as nothing was changed that the answer is made from.
    ///
    /// Nothing is given either while the engine is suspended, or once
    /// [`is_over`](Self::is_over).
    ///
    /// # Errors
    /// As [`Engine::ask`], each once.
    pub fn poll(&mut self) -> Option<Result<Answer>> {
        let is_touched = self.watch.take();
        let given = if is_touched || self.is_another_time() {
            self.look()
        } else {
            None
        };
        #[cfg(not(target_family = "wasm"))]
        self.attend();
        given
    }

    /// The instant at which to poll next if nothing is changed until then, in seconds since
    /// 1970-01-01T00:00:00Z: the next midnight at the school, if the answer depends on the
    /// day. After an error of the store it is a minute later.
    ///
    /// Who waits for it looks at the clock once a minute: timers stop while a device sleeps.
    pub fn next_look(&self) -> Option<i64> {
        let holds = self.holds.as_ref()?;
        (!self.clock.stands_still()).then_some(holds.end)
    }

    /// Whether the engine was closed or dropped. No answer follows.
    pub fn is_over(&self) -> bool {
        self.watch.has_ended()
    }

    fn is_another_time(&self) -> bool {
        let holds = self.holds.as_ref();
        holds.is_some_and(|holds| !holds.contains(&self.clock.now()))
    }

    /// Asks, and gives what is new.
    fn look(&mut self) -> Option<Result<Answer>> {
        let store = self.store.upgrade().filter(|_| !self.is_over())?;
        let mut body = Vec::new();
        let now = self.clock.now();
        let mut holds = None;
        let mut answered = None;
        self.question.with(&mut |question| {
            let fresh = self.freshness.ensure(&store, question.about());
            answered = Some(fresh.and_then(|()| {
                store.read(|snapshot| {
                    let view = View::new(snapshot, now);
                    holds = view.day(question)?;
                    (self.form)(question, view, &mut body)
                })
            }));
        });
        let given = match answered? {
            Ok(status) => Ok(Answer { status, body }),
            Err(failure) => Err(Error::from(failure)),
        };
        match given {
            Ok(_) | Err(Error::NotSynced { .. }) => self.holds = holds,
            // It is touched when it goes on.
            Err(Error::Suspended | Error::Closed) => {
                self.holds = None;
                return None;
            }
            Err(_) => self.holds = Some(now..now.saturating_add(PAUSE)),
        }
        let digest = |answer: &Answer| {
            XxHash3_128::oneshot_with_seed(u64::from(answer.status.code), &answer.body)
        };
        let last = Some(given.as_ref().map(digest).map_err(Clone::clone));
        if last == self.last {
            return None;
        }
        self.last = last;
        Some(given)
    }
}

impl std::fmt::Debug for Observation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Observation")
            .field("next_look", &self.next_look())
            .field("is_over", &self.is_over())
            .finish_non_exhaustive()
    }
}
