//! Disks that fail while a feed is applied, or while the source changes or writes a feed: the
//! follower has the records of its old resume token or of the next one, and later feeds complete it
//! as if there had been no fault.

use super::cuts::datasets;
use super::scope::{Learners, Reach};
use super::transfer::{Lines, bring, feed};
use super::{open, records};
use rollbook::{Engine, Options, Scope};
use rollbook_tests::random::Random;
use rollbook_tests::search::{Counts, extent, failing, first_seed};
use rollbook_tests::storage::disk::Disk;
use rollbook_tests::storage::faulty::{DiskOperation, Fault, Faulty};

/// The records of a follower, and its resume token.
type State = (Vec<String>, Option<String>);

fn state(follower: &Engine) -> State {
    (records(follower), follower.followed().unwrap())
}

fn on(disk: impl redb::StorageBackend, options: &Options) -> Engine {
    Engine::open_with_backend(disk, options.clone()).unwrap()
}

/// A feed, and the two stores before it.
struct Stage {
    number: usize,
    /// The file of the source after the change.
    source: Vec<u8>,
    /// The file of the source before the change.
    source_before: Vec<u8>,
    change: String,
    follower: Vec<u8>,
    reach: Reach,
    lines: Lines,
    /// The states of the follower before the feed, and after each of its segments.
    states: Vec<State>,
}

/// Makes the stages of several feeds: the first one, and others after changes of records and of the
/// scope.
fn stages(seed: u64) -> Vec<Stage> {
    let mut dice = Random::new(seed);
    let (source_disk, follower_disk) = (Disk::default(), Disk::default());
    let mut reach = Reach::of_all();
    let mut stages = Vec::new();
    for (number, change) in datasets(seed, 5).into_iter().enumerate() {
        let source_before = source_disk.bytes();
        let source = open(&source_disk);
        drop(source.apply(change.as_bytes()));
        source.close().unwrap();
        let source = open(&source_disk);
        let before = follower_disk.bytes();
        let follower = open(&follower_disk);
        let after = follower.followed().unwrap();
        let lines = feed(&source, &reach.scope(), after.as_deref()).unwrap();
        let mut states = vec![state(&follower)];
        let mut follow = follower.follow();
        for line in &lines {
            follow.push(line.as_bytes()).unwrap();
            let now = state(&follower);
            if states.last() != Some(&now) {
                states.push(now);
            }
        }
        follow.finish().unwrap();
        follower.close().unwrap();
        stages.push(Stage {
            number,
            source: source_disk.bytes(),
            source_before,
            change,
            follower: before,
            reach: reach.clone(),
            lines,
            states,
        });
        reach = reach.changed(&mut dice);
    }
    let parts = stages.iter().map(|stage| stage.states.len() - 1);
    assert!(parts.sum::<usize>() >= stages.len());
    stages
}

/// A fault during the feed of a stage.
struct Case<'a> {
    stage: &'a Stage,
    fault: Fault,
}

impl std::fmt::Debug for Case<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "feed {}, {:?}", self.stage.number, self.fault)
    }
}

/// Runs `work` on a disk with each fault of a sort of operation in each stage, at most so many per
/// stage.
fn at_each_fault(
    deed: DiskOperation,
    most: usize,
    work: impl Fn(&Stage, Option<Fault>, &Counts) -> usize + Sync,
) {
    let stages = stages(first_seed() + 21);
    let count = Counts::default();
    let mut cases = Vec::new();
    for stage in &stages {
        let done = work(stage, None, &Counts::default());
        let faults = Fault::spread(deed, done, most).into_iter();
        cases.extend(faults.map(|fault| Case { stage, fault }));
    }
    let failed = failing(&cases, |case| {
        work(case.stage, Some(case.fault), &count);
        Ok(())
    });
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    println!("{} faults: {count}", cases.len());
    let tried = cases.len() as u64;
    count.at_least("stores opened", tried / 2);
    // A failed truncation of a file causes no error.
    if deed != DiskOperation::SetLen {
        count.at_least("failures met", tried / 2);
    }
}

impl Stage {
    fn scope(&self) -> Scope {
        self.reach.scope()
    }

    /// Applies the next feed, after which the follower must have exactly the records of its scope.
    fn catches_up(&self, source: &Engine, follower: &Engine) {
        bring(&mut Random::new(1), source, follower, &self.scope()).unwrap();
        let expected = self.reach.filter(&records(source), &Learners::new());
        assert_eq!(records(follower), expected);
        let verified = follower.verify().unwrap();
        assert!(verified.is_sound(), "{:?}", verified.problems);
    }

    fn is_in_a_state(&self, follower: &Engine) {
        let found = state(follower);
        assert!(self.states.contains(&found), "{found:#?}");
    }

    /// Applies the feed on the failing disk of the follower. Returns the number of operations.
    fn take(
        &self,
        deed: DiskOperation,
        options: &Options,
        fault: Option<Fault>,
        count: &Counts,
    ) -> usize {
        let source = open(&Disk::new(self.source.clone()));
        let disk = Faulty::on(self.follower.clone());
        let follower = on(disk.clone(), options);
        disk.plan(fault);
        let mut follow = follower.follow();
        let mut lines = self.lines.iter();
        let pushed = lines.try_for_each(|line| follow.push(line.as_bytes()));
        let outcome = pushed.and_then(|()| follow.finish().map(drop));
        let done = disk.done(deed);
        disk.plan(None);
        if let Err(error) = outcome {
            assert_eq!(error.code(), "io", "{error}");
            count.add("failures met", 1);
        }
        let left = disk.bytes();
        self.is_in_a_state(&follower);
        self.catches_up(&source, &follower);
        // The same with the file as it is at that time, opened again.
        let follower = on(Disk::new(left), options);
        self.is_in_a_state(&follower);
        self.catches_up(&source, &follower);
        count.add("stores opened", 1);
        done
    }

    /// Makes the change on the failing disk of the source, after which its journal and its records
    /// must agree.
    fn change(&self, deed: DiskOperation, fault: Option<Fault>, count: &Counts) -> usize {
        let disk = Faulty::on(self.source_before.clone());
        let source = on(disk.clone(), &Options::default());
        let before = records(&source);
        disk.plan(fault);
        let outcome = source.apply(self.change.as_bytes());
        let done = disk.done(deed);
        disk.plan(None);
        let is_refused = |code| matches!(code, "bad_dataset" | "io");
        if let Err(error) = outcome {
            assert!(is_refused(error.code()), "{error}");
            count.add("failures met", u64::from(error.code() == "io"));
        }
        let after = records(&open(&Disk::new(self.source.clone())));
        let left = disk.bytes();
        for is_reopened in [false, true] {
            let again;
            let source = if is_reopened {
                again = on(Disk::new(left.clone()), &Options::default());
                count.add("stores opened", 1);
                &again
            } else {
                &source
            };
            let found = records(source);
            assert!(found == before || found == after, "{found:#?}");
            let follower = open(&Disk::new(self.follower.clone()));
            self.catches_up(source, &follower);
            drop(source.apply(self.change.as_bytes()));
            assert_eq!(records(source), after);
            self.catches_up(source, &follower);
        }
        done
    }

    /// Writes the feed from a disk that fails to read.
    fn write(&self, fault: Option<Fault>, count: &Counts) -> usize {
        let disk = Faulty::on(self.source.clone());
        let options = Options {
            cache_bytes: 0,
            ..Options::default()
        };
        let source = on(disk.clone(), &options);
        let follower = open(&Disk::new(self.follower.clone()));
        let after = follower.followed().unwrap();
        disk.plan(fault);
        let lines = feed(&source, &self.scope(), after.as_deref());
        let done = disk.done(DiskOperation::Read);
        disk.plan(None);
        if let Err(error) = lines {
            assert_eq!(error.code(), "io", "{error}");
            count.add("failures met", 1);
        }
        count.add("stores opened", 1);
        self.catches_up(&source, &follower);
        done
    }
}

#[test]
fn a_follower_continues_after_a_write_that_failed() {
    let options = Options::default();
    at_each_fault(
        DiskOperation::Write,
        extent(8, usize::MAX),
        |stage, fault, count| stage.take(DiskOperation::Write, &options, fault, count),
    );
}

#[test]
fn a_follower_continues_when_its_file_could_not_grow() {
    let options = Options::default();
    at_each_fault(DiskOperation::SetLen, usize::MAX, |stage, fault, count| {
        stage.take(DiskOperation::SetLen, &options, fault, count)
    });
}

#[test]
fn a_follower_continues_after_a_sync_of_the_disk_that_failed() {
    let options = Options::default();
    at_each_fault(DiskOperation::Sync, usize::MAX, |stage, fault, count| {
        stage.take(DiskOperation::Sync, &options, fault, count)
    });
}

/// Without a cache, pages are read again for each use.
#[test]
fn a_follower_continues_after_a_read_that_failed() {
    let options = Options {
        cache_bytes: 0,
        ..Options::default()
    };
    at_each_fault(
        DiskOperation::Read,
        extent(8, 400),
        |stage, fault, count| stage.take(DiskOperation::Read, &options, fault, count),
    );
}

#[test]
fn a_source_whose_change_failed_is_followed() {
    for deed in [DiskOperation::Write, DiskOperation::Sync] {
        at_each_fault(deed, extent(5, usize::MAX), |stage, fault, count| {
            stage.change(deed, fault, count)
        });
    }
}

#[test]
fn a_feed_that_could_not_be_read_is_asked_for_again() {
    at_each_fault(DiskOperation::Read, extent(8, 400), Stage::write);
}
