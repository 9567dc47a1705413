//! Waits for the next answer in a thread, or in an event loop of the app.

use super::LiveQuery;
use crate::api::Answer;
use crate::engine::timer_thread::wait_time;
use crate::error::public::Result;
use crate::platform::HAS_THREADS;
use crate::store::Wake;
use std::sync::Arc;
use std::thread;

/// Waits for the next answer. There is none once the engine is closed or dropped. In a browser, there
/// is also none if the answer has not changed.
impl Iterator for LiveQuery {
    type Item = Result<Answer>;

    fn next(&mut self) -> Option<Result<Answer>> {
        self.registration = None;
        let waiter = thread::current();
        self.watch
            .on_change(Some(Arc::new(move || waiter.unpark())));
        let result = loop {
            if let Some(result) = self.poll() {
                break Some(result);
            }
            if self.is_over() || !HAS_THREADS {
                break None;
            }
            match self.next_look() {
                Some(deadline) => thread::park_timeout(wait_time(deadline, self.clock.now())),
                None => thread::park(),
            }
        };
        self.watch.on_change(None);
        result
    }
}

impl LiveQuery {
    /// Sets a callback for the time to [`poll`](Self::poll): after a change, when another day
    /// begins or the clock is set back to an earlier one, when the engine is resumed, and when it is
    /// closed. Poll once after setting it, and after each call: until then it is not called again.
    ///
    /// The callback is called by one thread of the engine for all live queries, and must not block
    /// it. A call may be in progress when the live query is dropped. A panic in the callback is
    /// caught.
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
    /// Fails with `io` if the system cannot create the thread.
    pub fn on_change(&mut self, call: impl Fn() + Send + Sync + 'static) -> Result<()> {
        let registration = self.timer_thread.register(Arc::new(call))?;
        self.watch.on_change(Some(registration.wake()));
        self.registration = Some(registration);
        Ok(())
    }

    /// Makes the timer thread call this when it is time to poll.
    pub(super) fn set_timer_callback(&mut self, call: Wake) -> std::io::Result<()> {
        match &self.registration {
            Some(registration) => registration.replace(call),
            None => self.registration = Some(self.timer_thread.register(call)?),
        }
        self.update_timer();
        Ok(())
    }
}
