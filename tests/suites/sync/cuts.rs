//! A power cut at each sync of the disk while a pass is under way, with one call out at a
//! time and with four: the end is the same, and no answer that was taken is asked for again.

use super::driven::{lines, little_school};
use super::{NOW, SCHOOL, get, reply};
use rollbook::{Call, Engine, Options, Step, Sync, SyncOptions, Taken};
use rollbook_tests::search::extent;
use rollbook_tests::storage::disk::Disk;
use rollbook_tests::storage::images::{Cut, windows};
use rollbook_tests::storage::recorder::Recorder;
use std::collections::VecDeque;

/// Goes on to the end, one operation after the other, with as many calls out as may be;
/// gives the calls. `operation` runs each, and is told how many calls were sent and answered
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
                    let kept = sync.take(call.id, NOW, &reply(&answer)).unwrap();
                    assert!(matches!(kept, Taken::Kept | Taken::Same), "{kept:?}");
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

fn cut_at_each_sync(most_in_flight: u32, step: usize) -> usize {
    let source = little_school();
    let recorder = Recorder::on(Vec::new());
    let open = || Engine::open_with_backend(recorder.clone(), Options::default()).unwrap();
    let mirror = recorder.operation(open);
    let start = |mirror: &Engine| mirror.sync(SCHOOL, options(most_in_flight)).unwrap();
    let sync = recorder.operation(|| start(&mirror));
    // How many calls were sent and answered when so many operations had returned.
    let mut counts = vec![(0, 0), (0, 0)];
    let all = to_the_end(&sync, &source, |before, work| {
        counts.push(before);
        recorder.operation(work);
    });
    counts.push((all.len(), all.len()));
    let expected = lines(&mirror);
    let log = recorder.entries();
    drop((sync, mirror));
    let (mut opened, mut repeated) = (0, 0);
    let windows = windows(Vec::new(), &log);
    for window in windows.iter().skip(2).step_by(step) {
        for cut in [Cut::Nothing, Cut::Everything, Cut::Some(opened)] {
            let image = window.image(cut);
            let disk = Disk::of(image);
            let Ok(mirror) = Engine::open_with_backend(disk, Options::default()) else {
                // Where the store itself was not there yet.
                assert!(window.returned < 1);
                continue;
            };
            let calls = to_the_end(&start(&mirror), &source, |_, work| work());
            let (sent, answered) = counts[window.returned];
            if answered < all.len() {
                let place = format!("{cut:?} after {answered} of {}", all.len());
                let is_one = |call: &Call| all.contains(call);
                assert!(calls.iter().all(is_one), "{place}");
                let again = all[..sent].iter().filter(|call| calls.contains(call));
                let again = again.count();
                assert!(again <= sent - answered, "{place}: {again} of {sent}");
                assert!(again <= most_in_flight as usize);
                repeated = repeated.max(again);
            }
            assert_eq!(lines(&mirror), expected);
            assert!(mirror.verify().unwrap().is_sound());
            opened += 1;
        }
    }
    assert!(opened > 50, "{opened}");
    println!("{opened} cuts, {repeated} calls repeated at most");
    repeated
}

#[test]
fn after_a_power_cut_a_pass_goes_on() {
    assert_eq!(cut_at_each_sync(1, extent(3, 1)), 1);
}

#[test]
fn after_a_power_cut_only_calls_that_were_out_are_repeated() {
    assert_eq!(cut_at_each_sync(4, extent(3, 1)), 4);
}
