//! A disk that fails at any moment, once or for a while: changes are made or
//! not made, what is answered is right, and afterwards all goes on.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    missing_docs
)]

use rollbook::{Answer, Engine, Options};
use rollbook_tests::search::extent;
use rollbook_tests::storage::asked::{answers, export};
use rollbook_tests::storage::disk::Disk;
use rollbook_tests::storage::faulty::{Deed, Fault, Faulty};
use rollbook_tests::storage::scenario::{SCHOOL, STEPS, Scenario, options};
use rollbook_tests::storage::watchdog::Watchdog;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// What every step leaves, and the way there.
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

impl Stages {
    fn new(options: Options) -> Stages {
        let scenario = Scenario::of(12);
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

    /// A fault at each of these deeds of each step, at most so many a step,
    /// once and for good.
    fn cases(&self, deed: Deed, most: usize) -> Vec<Case> {
        let mut cases = Vec::new();
        let mut counts = Vec::new();
        for step in 0..STEPS.len() {
            let disk = Faulty::on(self.stages[step].bytes.clone());
            let engine = self.open(&disk);
            disk.plan(None);
            self.scenario.run(step, &engine).unwrap();
            let done = disk.done(deed);
            counts.push(done);
            for from in (0..done).step_by(done.div_ceil(most).max(1)) {
                for once in [true, false] {
                    let fault = Fault { deed, from, once };
                    cases.push(Case { step, fault });
                }
            }
        }
        println!("{deed:?}s by step: {counts:?}");
        cases
    }

    /// Runs every case, on two threads; tells what came of them.
    fn run(&self, cases: &[Case]) {
        let tally = Tally::default();
        let next = AtomicUsize::new(0);
        let work = || {
            while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                let what = format!("{}, {:?}", STEPS[case.step], case.fault);
                let _dog = Watchdog::over(what.clone(), Duration::from_secs(60));
                if let Err(why) = self.run_one(case, &tally) {
                    let mut failures = tally.failures.lock().unwrap();
                    failures.push(format!("{what}: {why}"));
                }
            }
        };
        std::thread::scope(|scope| {
            scope.spawn(work);
            scope.spawn(work);
        });
        let failures = tally.failures.into_inner().unwrap();
        assert!(
            failures.is_empty(),
            "{} of {} cases:\n{}",
            failures.len(),
            cases.len(),
            failures.join("\n")
        );
        println!(
            "{} cases: {} changes made in spite of the fault, {} though they failed",
            cases.len(),
            tally.made.into_inner(),
            tally.landed.into_inner()
        );
    }

    fn run_one(&self, case: &Case, tally: &Tally) -> Result<(), String> {
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
        disk.plan(None);
        self.judge(&engine, case, outcome, tally)?;
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
        let again = Engine::open_with_backend(Disk::of(disk.bytes()), options()).map_err(text)?;
        if export(&again).map_err(text)? != self.stages[last].export {
            return Err("afterwards the disk holds something else".to_owned());
        }
        Ok(())
    }

    /// What a step came to against what the store holds now; makes the change
    /// if it was not made.
    fn judge(
        &self,
        engine: &Engine,
        case: &Case,
        outcome: rollbook::Result<()>,
        tally: &Tally,
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
            tally.made.fetch_add(1, Ordering::Relaxed);
            let lost = "it was made, they said, but it is not there";
            return made.then_some(()).ok_or(lost.to_owned());
        };
        if made && after.export != before.export {
            tally.landed.fetch_add(1, Ordering::Relaxed);
            // Erasing compacts as well: it may fail when all is erased.
            if case.fault.once && STEPS[case.step] != "erase_learner" {
                return Err(format!("{error}, but it was made"));
            }
        }
        if !made || !STEPS[case.step].starts_with("state update") {
            let again = self.scenario.run(case.step, engine);
            again.map_err(|e| format!("once more: {e}"))?;
        }
        if export(engine).map_err(|e| e.to_string())? != after.export {
            return Err("once more, it came to something else".to_owned());
        }
        Ok(())
    }
}

/// What came of the cases.
#[derive(Default)]
struct Tally {
    /// The step succeeded in spite of the fault.
    made: AtomicUsize,
    /// The step failed, but its change is there.
    landed: AtomicUsize,
    failures: Mutex<Vec<String>>,
}

/// While there is a fault: all answers are of one of the two sides. A fault
/// that lasts may turn each of them into a 500.
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
    stages.run(&stages.cases(Deed::Write, extent(12, usize::MAX)));
}

#[test]
fn growth() {
    let stages = Stages::new(options());
    stages.run(&stages.cases(Deed::SetLen, usize::MAX));
}

#[test]
fn syncs() {
    let stages = Stages::new(options());
    stages.run(&stages.cases(Deed::Sync, usize::MAX));
}

/// Without a cache every page is read whenever it is needed.
#[test]
fn reads() {
    let stages = Stages::new(Options {
        cache_bytes: 0,
        ..options()
    });
    stages.run(&stages.cases(Deed::Read, extent(8, 30)));
}
