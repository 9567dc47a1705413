//! Ten readers at the same time as a writer: every answer is from before or after a change, and no
//! reader waits for a load.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    missing_docs
)]

use rollbook::{Answer, Engine, Options};
use rollbook_tests::sample::SampleSchool;
use rollbook_tests::search::extent;
use rollbook_tests::storage::requests::{get, targets};
use rollbook_tests::storage::scenario::{OTHER, SCHOOL, options, school, set_state};
use rollbook_tests::storage::watchdog::{SetOnDrop, Watchdog};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A target, and the answers that it may get.
struct Asked {
    target: String,
    allowed: Vec<Answer>,
}

/// Returns the requests with their answers after each change: loads of another school, and two
/// states of an API type.
fn asked(loads: &[String]) -> Vec<Asked> {
    let engine = Engine::memory(options()).unwrap();
    let mut asked: Vec<_> = targets(SCHOOL)
        .into_iter()
        .chain(targets(OTHER))
        .map(|target| Asked {
            target,
            allowed: Vec::new(),
        })
        .collect();
    for load in loads {
        engine.apply(load.as_bytes()).unwrap();
        for state in [0, 1] {
            set_state(&engine, 9, state).unwrap();
            for Asked { target, allowed } in &mut asked {
                let answer = get(&engine, target);
                if !allowed.contains(&answer) {
                    allowed.push(answer);
                }
            }
        }
    }
    asked
}

/// What the readers have seen.
#[derive(Default)]
struct Seen {
    answers: AtomicU64,
    during_load: AtomicU64,
    /// The durations of small requests during one load.
    small: Mutex<Vec<Duration>>,
    wrong: Mutex<Vec<String>>,
}

fn read(
    engine: &Engine,
    asked: &[Asked],
    from: usize,
    seen: &Seen,
    loading: &AtomicBool,
    ended: &AtomicBool,
) {
    let mut small = Vec::new();
    for place in from.. {
        if ended.load(Ordering::Relaxed) {
            break;
        }
        let Asked { target, allowed } = &asked[place % asked.len()];
        let before = loading.load(Ordering::Relaxed);
        let started = Instant::now();
        let answer = get(engine, target);
        let took = started.elapsed();
        seen.answers.fetch_add(1, Ordering::Relaxed);
        if before && loading.load(Ordering::Relaxed) {
            seen.during_load.fetch_add(1, Ordering::Relaxed);
            if target.contains("learner_id=7") {
                small.push(took);
            }
        }
        if !allowed.contains(&answer) {
            let what = format!("{target}: {} {:.200}", answer.status.code, answer.text());
            seen.wrong.lock().unwrap().push(what);
            break;
        }
    }
    seen.small.lock().unwrap().append(&mut small);
}

#[test]
fn ten_readers() {
    let _dog = Watchdog::over("readers beside a writer", Duration::from_secs(300));
    let base = school(SCHOOL, 60);
    let large = SampleSchool {
        school_id: OTHER,
        learners: 1000,
        marks: false,
        ..SampleSchool::default()
    };
    let large: String = large.lines().map(|line| line + "\n").collect();
    let renamed = large.replace("\"first_name\":\"", "\"first_name\":\"X");
    let asked = asked(&[base.clone(), large.clone(), renamed.clone()]);
    let several = asked.iter().filter(|asked| asked.allowed.len() > 1);
    assert!(several.count() > 12);

    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::open(folder.path().join("store"), options()).unwrap();
    engine.apply(base.as_bytes()).unwrap();
    set_state(&engine, 9, 0).unwrap();
    let (loading, ended) = (AtomicBool::new(false), AtomicBool::new(false));
    let (seen, mut loads) = (Seen::default(), Vec::new());
    std::thread::scope(|scope| {
        let _ended = SetOnDrop(&ended);
        for reader in 0..10 {
            let (engine, asked, seen) = (&engine, &asked, &seen);
            let (loading, ended) = (&loading, &ended);
            scope.spawn(move || read(engine, asked, reader * 5, seen, loading, ended));
        }
        for round in 0..extent(2, 6u64) {
            let dataset = if round % 2 == 0 { &large } else { &renamed };
            let started = Instant::now();
            loading.store(true, Ordering::Relaxed);
            engine.apply(dataset.as_bytes()).unwrap();
            loading.store(false, Ordering::Relaxed);
            loads.push(started.elapsed());
            for _ in 0..20 {
                assert_eq!(set_state(&engine, 9, 1).unwrap(), 200);
                assert_eq!(set_state(&engine, 9, 0).unwrap(), 200);
            }
        }
    });
    let wrong = seen.wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let mut small = seen.small.into_inner().unwrap();
    small.sort_unstable();
    let shortest = loads.iter().min().unwrap();
    println!(
        "{} answers, {} of them during loads of {:?}; a small one took {:?} in the median, {:?} at most",
        seen.answers.into_inner(),
        seen.during_load.load(Ordering::Relaxed),
        loads,
        small[small.len() / 2],
        small[small.len() - 1]
    );
    // If readers waited for loads, there would be only one answer per reader and load.
    assert!(seen.during_load.into_inner() > extent(100, 1000));
    // Only if nothing else uses the machine.
    if extent(false, true) {
        assert!(small.len() > 200 && small[small.len() * 9 / 10] < *shortest / 4);
    }
    assert!(engine.verify().unwrap().is_sound());
}

/// A state update during a load is made, or refused after the waiting time of the engine. A load
/// blocks other changes only during its last part, which may fall between two updates on a busy
/// machine. Where a refusal is expected, loads are therefore repeated until an update was refused.
#[test]
fn state_updates_beside_a_load() {
    let _dog = Watchdog::over("state updates beside a load", Duration::from_secs(300));
    let dataset: String = SampleSchool {
        school_id: OTHER,
        learners: 600,
        marks: false,
        ..SampleSchool::default()
    }
    .lines()
    .map(|line| line + "\n")
    .collect();
    let renamed = dataset.replace("\"first_name\":\"", "\"first_name\":\"X");
    for wait in [Duration::ZERO, Duration::from_secs(60)] {
        let engine = Engine::memory(Options {
            writer_wait: wait,
            ..options()
        })
        .unwrap();
        engine.apply(school(SCHOOL, 10).as_bytes()).unwrap();
        let is_enough = AtomicBool::new(!wait.is_zero());
        let (mut made, mut busy, mut longest) = (0, 0, Duration::ZERO);
        let mut failed = None;
        std::thread::scope(|scope| {
            let load = scope.spawn(|| {
                let (mut loads, mut refused) = (0, 0);
                for dataset in [&dataset, &renamed].into_iter().cycle() {
                    // The load waits no longer than an update.
                    match engine.apply(dataset.as_bytes()) {
                        Ok(_) => loads += 1,
                        Err(error) if error.code() == "busy" => refused += 1,
                        Err(error) => return Err(error),
                    }
                    if loads == 100 || loads > 0 && is_enough.load(Ordering::Relaxed) {
                        break;
                    }
                }
                println!("{loads} loads, {refused} refused");
                Ok(())
            });
            for round in 0.. {
                let started = Instant::now();
                match set_state(&engine, 9, round % 2) {
                    Ok(status) => made += u32::from(status == 200),
                    Err(error) => {
                        is_enough.store(true, Ordering::Relaxed);
                        if error.code() != "busy" {
                            failed = Some(error);
                            break;
                        }
                        busy += 1;
                    }
                }
                longest = longest.max(started.elapsed());
                if load.is_finished() {
                    break;
                }
            }
            load.join().unwrap().unwrap();
        });
        println!("waiting {wait:?}: {made} made, {busy} busy, the longest took {longest:?}");
        assert!(failed.is_none(), "{failed:?}");
        assert!(made > 0);
        assert_eq!(busy > 0, wait.is_zero());
        let records = engine.stats().unwrap().records;
        let learners = records.iter().find(|(kind, _)| *kind == "learner");
        assert_eq!(learners.unwrap().1, 610);
        assert!(engine.verify().unwrap().is_sound());
    }
}
