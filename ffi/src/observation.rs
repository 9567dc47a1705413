//! Questions that are observed: the answer now, and again whenever it is another.

use crate::dataset::ListenerError;
use crate::engine::Engine;
use crate::error::Result;
use crate::question::Question;
use crate::request::Answer;
use rollbook::Observed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::{self, ThreadId};

/// Hears when it is time to poll an observation.
#[uniffi::export(callback_interface)]
pub trait ChangeListener: Send + Sync {
    /// Called after a change, when another day begins, when the engine is resumed, and at the
    /// end; not again until the observation is polled. It is called on a thread of the
    /// engine, one for all observations, which must not be held up. What it throws
    /// is lost.
    fn changed(&self) -> Result<(), ListenerError>;
}

/// The answers to a question, one after the other, as they change.
///
/// Several changes in a row may make one answer. An answer is never older than the one
/// before it, and never the same. It does not keep the engine open.
#[derive(uniffi::Object)]
pub struct Observation {
    /// Gone once it is cancelled.
    observation: Mutex<Option<rollbook::Observation>>,
    /// Gone once the engine has let go of it.
    listening: Weak<Listening>,
}

/// Who hears, until it is over: a language that is about to end must not be called, nor
/// its listener be let go by a thread of the engine.
struct Listening {
    /// Held during a call.
    listener: Mutex<Option<Box<dyn ChangeListener>>>,
    /// The thread of the call that is under way.
    caller: Mutex<Option<ThreadId>>,
}

impl Listening {
    fn call(&self) {
        let listener = locked(&self.listener);
        *locked(&self.caller) = Some(thread::current().id());
        if let Some(listener) = &*listener {
            // Nobody is there to hear of what it throws.
            let _ = listener.changed();
        }
        *locked(&self.caller) = None;
    }

    /// Waits for a call that is under way, unless this is that call.
    fn end(&self) {
        if *locked(&self.caller) == Some(thread::current().id()) {
            return;
        }
        let gone = locked(&self.listener).take();
        drop(gone);
    }
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

#[uniffi::export]
impl Observation {
    /// The answer, if it is another than the one that was given last: the first one at once.
    /// It costs next to nothing as long as nothing was changed that the answer is made from.
    ///
    /// Nothing is given either while the engine is suspended, or once the observation is
    /// over. An error is thrown once, and the observation goes on: `not_synced` if the
    /// school is synced and what is asked was not seen; `io` or `corrupt` if the store fails.
    pub fn poll(&self) -> Result<Option<Answer>> {
        let mut observation = self.observation();
        let given = observation.as_mut().and_then(rollbook::Observation::poll);
        Ok(given.transpose()?.map(Answer::from))
    }

    /// The instant at which the answer may change by itself, in seconds since
    /// 1970-01-01T00:00:00Z: the next midnight at the school, if the answer depends on the
    /// day. The listener is called then.
    pub fn next_look(&self) -> Option<i64> {
        self.observation().as_ref()?.next_look()
    }

    /// Whether it was cancelled, or the engine was closed. No answer follows.
    pub fn is_over(&self) -> bool {
        let observation = self.observation();
        observation
            .as_ref()
            .is_none_or(rollbook::Observation::is_over)
    }

    /// Ends it. A call of the listener that is under way is waited for, and none follows;
    /// within a call of the listener nothing is waited for.
    pub fn cancel(&self) {
        let listening = self.listening.upgrade();
        let gone = self.observation().take();
        drop(gone);
        if let Some(listening) = listening {
            listening.end();
        }
    }
}

impl Observation {
    fn of(
        mut observation: rollbook::Observation,
        listener: Box<dyn ChangeListener>,
    ) -> Result<Arc<Observation>> {
        let listening = Arc::new(Listening {
            listener: Mutex::new(Some(listener)),
            caller: Mutex::default(),
        });
        let heard = Arc::downgrade(&listening);
        observation.on_change(move || listening.call())?;
        Ok(Arc::new(Observation {
            observation: Mutex::new(Some(observation)),
            listening: heard,
        }))
    }

    fn observation(&self) -> MutexGuard<'_, Option<rollbook::Observation>> {
        locked(&self.observation)
    }
}

#[uniffi::export]
impl Engine {
    /// Observes a question: the answer that `ask` gives, and again whenever its status or its
    /// bytes change. They change after a change of the data that it is made from, and when
    /// another day begins at the school. The listener hears when it is time to poll; poll
    /// once to begin with.
    ///
    /// It ends when the engine is closed; while the engine is suspended it waits. Fails as
    /// `bad_argument` if a text is no date, as `io` if the system gives no thread.
    pub fn observe(
        &self,
        question: Question,
        listener: Box<dyn ChangeListener>,
    ) -> Result<Arc<Observation>> {
        question.as_asked()?;
        Observation::of(self.inner().observe(question), listener)
    }

    /// Observes one record as v2 answers it: as `observe`, but with the answers of `find`.
    pub fn observe_record(
        &self,
        question: Question,
        listener: Box<dyn ChangeListener>,
    ) -> Result<Arc<Observation>> {
        question.as_asked()?;
        Observation::of(self.inner().observe_record(question), listener)
    }
}

impl Observed for Question {
    fn with(&self, ask: &mut dyn FnMut(&dyn rollbook::Question)) {
        // It could be asked when it was given.
        if let Ok(question) = self.as_asked() {
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

    /// Tells of each call, and throws.
    struct Failing(Sender<()>);

    impl ChangeListener for Failing {
        fn changed(&self) -> Result<(), ListenerError> {
            let _ = self.0.send(());
            Err(ListenerError::Failed {
                reason: "as told".to_owned(),
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
    fn a_change_and_the_end_are_heard() -> Result<()> {
        let engine = Engine::memory(None)?;
        let (sender, calls) = channel();
        let heard = || calls.recv_timeout(Duration::from_secs(60)).is_ok();
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
            assert!(heard());
            assert_eq!(smiths.poll()?, asked()?);
            assert_eq!(smiths.poll()?, None);
        }
        engine.close()?;
        assert!(heard() && smiths.is_over() && smiths.poll()?.is_none());
        drop((smiths, other));
        // The listeners are let go.
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
