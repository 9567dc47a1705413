//! The thread of an engine that looks at the clock, so that midnight wakes who waits for it,
//! and that calls listeners, so that none is called amid a change. It is there as long as
//! somebody waits.

use crate::clock::Clock;
use crate::store::{Wake, catch_panic};
use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub(in crate::engine) struct Attendant {
    clock: Clock,
    kept: Mutex<Kept>,
    news: Condvar,
}

#[derive(Default)]
struct Kept {
    waiting: HashMap<u64, Waiting>,
    /// The number of the next one.
    next: u64,
    is_running: bool,
}

struct Waiting {
    call: Wake,
    /// The instant at which it is called.
    look: Option<i64>,
    is_due: bool,
}

/// Somebody who waits, until dropped.
pub(super) struct Attention {
    attendant: Arc<Attendant>,
    number: u64,
}

impl Attendant {
    pub(in crate::engine) fn new(clock: &Clock) -> Arc<Attendant> {
        Arc::new(Attendant {
            clock: clock.clone(),
            kept: Mutex::default(),
            news: Condvar::new(),
        })
    }

    /// Has somebody called, by the thread.
    pub(super) fn attend(self: &Arc<Self>, call: Wake) -> io::Result<Attention> {
        let mut kept = self.kept();
        if !kept.is_running {
            let attendant = self.clone();
            let thread = std::thread::Builder::new().name("rollbook-observe".to_owned());
            thread.spawn(move || attendant.run())?;
            kept.is_running = true;
        }
        let number = kept.next;
        kept.next += 1;
        let waiting = Waiting {
            call,
            look: None,
            is_due: false,
        };
        kept.waiting.insert(number, waiting);
        Ok(Attention {
            attendant: self.clone(),
            number,
        })
    }

    fn run(&self) {
        loop {
            // A clock of the app's own may take its time.
            let now = catch_panic(|| self.clock.now()).unwrap_or(i64::MIN);
            let mut kept = self.kept();
            if kept.waiting.is_empty() {
                kept.is_running = false;
                return;
            }
            let all = kept.waiting.values_mut();
            let due: Vec<Wake> = all.filter_map(|waiting| waiting.due(now)).collect();
            if due.is_empty() {
                self.pause(kept, now);
                continue;
            }
            drop(kept);
            for call in due {
                let _ = catch_panic(|| call());
            }
        }
    }

    /// Waits for news, or the next instant at which somebody is called.
    fn pause(&self, kept: MutexGuard<'_, Kept>, now: i64) {
        let looks = kept.waiting.values().filter_map(|waiting| waiting.look);
        match looks.min() {
            Some(look) => drop(self.news.wait_timeout(kept, until(look, now))),
            None => drop(self.news.wait(kept)),
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
        let is_due = std::mem::take(&mut self.is_due);
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
            self.attendant.news.notify_one();
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
        let (attendant, number) = (self.attendant.clone(), self.number);
        Arc::new(move || {
            if let Some(waiting) = attendant.kept().waiting.get_mut(&number) {
                waiting.is_due = true;
                attendant.news.notify_one();
            }
        })
    }
}

impl Drop for Attention {
    fn drop(&mut self) {
        let gone = self.attendant.kept().waiting.remove(&self.number);
        self.attendant.news.notify_one();
        drop(gone);
    }
}
