//! Disks that fail at any operation, once or permanently: each change is made completely or not at
//! all, answers are correct, and the store works when the fault is over.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    missing_docs
)]

use rollbook::{Answer, Credentials, Engine, Options};
use rollbook_tests::search::{Counts, extent, failing};
use rollbook_tests::storage::disk::Disk;
use rollbook_tests::storage::faulty::{DiskOperation, Fault, Faulty};
use rollbook_tests::storage::requests::{answers, export};
use rollbook_tests::storage::scenario::{SCHOOL, STEPS, Scenario, options};
use std::fmt::{self, Debug};

/// The store before and after each step.
struct Stages {
    scenario: Scenario,
    /// The store before each step, and after the last.
    stages: Vec<Stage>,
    options: Options,
}

/// The store between two steps.
struct Stage {
    bytes: Vec<u8>,
    export: String,
    answers: Vec<Answer>,
}

/// One step on a disk with one fault.
struct Case {
    step: usize,
    fault: Fault,
}

impl Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {:?}", STEPS[self.step], self.fault)
    }
}

impl Stages {
    fn new(options: Options) -> Stages {
        let scenario = Scenario::new(12);
        let disk = Disk::default();
        let mut stages = Vec::new();
        for at in 0..=STEPS.len() {
            let engine = Engine::open_with_backend(disk.clone(), options.clone()).unwrap();
            if at > 0 {
                scenario.run(at - 1, &engine).unwrap();
            }
            let (export, answers) = (export(&engine).unwrap(), answers(&engine, SCHOOL));
            engine.close().unwrap();
            stages.push(Stage {
                bytes: disk.bytes(),
                export,
                answers,
            });
        }
        Stages {
            scenario,
            stages,
            options,
        }
    }

    fn open(&self, disk: &Faulty) -> Engine {
        Engine::open_with_backend(disk.clone(), self.options.clone()).unwrap()
    }

    /// Returns cases with a fault at each operation of this sort in each step, at most so many per
    /// step, each once and permanently.
    fn cases(&self, deed: DiskOperation, most: usize) -> Vec<Case> {
        let mut cases = Vec::new();
        let mut counts = Vec::new();
        for step in 0..STEPS.len() {
            let disk = Faulty::on(self.stages[step].bytes.clone());
            let engine = self.open(&disk);
            disk.plan(None);
            self.scenario.run(step, &engine).unwrap();
            let done = disk.done(deed);
            counts.push(done);
            let faults = Fault::spread(deed, done, most).into_iter();
            cases.extend(faults.map(|fault| Case { step, fault }));
        }
        println!("{deed:?}s by step: {counts:?}");
        cases
    }

    /// Runs all cases in two threads and prints a summary.
    fn run(&self, cases: &[Case]) {
        let count = Counts::default();
        let failures = failing(cases, |case| self.run_one(case, &count));
        assert!(
            failures.is_empty(),
            "{} of {} cases:\n{}",
            failures.len(),
            cases.len(),
            failures.join("\n")
        );
        println!("{} cases: {count}", cases.len());
        count.at_least("stores opened", cases.len() as u64);
        count.at_least("steps failed", cases.len() as u64 / 10);
    }

    fn run_one(&self, case: &Case, count: &Counts) -> Result<(), String> {
        let Case { step, fault } = *case;
        let sides = &self.stages[step..=step + 1];
        let disk = Faulty::on(sides[0].bytes.clone());
        let engine = self.open(&disk);
        disk.plan(Some(fault));
        let outcome = self.scenario.run(step, &engine);
        let during = answers(&engine, SCHOOL);
        right_or_refused(&during, sides, fault.once)?;
        if disk.failed() == 0 {
            return Err("the fault was never met".to_owned());
        }
        count.add("steps failed", u64::from(outcome.is_err()));
        disk.plan(None);
        self.judge(&engine, case, outcome, count)?;
        let text = |e: rollbook::Error| e.to_string();
        let mut last = step + 1;
        if step + 1 < STEPS.len() {
            let next = self.scenario.run(step + 1, &engine);
            next.map_err(|e| format!("the next change: {e}"))?;
            last += 1;
        }
        let verified = engine.verify().map_err(text)?;
        if !verified.is_sound() {
            return Err(format!("unsound: {:?}", verified.problems));
        }
        engine.close().map_err(text)?;
        let again = Engine::open_with_backend(Disk::new(disk.bytes()), options()).map_err(text)?;
        if export(&again).map_err(text)? != self.stages[last].export {
            return Err("afterwards the disk holds something else".to_owned());
        }
        count.add("stores opened", 1);
        Ok(())
    }

    /// Compares the outcome of a step with the content of the store. Repeats the step if it was not
    /// made.
    fn judge(
        &self,
        engine: &Engine,
        case: &Case,
        outcome: rollbook::Result<()>,
        count: &Counts,
    ) -> Result<(), String> {
        let [before, after] = [&self.stages[case.step], &self.stages[case.step + 1]];
        let now = export(engine).map_err(|e| format!("export afterwards: {e}"))?;
        let made = now == after.export;
        if !made && now != before.export {
            return Err("the export is of neither side".to_owned());
        }
        let expected = if made { after } else { before };
        if answers(engine, SCHOOL) != expected.answers {
            return Err("answers and export are of two sides".to_owned());
        }
        let Err(error) = outcome else {
            count.add("changes made in spite of the fault", 1);
            let lost = "it was made, they said, but it is not there";
            return made.then_some(()).ok_or(lost.to_owned());
        };
        if made && after.export != before.export {
            count.add("changes made though they failed", 1);
            // Erasing also compacts, and may fail after the data was erased.
            if case.fault.once && STEPS[case.step] != "erase_learner" {
                return Err(format!("{error}, but it was made"));
            }
        }
        if !made || !STEPS[case.step].starts_with("state update") {
            let again = self.scenario.run(case.step, engine);
            again.map_err(|e| format!("once more: {e}"))?;
        }
        if export(engine).map_err(|e| e.to_string())? != after.export {
            return Err("repeated, it had another result".to_owned());
        }
        Ok(())
    }
}

/// Checks that during a fault all answers are from one of the two states. While a fault lasts, any
/// answer may be a 500.
fn right_or_refused(found: &[Answer], sides: &[Stage], once: bool) -> Result<(), String> {
    let of = |side: &Stage| {
        let mut pairs = side.answers.iter().zip(found);
        pairs.all(|(right, found)| right == found || !once && found.status.code == 500)
    };
    let statuses: Vec<_> = found.iter().map(|answer| answer.status.code).collect();
    let wrong = || format!("answers of neither side while it failed: {statuses:?}");
    sides.iter().any(of).then_some(()).ok_or_else(wrong)
}

#[test]
fn writes() {
    let stages = Stages::new(options());
    stages.run(&stages.cases(DiskOperation::Write, extent(12, usize::MAX)));
}

#[test]
fn growth() {
    let stages = Stages::new(options());
    stages.run(&stages.cases(DiskOperation::SetLen, usize::MAX));
}

#[test]
fn syncs() {
    let stages = Stages::new(options());
    stages.run(&stages.cases(DiskOperation::Sync, usize::MAX));
}

/// Without a cache, pages are read again for each use.
#[test]
fn reads() {
    let stages = Stages::new(Options {
        cache_bytes: 0,
        ..options()
    });
    stages.run(&stages.cases(DiskOperation::Read, extent(8, 30)));
}

type Reading<'a> = &'a dyn Fn(&Engine) -> rollbook::Result<()>;

/// A fault during an export or a backup affects only that one; the next one reads the store.
#[test]
fn the_next_export_and_backup_are_whole() {
    let options = Options {
        cache_bytes: 0,
        ..options()
    };
    let stages = Stages::new(options);
    let stage = &stages.stages[2];
    let folder = tempfile::tempdir().unwrap();
    let backup = |engine: &Engine| {
        let path = folder
            .path()
            .join(format!("{:?}", std::thread::current().id()));
        let made = engine.backup(&path, Credentials::Keep);
        if made.is_ok() {
            std::fs::remove_file(path).unwrap();
        }
        made
    };
    let exported = |engine: &Engine| export(engine).map(|text| assert_eq!(text, stage.export));
    let count = Counts::default();
    let reads: [Reading<'_>; 2] = [&exported, &backup];
    for read in reads {
        let disk = Faulty::on(stage.bytes.clone());
        let engine = stages.open(&disk);
        disk.plan(None);
        read(&engine).unwrap();
        for fault in Fault::spread(
            DiskOperation::Read,
            disk.done(DiskOperation::Read),
            extent(20, 400),
        ) {
            let disk = Faulty::on(stage.bytes.clone());
            let engine = stages.open(&disk);
            disk.plan(Some(fault));
            // Opening the snapshot is an ordinary read, which is repeated.
            let outcome = read(&engine);
            assert!(outcome.is_err() || fault.once, "{fault:?}");
            if let Err(error) = outcome {
                assert_eq!(error.code(), "io", "{fault:?}: {error}");
                assert!(
                    error.to_string().contains("as planned"),
                    "{fault:?}: {error}"
                );
                count.add("failures met", 1);
            }
            disk.plan(None);
            for read in reads {
                read(&engine).unwrap_or_else(|error| panic!("{fault:?}: {error}"));
            }
            assert_eq!(answers(&engine, SCHOOL), stage.answers, "{fault:?}");
        }
    }
    println!("{count}");
    count.at_least("failures met", 40);
}
