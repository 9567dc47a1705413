//! Cuts the power at each sync of the disk during a pass, the first or a later one, with one call
//! in flight or four: the store answers as before the pass or after it, the final result is the
//! same, and no stored answer is requested again.

use super::disk::CHANGES;
use super::steps::{lines, little_school};
use super::{NOW, SCHOOL, get, reply};
use rollbook::{Call, Engine, Options, ReplyOutcome, Step, Sync, SyncOptions};
use rollbook_tests::search::{Counts, extent, failing};
use rollbook_tests::storage::disk::Disk;
use rollbook_tests::storage::images::{Cut, Window, windows};
use rollbook_tests::storage::recorder::Recorder;
use std::collections::{BTreeSet, VecDeque};
use std::sync::Mutex;

/// Drives a pass to its end with as many calls in flight as permitted, and returns the calls.
/// `operation` runs each step, and receives the numbers of calls that were sent and answered
/// before.
fn to_the_end(
    sync: &Sync,
    source: &Engine,
    mut operation: impl FnMut((usize, usize), &mut dyn FnMut()),
) -> Vec<Call> {
    let (mut calls, mut out) = (Vec::new(), VecDeque::new());
    loop {
        let counts = (calls.len(), calls.len() - out.len());
        let mut step = None;
        operation(counts, &mut || step = Some(sync.next(NOW).unwrap()));
        match step.unwrap() {
            Step::Send(call) => {
                calls.push(call.clone());
                out.push_back(call);
            }
            Step::Wait { .. } => {
                let call: Call = out.pop_front().unwrap();
                let answer = get(source, &call.target, NOW);
                operation(counts, &mut || {
                    let outcome = sync.handle_reply(call.id, NOW, &reply(&answer)).unwrap();
                    assert!(
                        matches!(outcome, ReplyOutcome::Stored | ReplyOutcome::Unchanged),
                        "{outcome:?}"
                    );
                });
            }
            Step::Done(_) => return calls,
            other => panic!("{other:?}"),
        }
    }
}

fn options(most_in_flight: u32) -> SyncOptions {
    let mut options = SyncOptions::default();
    options.most_in_flight = Some(most_in_flight);
    options
}

/// A pass that is interrupted: its source, and the disk before it.
struct Cuts {
    source: Engine,
    before: Vec<u8>,
    most_in_flight: u32,
}

/// The result of the same pass without interruption.
struct Whole {
    calls: Vec<Call>,
    /// The records before the pass and after each publication.
    states: BTreeSet<Vec<String>>,
    after: Vec<String>,
}

impl Cuts {
    fn start(&self, mirror: &Engine) -> Sync {
        mirror.sync(SCHOOL, options(self.most_in_flight)).unwrap()
    }

    /// Cuts the power at every `step`th sync of the disk: data that is not durable is lost, stored,
    /// stored in part, or torn. Returns the maximum number of repeated calls.
    fn everywhere(&self, step: usize, count: &Counts) -> usize {
        let recorder = Recorder::on(self.before.clone());
        let open = || Engine::open_with_backend(recorder.clone(), Options::default()).unwrap();
        let mirror = recorder.operation(open);
        let sync = recorder.operation(|| self.start(&mirror));
        // The numbers of sent and answered calls for each number of operations that have returned.
        let mut counts = vec![(0, 0), (0, 0)];
        let mut states = BTreeSet::from([lines(&mirror)]);
        let calls = to_the_end(&sync, &self.source, |before, work| {
            counts.push(before);
            recorder.operation(work);
            states.insert(lines(&mirror));
        });
        counts.push((calls.len(), calls.len()));
        let after = lines(&mirror);
        let log = recorder.entries();
        drop((sync, mirror));
        let whole = Whole {
            calls,
            states,
            after,
        };
        assert!(whole.states.len() > 1);
        let windows = windows(self.before.clone(), &log);
        let windows: Vec<&Window> = windows.iter().skip(2).step_by(step).collect();
        let repeated = Mutex::new(0);
        let places: Vec<usize> = (0..windows.len()).collect();
        let failed = failing(&places, |place| {
            let window = windows[*place];
            for cut in window.cuts(extent(1, 4), extent(2, 8)) {
                let again = self.cut(window, cut, &counts, &whole, count);
                let mut repeated = repeated.lock().unwrap();
                *repeated = again.max(*repeated);
            }
            Ok(())
        });
        assert!(failed.is_empty(), "{}", failed.join("\n"));
        repeated.into_inner().unwrap()
    }

    fn cut(
        &self,
        window: &Window,
        cut: Cut,
        counts: &[(usize, usize)],
        whole: &Whole,
        count: &Counts,
    ) -> usize {
        let disk = Disk::new(window.image(cut));
        let Ok(mirror) = Engine::open_with_backend(disk, Options::default()) else {
            // The store itself did not exist yet.
            assert!(window.returned < 1 && self.before.is_empty(), "{cut:?}");
            return 0;
        };
        let found = lines(&mirror);
        assert!(whole.states.contains(&found), "{cut:?}: {found:#?}");
        let calls = to_the_end(&self.start(&mirror), &self.source, |_, work| work());
        let (sent, answered) = counts[window.returned];
        let mut again = 0;
        if answered < whole.calls.len() {
            let place = format!("{cut:?} after {answered} of {}", whole.calls.len());
            // The marks of a new grade are requested once more, because the sync that continues
            // knows the grade from the start.
            let is_new = |call: &Call| call.target.contains("marks/1000?grade_id=1&");
            let is_one = |call: &Call| whole.calls.contains(call) || is_new(call);
            let others: Vec<&Call> = calls.iter().filter(|call| !is_one(call)).collect();
            assert!(others.is_empty(), "{place}: {others:#?}");
            assert!(
                calls.iter().filter(|call| is_new(call)).count() <= 6,
                "{place}"
            );
            again = whole.calls[..sent]
                .iter()
                .filter(|call| calls.contains(call))
                .count();
            assert!(again <= sent - answered, "{place}: {again} of {sent}");
            assert!(again <= self.most_in_flight as usize);
        }
        assert_eq!(lines(&mirror), whole.after, "{cut:?}");
        assert!(mirror.verify().unwrap().is_sound());
        // The same is true after one more pass.
        to_the_end(&self.start(&mirror), &self.source, |_, work| work());
        assert_eq!(lines(&mirror), whole.after, "{cut:?}");
        count.add("stores opened", 1);
        again
    }
}

/// Interrupts the first pass of a store, and a pass after changes at the service.
fn cut_at_each_sync(most_in_flight: u32, step: usize) -> usize {
    let count = Counts::default();
    let first = Cuts {
        source: little_school(),
        before: Vec::new(),
        most_in_flight,
    };
    let disk = Disk::default();
    let mirror = Engine::open_with_backend(disk.clone(), Options::default()).unwrap();
    to_the_end(&first.start(&mirror), &first.source, |_, work| work());
    mirror.close().unwrap();
    let changed = little_school();
    changed.apply(CHANGES.as_bytes()).unwrap();
    let second = Cuts {
        source: changed,
        before: disk.bytes(),
        most_in_flight,
    };
    let repeated = [first, second].map(|cuts| cuts.everywhere(step, &count));
    println!("{count}, {repeated:?} calls repeated at most");
    count.at_least("stores opened", extent(250, 2_000));
    repeated.into_iter().max().unwrap()
}

#[test]
fn after_a_power_cut_a_pass_continues() {
    assert_eq!(cut_at_each_sync(1, extent(3, 1)), 1);
}

#[test]
fn after_a_power_cut_only_calls_in_flight_are_repeated() {
    assert_eq!(cut_at_each_sync(4, extent(3, 1)), 4);
}
