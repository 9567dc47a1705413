//! Live queries: the current answer to a question, and each answer that differs from the last one.

use crate::dataset::ListenerError;
use crate::engine::Engine;
use crate::error::Result;
use crate::question::Question;
use crate::request::Answer;
use rollbook::Observable;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::{self, ThreadId};

/// Is notified when it is time to poll a live query or a live feed.
#[uniffi::export(callback_interface)]
pub trait ChangeListener: Send + Sync {
    /// Is called after a change, when another day begins, when the engine is resumed, and at the
    /// end. It is not called again until the live query or live feed is polled. One thread of the
    /// engine calls it for all live queries, and the thread that made the change calls it for live
    /// feeds; it must not block either of them. An error that it throws is ignored.
    fn changed(&self) -> Result<(), ListenerError>;
}

/// A live query: the successive answers to a question.
///
/// Several changes in succession may result in one answer. Answers arrive in order, and each one
/// differs from the one before it. A live query does not prevent the engine from being closed.
#[derive(uniffi::Object)]
pub struct LiveQuery {
    /// `None` once it is cancelled.
    query: Mutex<Option<rollbook::LiveQuery>>,
    /// The listener, as long as the engine has not released it.
    listening: Weak<Listening>,
}

/// The number of listeners that the language has not finished releasing.
static LISTENERS: AtomicU64 = AtomicU64::new(0);

/// Returns the number of listeners that may still run code of the language. A language that is
/// about to end waits until there are none.
pub(crate) fn listeners() -> u64 {
    LISTENERS.load(Ordering::Acquire)
}

/// Adds one to the number of listeners until it is dropped.
struct Counted;

impl Counted {
    fn new() -> Counted {
        LISTENERS.fetch_add(1, Ordering::Relaxed);
        Counted
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        LISTENERS.fetch_sub(1, Ordering::Release);
    }
}

/// A listener that is counted until the language has released it: fields are dropped in order.
struct Listener {
    callback: Box<dyn ChangeListener>,
    _counted: Counted,
}

/// A listener that is called until [`end`](Self::end). The call of `end` releases the listener:
/// when the language is about to end, a thread of the engine must neither call nor release it.
pub(crate) struct Listening {
    /// The listener. The lock is acquired during a call.
    listener: Mutex<Option<Listener>>,
    /// The thread of the call that is in progress.
    caller: Mutex<Option<ThreadId>>,
}

impl Listening {
    pub(crate) fn new(callback: Box<dyn ChangeListener>) -> Arc<Listening> {
        let listener = Listener {
            callback,
            _counted: Counted::new(),
        };
        Arc::new(Listening {
            listener: Mutex::new(Some(listener)),
            caller: Mutex::default(),
        })
    }

    /// Calls the listener, unless it is being called by this thread. This happens if the listener
    /// makes a change, of which it knows already.
    pub(crate) fn call(&self) {
        if *locked(&self.caller) == Some(thread::current().id()) {
            return;
        }
        let listener = locked(&self.listener);
        *locked(&self.caller) = Some(thread::current().id());
        if let Some(listener) = &*listener {
            // An error that the listener throws is ignored, because there is no caller to report
            // it to.
            let _ = listener.callback.changed();
        }
        *locked(&self.caller) = None;
    }

    /// Releases the listener. Waits for a call that is in progress, unless it is made by this
    /// thread; in this case the listener is not released here.
    pub(crate) fn end(&self) {
        if *locked(&self.caller) == Some(thread::current().id()) {
            return;
        }
        let released = locked(&self.listener).take();
        drop(released);
    }
}

pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[uniffi::export]
impl LiveQuery {
    /// Returns the answer if it differs from the last one that was returned; the first call returns
    /// the current answer. As long as the data from which the answer is made does not change, this
    /// costs almost nothing.
    ///
    /// It also returns nothing while the engine is suspended, and once the live query is over. An
    /// error is thrown once, and the live query continues: `not_synced` if the school is synced and
    /// the requested data was not fetched; `io` or `corrupt` if the store fails.
    pub fn poll(&self) -> Result<Option<Answer>> {
        let mut query = self.query();
        let answer = query.as_mut().and_then(rollbook::LiveQuery::poll);
        Ok(answer.transpose()?.map(Answer::from))
    }

    /// Returns the instant at which the answer may change although no data changes, in seconds
    /// since 1970-01-01T00:00:00Z. This is the next midnight at the school if the answer depends
    /// on the date. The listener is called then.
    pub fn next_look(&self) -> Option<i64> {
        self.query().as_ref()?.next_look()
    }

    /// Returns whether the live query was cancelled or the engine was closed. No answer follows.
    pub fn is_over(&self) -> bool {
        let query = self.query();
        query.as_ref().is_none_or(rollbook::LiveQuery::is_over)
    }

    /// Ends the live query. It waits for a call of the listener that is in progress, unless it is
    /// called within that call. No call of the listener follows.
    pub fn cancel(&self) {
        let listening = self.listening.upgrade();
        let removed = self.query().take();
        drop(removed);
        if let Some(listening) = listening {
            listening.end();
        }
    }
}

impl LiveQuery {
    fn new(
        mut query: rollbook::LiveQuery,
        listener: Box<dyn ChangeListener>,
    ) -> Result<Arc<LiveQuery>> {
        let listening = Listening::new(listener);
        let weak = Arc::downgrade(&listening);
        query.on_change(move || listening.call())?;
        Ok(Arc::new(LiveQuery {
            query: Mutex::new(Some(query)),
            listening: weak,
        }))
    }

    fn query(&self) -> MutexGuard<'_, Option<rollbook::LiveQuery>> {
        locked(&self.query)
    }
}

#[uniffi::export]
impl Engine {
    /// Observes a question. The live query returns the current answer of `ask`, and a new one
    /// whenever its status or its bytes change. This can happen after a change of the data from
    /// which the answer is made, and when another day begins at the school. The listener is called
    /// when it is time to poll; poll once at the start.
    ///
    /// The live query ends when the engine is closed; while the engine is suspended, it waits.
    /// Fails with `bad_argument` if a text is not a date, and with `io` if the system cannot create
    /// the thread.
    pub fn observe(
        &self,
        question: Question,
        listener: Box<dyn ChangeListener>,
    ) -> Result<Arc<LiveQuery>> {
        question.to_core()?;
        LiveQuery::new(self.inner().observe(question), listener)
    }

    /// Observes one record in the format of v2. It works like `observe`, but with the answers of
    /// `find`.
    pub fn observe_record(
        &self,
        question: Question,
        listener: Box<dyn ChangeListener>,
    ) -> Result<Arc<LiveQuery>> {
        question.to_core()?;
        LiveQuery::new(self.inner().observe_record(question), listener)
    }
}

impl Observable for Question {
    fn with(&self, ask: &mut dyn FnMut(&dyn rollbook::Question)) {
        // The question is valid, because that was checked when the live query was created.
        if let Ok(question) = self.to_core() {
            ask(&*question);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Dataset;
    use crate::error::RollbookError;
    use std::sync::mpsc::{Sender, channel};
    use std::time::Duration;

    /// A listener that reports each call, and throws an error.
    struct Failing(Sender<()>);

    impl ChangeListener for Failing {
        fn changed(&self) -> Result<(), ListenerError> {
            let _ = self.0.send(());
            Err(ListenerError::Failed {
                reason: "as intended".to_owned(),
            })
        }
    }

    fn learners(name: &str) -> Question {
        Question::Learners {
            school: 1,
            status: None,
            since: None,
            until: None,
            learner_id: None,
            grade_ids: Vec::new(),
            include_parents: false,
            name: Some(name.to_owned()),
            family_code: None,
        }
    }

    #[test]
    fn a_change_and_the_end_are_reported() -> Result<()> {
        let engine = Engine::memory(None)?;
        let (sender, calls) = channel();
        let is_reported = || calls.recv_timeout(Duration::from_secs(60)).is_ok();
        let smiths = engine.observe(learners("smith"), Box::new(Failing(sender.clone())))?;
        let other = engine.observe_record(learners("naidoo"), Box::new(Failing(sender)))?;
        let asked = || engine.ask(&learners("smith"), None).map(Some);
        assert_eq!(smiths.poll()?, asked()?);
        assert!(other.poll()?.is_some());
        other.cancel();
        assert!(other.is_over() && other.poll()?.is_none());
        for name in ["Smith", "Smithers", "Dlamini"] {
            let text = format!(r#"{{"type":"learner","school_id":1,"id":7,"last_name":"{name}"}}"#);
            engine.apply(Dataset::Text { text }, None)?;
            assert!(is_reported());
            assert_eq!(smiths.poll()?, asked()?);
            assert_eq!(smiths.poll()?, None);
        }
        engine.close()?;
        assert!(is_reported() && smiths.is_over() && smiths.poll()?.is_none());
        drop((smiths, other));
        // The listeners were released.
        assert!(calls.recv().is_err());
        Ok(())
    }

    #[test]
    fn a_question_that_cannot_be_asked_is_refused_at_once() -> Result<()> {
        let engine = Engine::memory(None)?;
        let (sender, _calls) = channel();
        let question = Question::Absentees {
            school: 1,
            id: None,
            learner_id: None,
            from_date: Some("yesterday".to_owned()),
            to_date: None,
        };
        let refused = engine.observe(question, Box::new(Failing(sender))).err();
        assert!(matches!(refused, Some(RollbookError::BadArgument(_))));
        Ok(())
    }
}
