//! The thread of an engine that looks at the clock, so that midnight wakes who waits for it,
//! and that calls listeners, so that none is called amid a change. It is there as long as
//! somebody waits.

use crate::clock::Clock;
use crate::store::{Wake, catch_panic};
use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};
use std::time::Duration;

pub(in crate::engine) struct Attendant {
    clock: Clock,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    waiting: HashMap<u64, Waiting>,
    /// The number of the next one.
    next: u64,
    /// Runs as long as somebody waits.
    thread: Option<Thread>,
}

struct Waiting {
    call: Wake,
    /// The instant at which it is called.
    look: Option<i64>,
    /// Raised with no lock, so that a change does not wait for the thread.
    is_due: Arc<AtomicBool>,
}

/// Somebody who waits, until dropped.
pub(super) struct Attention {
    attendant: Arc<Attendant>,
    thread: Thread,
    is_due: Arc<AtomicBool>,
    number: u64,
}

impl Attendant {
    pub(in crate::engine) fn new(clock: &Clock) -> Arc<Attendant> {
        Arc::new(Attendant {
            clock: clock.clone(),
            kept: Mutex::default(),
        })
    }

    /// Has somebody called, by the thread.
    pub(super) fn attend(self: &Arc<Self>, call: Wake) -> io::Result<Attention> {
        let mut kept = self.kept();
        let thread = if let Some(thread) = &kept.thread {
            thread.clone()
        } else {
            let attendant = self.clone();
            let builder = thread::Builder::new().name("rollbook-observe".to_owned());
            let handle = builder.spawn(move || attendant.run())?;
            handle.thread().clone()
        };
        kept.thread = Some(thread.clone());
        let number = kept.next;
        kept.next += 1;
        let is_due = Arc::new(AtomicBool::new(false));
        let waiting = Waiting {
            call,
            look: None,
            is_due: is_due.clone(),
        };
        kept.waiting.insert(number, waiting);
        Ok(Attention {
            attendant: self.clone(),
            thread,
            is_due,
            number,
        })
    }

    fn run(&self) {
        loop {
            // A clock of the app's own may take its time.
            let now = catch_panic(|| self.clock.now()).unwrap_or(i64::MIN);
            let mut kept = self.kept();
            if kept.waiting.is_empty() {
                kept.thread = None;
                return;
            }
            let all = kept.waiting.values_mut();
            let due: Vec<Wake> = all.filter_map(|waiting| waiting.due(now)).collect();
            let looks = kept.waiting.values().filter_map(|waiting| waiting.look);
            let next = looks.min();
            drop(kept);
            if due.is_empty() {
                match next {
                    Some(look) => thread::park_timeout(until(look, now)),
                    None => thread::park(),
                }
            }
            for call in due {
                let _ = catch_panic(|| call());
            }
        }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long to wait for an instant before the clock is looked at again: what a timer counts
/// stops while the device sleeps.
pub(super) fn until(look: i64, now: i64) -> Duration {
    let left = look.saturating_sub(now).clamp(1, 60);
    Duration::from_secs(left.unsigned_abs())
}

impl Waiting {
    /// What is to be called, if it is time.
    fn due(&mut self, now: i64) -> Option<Wake> {
        let is_time = self.look.is_some_and(|look| now >= look);
        if is_time {
            // It is set anew by who looks.
            self.look = None;
        }
        let is_due = self.is_due.swap(false, Ordering::AcqRel);
        (is_time || is_due).then(|| self.call.clone())
    }
}

impl Attention {
    /// Has it called at this instant, and at no other.
    pub(super) fn look_at(&self, look: Option<i64>) {
        let mut kept = self.attendant.kept();
        if let Some(waiting) = kept.waiting.get_mut(&self.number)
            && waiting.look != look
        {
            waiting.look = look;
            self.thread.unpark();
        }
    }

    /// Has something else called.
    #[cfg(feature = "stream")]
    pub(super) fn replace(&self, call: Wake) {
        let mut kept = self.attendant.kept();
        let waiting = kept.waiting.get_mut(&self.number);
        let before = waiting.map(|waiting| std::mem::replace(&mut waiting.call, call));
        drop(kept);
        drop(before);
    }

    /// What has it called soon.
    pub(super) fn wake(&self) -> Wake {
        let (thread, is_due) = (self.thread.clone(), self.is_due.clone());
        Arc::new(move || {
            is_due.store(true, Ordering::Release);
            thread.unpark();
        })
    }
}

impl Drop for Attention {
    fn drop(&mut self) {
        let gone = self.attendant.kept().waiting.remove(&self.number);
        self.thread.unpark();
        drop(gone);
    }
}
