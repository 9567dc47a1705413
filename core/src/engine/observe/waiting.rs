//! Who waits for the next answer: a thread, or a loop of the app's own.

use super::Observation;
use super::attendant::until;
use crate::api::Answer;
use crate::error::public::Result;
#[cfg(feature = "stream")]
use crate::store::Wake;
use std::sync::Arc;
use std::thread;

/// Waits for the next answer; there is none once the engine was closed or dropped.
impl Iterator for Observation {
    type Item = Result<Answer>;

    fn next(&mut self) -> Option<Result<Answer>> {
        self.attention = None;
        let waiting = thread::current();
        self.watch
            .on_touch(Some(Arc::new(move || waiting.unpark())));
        let given = loop {
            if let Some(given) = self.poll() {
                break Some(given);
            }
            if self.is_over() {
                break None;
            }
            match self.next_look() {
                Some(look) => thread::park_timeout(until(look, self.clock.now())),
                None => thread::park(),
            }
        };
        self.watch.on_touch(None);
        given
    }
}

impl Observation {
    /// Has this called when it is time to [`poll`](Self::poll): after a change, when
    /// another day begins, when the engine is resumed, and at its end. Poll once to begin with, and
    /// after each call: until then it is not called again.
    ///
    /// It is called by a thread of the engine, one for all observations, which must not be held
    /// up. A call may be under way when the observation is dropped. A panic in it is caught.
    ///
    /// ```
    /// use rollbook::{Engine, Grades, Options};
    /// use std::sync::mpsc;
    ///
    /// let engine = Engine::memory(Options::default())?;
    /// let (sender, changes) = mpsc::channel();
    /// let mut grades = engine.observe(Grades { school: 1, grade_id: None });
    /// grades.on_change(move || { let _ = sender.send(()); })?;
    /// assert!(grades.poll().is_some());
    ///
    /// engine.apply(&br#"{"type":"grade","school_id":1,"grade_id":9,"grade":"7"}"#[..])?;
    /// assert!(changes.recv().is_ok());
    /// assert!(grades.poll().is_some());
    /// # Ok::<(), rollbook::Error>(())
    /// ```
    ///
    /// # Errors
    /// `io` if the system gives no thread.
    pub fn on_change(&mut self, call: impl Fn() + Send + Sync + 'static) -> Result<()> {
        let attention = self.attendant.attend(Arc::new(call))?;
        self.watch.on_touch(Some(attention.wake()));
        self.attention = Some(attention);
        Ok(())
    }

    /// Has the thread call this for the time's sake.
    #[cfg(feature = "stream")]
    pub(super) fn call_for_time(&mut self, call: Wake) -> std::io::Result<()> {
        match &self.attention {
            Some(attention) => attention.replace(call),
            None => self.attention = Some(self.attendant.attend(call)?),
        }
        self.attend();
        Ok(())
    }

    /// Says when it is to be called for the time's sake.
    pub(super) fn attend(&mut self) {
        if self.is_over() {
            self.attention = None;
        }
        if let Some(attention) = &self.attention {
            attention.look_at(self.next_look());
        }
    }
}
