//! Determines whose password is hashed next: one at a time, with fair rounds between user names,
//! and with priority for user names of the store.

use crate::record::values::password::Memory;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The queue for hashing passwords. In each round, every waiting user name has one turn. Therefore
/// a caller that tries many passwords of a user name delays only that user name. Strangers, which
/// are user names that the store does not have, wait until no other user name waits. Therefore any
/// number of strangers delay only each other.
#[derive(Default)]
pub(super) struct HashingQueue {
    queue: Mutex<Queue>,
    moved: Condvar,
}

#[derive(Default)]
struct Queue {
    /// The waiting callers with their user names, in the order of their turns.
    waiting: Vec<(Ticket, Box<str>)>,
    /// The rounds of the latest turns: of user names in the store, and of strangers.
    rounds: [u64; 2],
    /// The number of tickets issued so far.
    arrivals: u64,
    /// Whether a turn is in progress.
    is_busy: bool,
    /// The memory for hashing, which passes from turn to turn. Only one turn uses memory at a time,
    /// and it is freed when no one waits.
    memory: Memory,
}

/// Whether the caller is a stranger, its round, and the number of its arrival.
type Ticket = (bool, u64, u64);

/// The maximum number of waiting callers. Each of them blocks a thread of the app, and the last one
/// waits for a second or two.
const MAX_WAITING: usize = 64;

impl HashingQueue {
    /// Waits for a turn. Returns `None` if too many callers wait: strangers are rejected first, and
    /// then callers of the user name that has the most of them.
    pub(super) fn take(&self, name: &str, is_stranger: bool) -> Option<HashingTurn<'_>> {
        let mut queue = self.lock();
        let ticket = queue.join(name, is_stranger)?;
        if queue.waiting.len() == MAX_WAITING {
            // Another caller may have lost its ticket.
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
        Some(HashingTurn {
            memory: std::mem::take(&mut queue.memory),
            turns: self,
        })
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    /// Adds a caller, and returns its ticket: for the round after the last one of its user name, or
    /// for the next round. If the queue is full, the last ticket is removed if it is after the new
    /// one. Otherwise returns `None`.
    fn join(&mut self, name: &str, is_stranger: bool) -> Option<Ticket> {
        let same = self
            .waiting
            .iter()
            .filter(|(ticket, other)| ticket.0 == is_stranger && **other == *name);
        let last = same.map(|(ticket, _)| ticket.1).max();
        let [own, strangers] = self.rounds;
        let round = if is_stranger { strangers } else { own };
        let ticket = (is_stranger, last.unwrap_or(round) + 1, self.arrivals);
        if self.waiting.len() >= MAX_WAITING {
            self.waiting.pop_if(|last| last.0 > ticket)?;
        }
        self.arrivals += 1;
        let (Ok(at) | Err(at)) = self.find(ticket);
        self.waiting.insert(at, (ticket, name.into()));
        Some(ticket)
    }

    /// Returns the position of a ticket in the queue, or the position at which it would be
    /// inserted.
    fn find(&self, ticket: Ticket) -> Result<usize, usize> {
        self.waiting
            .binary_search_by_key(&ticket, |(ticket, _)| *ticket)
    }

    /// Returns the ticket whose turn is next.
    fn next(&self) -> Option<Ticket> {
        self.waiting.first().map(|(ticket, _)| *ticket)
    }

    /// Begins the turn of a ticket.
    fn begin(&mut self, ticket: Ticket) {
        self.waiting.retain(|(other, _)| *other != ticket);
        let [own, strangers] = &mut self.rounds;
        *(if ticket.0 { strangers } else { own }) = ticket.1;
        self.is_busy = true;
    }
}

/// A turn, which ends when it is dropped.
pub(super) struct HashingTurn<'a> {
    pub(super) memory: Memory,
    turns: &'a HashingQueue,
}

impl Drop for HashingTurn<'_> {
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
    use crate::record::values::password::Costs;
    use std::thread;

    /// Adds a caller, and returns its ticket.
    fn arrive(queue: &mut Queue, name: &str) -> Ticket {
        queue.join(name, true).unwrap_or_default()
    }

    /// Begins the next turn, and returns its user name.
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
            arrive(&mut queue, name);
        }
        let order: Vec<_> = (0..6).map(|_| advance(&mut queue)).collect();
        let expected = ["flood", "honest", "other", "flood", "honest", "flood"];
        assert_eq!(order, expected);
    }

    #[test]
    fn a_caller_beside_a_flood_has_one_of_the_next_two_turns() {
        let mut queue = Queue::default();
        for _ in 0..10 {
            arrive(&mut queue, "flood");
        }
        for _ in 0..20 {
            advance(&mut queue);
            arrive(&mut queue, "flood");
            arrive(&mut queue, "honest");
            let next = [advance(&mut queue), advance(&mut queue)];
            assert!(next.iter().any(|name| name == "honest"), "{next:?}");
            arrive(&mut queue, "flood");
        }
    }

    #[test]
    fn new_names_do_not_overtake_a_waiting_caller() {
        let mut queue = Queue::default();
        let [.., last] = [(); 3].map(|()| arrive(&mut queue, "demo"));
        let mut turns = 0;
        while queue.find(last).is_ok() && turns < 1000 {
            // There are more newcomers than turns.
            arrive(&mut queue, &format!("{turns}"));
            arrive(&mut queue, &format!("{turns} again"));
            advance(&mut queue);
            turns += 1;
        }
        assert!(turns < 20, "{turns}");
    }

    #[test]
    fn a_full_queue_rejects_a_flood_in_favour_of_others() {
        let mut queue = Queue::default();
        for _ in 0..MAX_WAITING {
            assert!(queue.join("flood", true).is_some());
        }
        assert_eq!(queue.join("flood", true), None);
        for other in 0..MAX_WAITING - 1 {
            assert!(queue.join(&other.to_string(), true).is_some(), "{other}");
            assert_eq!(queue.waiting.len(), MAX_WAITING);
        }
        // Every user name has one ticket now.
        assert_eq!(queue.join("late", true), None);
        assert_eq!(advance(&mut queue), "flood");
        assert!(queue.join("late", true).is_some());
    }

    #[test]
    fn a_name_of_the_store_waits_for_no_stranger() {
        let mut queue = Queue::default();
        for other in 0..2 * MAX_WAITING {
            queue.join(&other.to_string(), true);
        }
        assert_eq!(queue.waiting.len(), MAX_WAITING);
        for turn in 0..200 {
            for name in ["demo", "other", "demo"] {
                assert!(queue.join(name, false).is_some(), "{turn}");
            }
            let order = [(); 3].map(|()| advance(&mut queue));
            assert_eq!(order, ["demo", "other", "demo"], "{turn}");
            assert_ne!(advance(&mut queue), "demo");
            queue.join(&format!("{turn} again"), true);
        }
    }

    #[test]
    fn a_removed_ticket_has_no_turn() {
        let turns = HashingQueue::default();
        thread::scope(|scope| {
            let in_progress = turns.take("x", true);
            let flood: Vec<_> = (0..MAX_WAITING)
                .map(|_| scope.spawn(|| turns.take("flood", true).is_some()))
                .collect();
            let wait = |waiting: usize| {
                while turns.lock().waiting.len() < waiting {
                    thread::yield_now();
                }
            };
            wait(MAX_WAITING);
            let honest = scope.spawn(|| turns.take("honest", true).is_some());
            while !flood.iter().any(thread::ScopedJoinHandle::is_finished) {
                thread::yield_now();
            }
            drop(in_progress);
            let results = flood.into_iter().map(thread::ScopedJoinHandle::join);
            let results = results.filter(|joined| matches!(joined, Ok(true))).count();
            assert_eq!(results, MAX_WAITING - 1);
            assert!(matches!(honest.join(), Ok(true)));
        });
    }

    #[test]
    fn memory_passes_from_turn_to_turn_and_is_freed_at_the_end() {
        const ONE: u64 = 3 * 8192;
        let turns = HashingQueue::default();
        let hash = |turn: &mut HashingTurn<'_>| {
            let fits = turn.memory.log_in("x", None, &Costs::default());
            assert!(matches!(fits, Ok(false)));
            turn.memory.filled
        };
        for _ in 0..2 {
            let filled = turns.take("a", true).map(|mut turn| hash(&mut turn));
            assert_eq!(filled, Some(ONE));
        }
        thread::scope(|scope| {
            let mut first = turns.take("a", true);
            assert_eq!(first.as_mut().map(hash), Some(ONE));
            let next = scope.spawn(|| turns.take("b", true).map(|mut turn| hash(&mut turn)));
            while turns.lock().waiting.is_empty() {
                thread::yield_now();
            }
            drop(first);
            assert!(matches!(next.join(), Ok(Some(filled)) if filled == 2 * ONE));
        });
    }
}
