//! The timer thread of an engine. It wakes waiters at midnight, or if the clock is set back to an
//! earlier day, and calls callbacks outside of the thread that makes a change. It exists while there
//! is at least one waiter.

use crate::clock::Clock;
use crate::store::{Wake, catch_panic};
use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};
use std::time::Duration;

pub(crate) struct TimerThread {
    clock: Clock,
    state: Mutex<TimerState>,
}

#[derive(Default)]
struct TimerState {
    waiters: HashMap<u64, Waiter>,
    /// The number of the next waiter.
    next: u64,
    /// The thread, which runs while there are waiters.
    thread: Option<Thread>,
}

struct Waiter {
    call: Wake,
    /// The range of instants in which the answer is valid. The waiter is called when the clock
    /// leaves it.
    validity: Option<Range<i64>>,
    /// Set without the lock, so that a change does not wait for the thread.
    is_due: Arc<AtomicBool>,
}

/// A registered waiter, until it is dropped.
pub(crate) struct Registration {
    timer_thread: Arc<TimerThread>,
    thread: Thread,
    is_due: Arc<AtomicBool>,
    number: u64,
}

impl TimerThread {
    pub(crate) fn new(clock: &Clock) -> Arc<TimerThread> {
        Arc::new(TimerThread {
            clock: clock.clone(),
            state: Mutex::default(),
        })
    }

    /// Registers a waiter that the thread calls.
    pub(crate) fn register(self: &Arc<Self>, call: Wake) -> io::Result<Registration> {
        let mut state = self.state();
        let thread = if let Some(thread) = &state.thread {
            thread.clone()
        } else {
            let timer_thread = self.clone();
            let builder = thread::Builder::new().name("rollbook-observe".to_owned());
            let handle = builder.spawn(move || timer_thread.run())?;
            handle.thread().clone()
        };
        state.thread = Some(thread.clone());
        let number = state.next;
        state.next += 1;
        let is_due = Arc::new(AtomicBool::new(false));
        let waiter = Waiter {
            call,
            validity: None,
            is_due: is_due.clone(),
        };
        state.waiters.insert(number, waiter);
        Ok(Registration {
            timer_thread: self.clone(),
            thread,
            is_due,
            number,
        })
    }

    fn run(&self) {
        loop {
            // A clock of the app may be slow, so it is read without the lock.
            let now = catch_panic(|| self.clock.now());
            let mut state = self.state();
            if state.waiters.is_empty() {
                state.thread = None;
                return;
            }
            let all = state.waiters.values_mut();
            let due: Vec<Wake> = all.filter_map(|waiter| waiter.due(now)).collect();
            let ranges = state.waiters.values();
            let ends = ranges.filter_map(|waiter| Some(waiter.validity.as_ref()?.end));
            let next = ends.min();
            drop(state);
            if due.is_empty() {
                match next {
                    Some(end) => thread::park_timeout(wait_time(end, now.unwrap_or(i64::MIN))),
                    None => thread::park(),
                }
            }
            for call in due {
                let _ = catch_panic(|| call());
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, TimerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns how long to wait for an instant before the clock is read again. It is limited, because
/// timers stop while the device sleeps.
pub(crate) fn wait_time(deadline: i64, now: i64) -> Duration {
    let left = deadline.saturating_sub(now).clamp(1, 60);
    Duration::from_secs(left.unsigned_abs())
}

impl Waiter {
    /// Returns the function to call, if it is time to do so.
    fn due(&mut self, now: Option<i64>) -> Option<Wake> {
        let is_outside = |range: &mut Range<i64>| now.is_some_and(|now| !range.contains(&now));
        // The live query sets the range again at its next poll.
        let is_time = self.validity.take_if(is_outside).is_some();
        let is_due = self.is_due.swap(false, Ordering::AcqRel);
        (is_time || is_due).then(|| self.call.clone())
    }
}

impl Registration {
    /// Sets the range of instants that the clock must leave for the next call.
    pub(crate) fn set_validity(&self, validity: Option<Range<i64>>) {
        let mut state = self.timer_thread.state();
        if let Some(waiter) = state.waiters.get_mut(&self.number)
            && waiter.validity != validity
        {
            waiter.validity = validity;
            self.thread.unpark();
        }
    }

    /// Replaces the function to call.
    pub(crate) fn replace(&self, call: Wake) {
        let mut state = self.timer_thread.state();
        let waiter = state.waiters.get_mut(&self.number);
        let before = waiter.map(|waiter| std::mem::replace(&mut waiter.call, call));
        drop(state);
        drop(before);
    }

    /// Returns a function that makes the thread call the waiter soon.
    pub(crate) fn wake(&self) -> Wake {
        let (thread, is_due) = (self.thread.clone(), self.is_due.clone());
        Arc::new(move || {
            is_due.store(true, Ordering::Release);
            thread.unpark();
        })
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        let removed = self.timer_thread.state().waiters.remove(&self.number);
        self.thread.unpark();
        drop(removed);
    }
}
