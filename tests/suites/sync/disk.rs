//! Disks that fail at any operation of a pass, once or for a while: the store opens and answers as
//! before the pass or after it, and the same pass continues to the result that it would have had.

use super::machine::grades;
use super::steps::lines;
use super::{NOW, SCHOOL, get, reply};
use rollbook::{Call, Engine, Options, ReplyOutcome, Step, Sync, SyncOptions};
use rollbook_tests::search::{Counts, extent, failing};
use rollbook_tests::storage::disk::Disk;
use rollbook_tests::storage::faulty::{DiskOperation, Fault, Faulty};
use rollbook_tests::storage::scenario::options;
use std::collections::BTreeSet;

/// The changes at the service between two passes.
pub(super) const CHANGES: &str = r#"
{"type":"learner","school_id":1000,"id":9,"first_name":"New","grade_id":1,"parent1_id":1}
{"type":"learner","school_id":1000,"id":2,"deleted":true}
{"type":"learner_subject","school_id":1000,"learner_id":1,"year":2026,"subject_id":102,"grade_id":1}
{"type":"mark","school_id":1000,"assessment_id":1,"learner_id":1,"mark":"1.5"}
{"type":"parent","school_id":1000,"id":2,"deleted":true}
{"type":"absentee","school_id":1000,"id":1,"deleted":true}
{"type":"staff_member","school_id":1000,"id":9,"first_name":"New"}
"#;

/// A step or a reply, which is repeated after an error.
type Operation<'a> = &'a mut dyn FnMut() -> rollbook::Result<()>;

/// A pass that is run on failing disks, and its result without faults.
struct Pass {
    source: Engine,
    before: Vec<u8>,
    options: Options,
    calls: Vec<Call>,
    /// The possible records of the store: before the pass, and after each publication.
    states: BTreeSet<Vec<String>>,
    after: Vec<String>,
}

impl Pass {
    fn new(source: Engine, before: Vec<u8>, options: Options) -> Pass {
        let mut pass = Pass {
            source,
            before,
            options,
            calls: Vec::new(),
            states: BTreeSet::new(),
            after: Vec::new(),
        };
        let mirror = pass.open(Disk::new(pass.before.clone()));
        let sync = start(&mirror);
        let mut states = BTreeSet::from([lines(&mirror)]);
        pass.calls = pass.drive(&sync, &mut |work| {
            work().unwrap();
            states.insert(lines(&mirror));
        });
        pass.states = states;
        pass.after = lines(&mirror);
        assert!(pass.states.len() > 1 && pass.calls.len() > 10);
        pass
    }

    fn open(&self, disk: impl redb::StorageBackend) -> Engine {
        Engine::open_with_backend(disk, self.options.clone()).unwrap()
    }

    /// Drives a pass to its end and returns the calls. `operation` makes each step, and repeats it
    /// after an error.
    fn drive(&self, sync: &Sync, operation: &mut dyn FnMut(Operation<'_>)) -> Vec<Call> {
        let mut calls = Vec::new();
        loop {
            let mut step = None;
            operation(&mut || {
                step = Some(sync.next(NOW)?);
                Ok(())
            });
            match step.unwrap() {
                Step::Send(call) => {
                    let answer = get(&self.source, &call.target, NOW);
                    let mut taken = None;
                    operation(&mut || {
                        taken = Some(sync.handle_reply(call.id, NOW, &reply(&answer))?);
                        Ok(())
                    });
                    let taken = taken.unwrap();
                    assert!(
                        matches!(taken, ReplyOutcome::Stored | ReplyOutcome::Unchanged),
                        "{taken:?}"
                    );
                    calls.push(call);
                }
                Step::Done(report) => {
                    assert_eq!((report.quarantined, report.unstable), (vec![], vec![]));
                    return calls;
                }
                other => panic!("{other:?}"),
            }
        }
    }

    /// Continues with a new sync on the bytes of a disk, and checks the result. No stored answer
    /// may be requested again.
    fn check_continued(&self, bytes: Vec<u8>, taken: usize, count: &Counts) {
        let mirror = self.open(Disk::new(bytes));
        let found = lines(&mirror);
        assert!(self.states.contains(&found), "{found:#?}");
        assert!(mirror.verify().unwrap().is_sound());
        count.add("stores opened", 1);
        let is_over = found == self.after && taken >= self.calls.len();
        let calls = self.drive(&start(&mirror), &mut |work| work().unwrap());
        if !is_over {
            let again = self.calls[..taken]
                .iter()
                .filter(|call| calls.contains(call));
            assert_eq!(again.count(), 0, "{taken} were taken");
        }
        self.check_result(&mirror);
    }

    fn check_result(&self, mirror: &Engine) {
        assert_eq!(lines(mirror), self.after);
        assert!(mirror.verify().unwrap().is_sound());
        let sync = start(mirror);
        self.drive(&sync, &mut |work| work().unwrap());
        let report = sync.report().unwrap();
        assert_eq!(
            report.unchanged, report.replies,
            "a later pass has changed answers"
        );
        assert_eq!(lines(mirror), self.after);
    }

    fn with_fault(&self, fault: Fault, count: &Counts) {
        let disk = Faulty::on(self.before.clone());
        let mirror = self.open(disk.clone());
        let sync = {
            disk.plan(Some(fault));
            let sync = mirror.sync(SCHOOL, SyncOptions::default());
            sync.unwrap_or_else(|_| {
                disk.plan(None);
                start(&mirror)
            })
        };
        let (mut taken, mut failed) = (0, 0);
        let mut left = None;
        let calls = self.drive(&sync, &mut |work| {
            if let Err(error) = work() {
                assert_eq!(error.code(), "io", "{error}");
                failed += 1;
                left = Some((disk.bytes(), taken / 2));
                disk.plan(None);
                let found = lines(&mirror);
                assert!(self.states.contains(&found), "{found:#?}");
                work().unwrap();
            }
            // Each call consists of a step and a reply.
            taken += 1;
        });
        assert!(failed <= 1, "{failed}");
        count.add("steps failed", failed);
        let targets = |calls: &[Call]| -> Vec<String> {
            calls.iter().map(|call| call.target.clone()).collect()
        };
        assert_eq!(targets(&calls), targets(&self.calls));
        if let Some((bytes, taken)) = left {
            self.check_continued(bytes, taken, count);
        }
        disk.plan(None);
        self.check_result(&mirror);
        mirror.close().unwrap();
        self.check_result(&self.open(Disk::new(disk.bytes())));
    }

    /// Returns the number of operations of this sort in the pass.
    fn deeds(&self, deed: DiskOperation) -> usize {
        let disk = Faulty::on(self.before.clone());
        let mirror = self.open(disk.clone());
        disk.plan(None);
        self.drive(&start(&mirror), &mut |work| work().unwrap());
        disk.done(deed)
    }
}

fn start(mirror: &Engine) -> Sync {
    mirror.sync(SCHOOL, SyncOptions::default()).unwrap()
}

/// Returns the first pass of a store, and one after changes at the service.
fn passes(options: &Options) -> [Pass; 2] {
    let source = || grades(2);
    let first = Pass::new(source(), Vec::new(), options.clone());
    let disk = Disk::default();
    let mirror = first.open(disk.clone());
    first.drive(&start(&mirror), &mut |work| work().unwrap());
    mirror.close().unwrap();
    let changed = source();
    changed.apply(CHANGES.as_bytes()).unwrap();
    // These records need a larger file.
    let long = "long ".repeat(6_000);
    let staff = (20..60).map(|id| {
        format!(r#"{{"type":"staff_member","school_id":1000,"id":{id},"first_name":"{long}"}}"#)
    });
    changed
        .apply(staff.collect::<Vec<_>>().join("\n").as_bytes())
        .unwrap();
    [first, Pass::new(changed, disk.bytes(), options.clone())]
}

fn fail_at_each(deed: DiskOperation, options: &Options, most: usize) {
    let count = Counts::default();
    let mut tried = 0;
    for (number, pass) in passes(options).iter().enumerate() {
        let faults = Fault::spread(deed, pass.deeds(deed), most);
        tried += faults.len() as u64;
        let failed = failing(&faults, |fault| {
            pass.with_fault(*fault, &count);
            Ok(())
        });
        assert!(failed.is_empty(), "pass {number}:\n{}", failed.join("\n"));
    }
    println!("{tried} faults: {count}");
    // A failed truncation of the file causes no error.
    let floor = if deed == DiskOperation::SetLen {
        1
    } else {
        tried / 2
    };
    count.at_least("steps failed", floor);
    count.at_least("stores opened", floor);
}

#[test]
fn a_pass_continues_after_a_write_that_failed() {
    fail_at_each(DiskOperation::Write, &options(), extent(8, usize::MAX));
}

#[test]
fn a_pass_continues_when_the_file_could_not_grow() {
    fail_at_each(DiskOperation::SetLen, &options(), usize::MAX);
}

#[test]
fn a_pass_continues_after_a_sync_of_the_disk_that_failed() {
    fail_at_each(DiskOperation::Sync, &options(), extent(8, usize::MAX));
}

/// Without a cache, pages are read again for each use.
#[test]
fn a_pass_continues_after_a_read_that_failed() {
    let options = Options {
        cache_bytes: 0,
        ..options()
    };
    fail_at_each(DiskOperation::Read, &options, extent(8, 400));
}

/// Reads fail in the first step, the last ones first: they determine the requests of the pass.
#[test]
fn a_pass_begins_after_a_read_that_failed() {
    let options = Options {
        cache_bytes: 0,
        ..options()
    };
    let [_, pass] = passes(&options);
    let disk = Faulty::on(pass.before.clone());
    let mirror = pass.open(disk.clone());
    disk.plan(None);
    start(&mirror).next(NOW).unwrap();
    let reads = disk.done(DiskOperation::Read);
    let faults = (0..reads).rev().take(extent(24, usize::MAX));
    let faults: Vec<_> = faults
        .map(|from| Fault {
            operation: DiskOperation::Read,
            from,
            once: false,
        })
        .collect();
    let count = Counts::default();
    let failed = failing(&faults, |fault| {
        pass.with_fault(*fault, &count);
        Ok(())
    });
    println!("{reads} reads in the first step");
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    count.at_least("steps failed", faults.len() as u64 / 2);
}
