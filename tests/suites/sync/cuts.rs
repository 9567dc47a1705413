//! A power cut at each sync of the disk while a pass is under way: the end is the same, and
//! no answer that was taken is asked for again.

use super::driven::{lines, little_school};
use super::{NOW, SCHOOL, get, reply};
use rollbook::{Call, Engine, Options, Step, Sync, SyncOptions, Taken};
use rollbook_tests::search::extent;
use rollbook_tests::storage::disk::Disk;
use rollbook_tests::storage::images::{Cut, windows};
use rollbook_tests::storage::recorder::Recorder;

/// Goes on to the end; `take` does what is to be done of each.
fn to_the_end(
    sync: &Sync,
    source: &Engine,
    mut taken: impl FnMut(&dyn Fn() -> Step) -> Step,
) -> Vec<Call> {
    let mut calls = Vec::new();
    loop {
        match taken(&|| sync.next(NOW).unwrap()) {
            Step::Send(call) => {
                let answer = get(source, &call.target, NOW);
                taken(&|| {
                    let kept = sync.take(call.id, NOW, &reply(&answer)).unwrap();
                    assert!(matches!(kept, Taken::Kept | Taken::Same), "{kept:?}");
                    Step::Send(call.clone())
                });
                calls.push(call);
            }
            Step::Done(_) => return calls,
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn after_a_power_cut_a_pass_goes_on() {
    let source = little_school();
    let recorder = Recorder::on(Vec::new());
    let options = Options::default;
    let open = || Engine::open_with_backend(recorder.clone(), options()).unwrap();
    let mirror = recorder.operation(open);
    let sync = recorder.operation(|| mirror.sync(SCHOOL, SyncOptions::default()).unwrap());
    // How many answers were taken when an operation had returned.
    let (mut answered, mut operations) = (0, vec![0, 0, 0]);
    let all = to_the_end(&sync, &source, |work| {
        let mut step = None;
        recorder.operation(|| step = Some(work()));
        operations.push(answered);
        answered += 1;
        step.unwrap()
    });
    // Every other operation takes one.
    let taken: Vec<usize> = (0..=operations.len())
        .map(|returned| returned.saturating_sub(2) / 2)
        .collect();
    let expected = lines(&mirror);
    let log = recorder.entries();
    drop((sync, mirror));
    let mut opened = 0;
    let windows = windows(Vec::new(), &log);
    for window in windows.iter().skip(2).step_by(extent(3, 1)) {
        for cut in [Cut::Nothing, Cut::Everything, Cut::Some(opened)] {
            let image = window.image(cut);
            let Ok(mirror) = Engine::open_with_backend(Disk::of(image), options()) else {
                // Where the store itself was not there yet.
                assert!(window.returned < 1);
                continue;
            };
            let sync = mirror.sync(SCHOOL, SyncOptions::default()).unwrap();
            let calls = to_the_end(&sync, &source, |work| work());
            let before = taken[window.returned];
            if before < all.len() {
                let most = all.len() - before;
                let place = format!("{cut:?} after {before} of {}", all.len());
                assert!(calls.len() <= most, "{place}: {}", calls.len());
                let is_one = |call: &Call| all.contains(call);
                assert!(calls.iter().all(is_one), "{place}");
            }
            assert_eq!(lines(&mirror), expected);
            assert!(mirror.verify().unwrap().is_sound());
            opened += 1;
        }
    }
    assert!(opened > 50, "{opened}");
}
