//! Whose password is hashed next: one at a time, in rounds that are fair to each
//! user name.

use crate::record::password::Memory;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Turns at hashing. In each round every name that waits has one, so whoever tries
/// many passwords of a name holds up that name alone.
#[derive(Default)]
pub(super) struct Turns {
    queue: Mutex<Queue>,
    moved: Condvar,
}

#[derive(Default)]
struct Queue {
    /// The names that wait, in the order of their turns.
    waiting: Vec<(Ticket, Box<str>)>,
    /// The round of the last turn.
    round: u64,
    /// How many have come.
    arrivals: u64,
    /// Whether a turn is under way.
    is_busy: bool,
    /// One at a time bounds it; given back while nobody waits.
    memory: Memory,
}

/// The round in which it is someone's turn, and when they came.
type Ticket = (u64, u64);

/// More than this do not wait: each holds a thread of the app, and the last would
/// wait for a second or two.
const MOST_WAITING: usize = 64;

impl Turns {
    /// Waits for a turn; `None` if too many wait, most of them under this name if
    /// any has more than one.
    pub(super) fn take(&self, name: &str) -> Option<Turn<'_>> {
        let mut queue = self.lock();
        let ticket = queue.join(name)?;
        if queue.waiting.len() == MOST_WAITING {
            // Somebody may have lost their ticket.
            self.moved.notify_all();
        }
        while queue.is_busy || queue.next() != Some(ticket) {
            queue = self
                .moved
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
            queue.find(ticket).ok()?;
        }
        queue.begin(ticket);
        Some(Turn {
            memory: std::mem::take(&mut queue.memory),
            turns: self,
        })
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    /// The ticket of a newcomer: for the round after its name's last, or for the
    /// next one. Where too many wait, the last goes if that is in a later round.
    fn join(&mut self, name: &str) -> Option<Ticket> {
        let same = self.waiting.iter().filter(|(_, other)| **other == *name);
        let last = same.map(|(ticket, _)| ticket.0).max();
        let ticket = (last.unwrap_or(self.round) + 1, self.arrivals);
        if self.waiting.len() >= MOST_WAITING {
            self.waiting.pop_if(|last| last.0 > ticket)?;
        }
        self.arrivals += 1;
        let (Ok(at) | Err(at)) = self.find(ticket);
        self.waiting.insert(at, (ticket, name.into()));
        Some(ticket)
    }

    /// Where someone waits, or would.
    fn find(&self, ticket: Ticket) -> Result<usize, usize> {
        self.waiting
            .binary_search_by_key(&ticket, |(ticket, _)| *ticket)
    }

    /// Whose turn it is next.
    fn next(&self) -> Option<Ticket> {
        self.waiting.first().map(|(ticket, _)| *ticket)
    }

    /// Begins somebody's turn.
    fn begin(&mut self, ticket: Ticket) {
        self.waiting.retain(|(other, _)| *other != ticket);
        self.round = ticket.0;
        self.is_busy = true;
    }
}

/// A turn, which ends when it is dropped.
pub(super) struct Turn<'a> {
    pub(super) memory: Memory,
    turns: &'a Turns,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let memory = std::mem::take(&mut self.memory);
        let mut queue = self.turns.lock();
        queue.is_busy = false;
        if !queue.waiting.is_empty() {
            queue.memory = memory;
            self.turns.moved.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::password::Costs;
    use std::thread;

    /// The ticket that a name gets.
    fn come(queue: &mut Queue, name: &str) -> Ticket {
        queue.join(name).unwrap_or_default()
    }

    /// Has the next one's turn begin; says whose it is.
    fn advance(queue: &mut Queue) -> String {
        let Some(ticket) = queue.next() else {
            return String::new();
        };
        let name = queue.waiting.first().map(|(_, name)| name.to_string());
        queue.begin(ticket);
        name.unwrap_or_default()
    }

    #[test]
    fn each_name_has_a_turn_in_each_round() {
        let mut queue = Queue::default();
        for name in ["flood", "flood", "flood", "honest", "other", "honest"] {
            come(&mut queue, name);
        }
        let order: Vec<_> = (0..6).map(|_| advance(&mut queue)).collect();
        let expected = ["flood", "honest", "other", "flood", "honest", "flood"];
        assert_eq!(order, expected);
    }

    #[test]
    fn who_comes_beside_a_flood_is_next_but_one() {
        let mut queue = Queue::default();
        for _ in 0..10 {
            come(&mut queue, "flood");
        }
        for _ in 0..20 {
            advance(&mut queue);
            come(&mut queue, "flood");
            come(&mut queue, "honest");
            let next = [advance(&mut queue), advance(&mut queue)];
            assert!(next.iter().any(|name| name == "honest"), "{next:?}");
            come(&mut queue, "flood");
        }
    }

    #[test]
    fn names_that_were_never_there_do_not_overtake_who_waits() {
        let mut queue = Queue::default();
        let [.., last] = [(); 3].map(|()| come(&mut queue, "demo"));
        let mut turns = 0;
        while queue.find(last).is_ok() && turns < 1000 {
            // More of them than there are turns.
            come(&mut queue, &format!("{turns}"));
            come(&mut queue, &format!("{turns} again"));
            advance(&mut queue);
            turns += 1;
        }
        assert!(turns < 20, "{turns}");
    }

    #[test]
    fn so_many_wait_and_a_flood_makes_room_for_others() {
        let mut queue = Queue::default();
        for _ in 0..MOST_WAITING {
            assert!(queue.join("flood").is_some());
        }
        assert_eq!(queue.join("flood"), None);
        for other in 0..MOST_WAITING - 1 {
            assert!(queue.join(&other.to_string()).is_some(), "{other}");
            assert_eq!(queue.waiting.len(), MOST_WAITING);
        }
        // Everybody has one ticket now.
        assert_eq!(queue.join("late"), None);
        assert_eq!(advance(&mut queue), "flood");
        assert!(queue.join("late").is_some());
    }

    #[test]
    fn a_place_that_is_lost_is_no_turn() {
        let turns = Turns::default();
        thread::scope(|scope| {
            let under_way = turns.take("x");
            let flood: Vec<_> = (0..MOST_WAITING)
                .map(|_| scope.spawn(|| turns.take("flood").is_some()))
                .collect();
            let wait = |waiting: usize| {
                while turns.lock().waiting.len() < waiting {
                    thread::yield_now();
                }
            };
            wait(MOST_WAITING);
            let honest = scope.spawn(|| turns.take("honest").is_some());
            while !flood.iter().any(thread::ScopedJoinHandle::is_finished) {
                thread::yield_now();
            }
            drop(under_way);
            let had = flood.into_iter().map(thread::ScopedJoinHandle::join);
            let had = had.filter(|had| matches!(had, Ok(true))).count();
            assert_eq!(had, MOST_WAITING - 1);
            assert!(matches!(honest.join(), Ok(true)));
        });
    }

    #[test]
    fn memory_is_handed_on_and_given_back_at_the_end() {
        const ONE: u64 = 3 * 8192;
        let turns = Turns::default();
        let hash = |turn: &mut Turn<'_>| {
            let fits = turn.memory.log_in("x", None, &Costs::default());
            assert!(matches!(fits, Ok(false)));
            turn.memory.filled
        };
        for _ in 0..2 {
            let filled = turns.take("a").map(|mut turn| hash(&mut turn));
            assert_eq!(filled, Some(ONE));
        }
        thread::scope(|scope| {
            let mut first = turns.take("a");
            assert_eq!(first.as_mut().map(hash), Some(ONE));
            let next = scope.spawn(|| turns.take("b").map(|mut turn| hash(&mut turn)));
            while turns.lock().waiting.is_empty() {
                thread::yield_now();
            }
            drop(first);
            assert!(matches!(next.join(), Ok(Some(filled)) if filled == 2 * ONE));
        });
    }
}
