//! Memory use is at most the cache and 64 MB, whatever is loaded and asked. Runs on Linux only,
//! where the peak of a process can be read.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    missing_docs
)]

use rollbook::{Credentials, Engine, Options};
use rollbook_tests::random::Random;
use rollbook_tests::sample::{SampleSchool, federation};
use rollbook_tests::search::extent;
use rollbook_tests::storage::child;
use rollbook_tests::storage::requests::{get, targets};
use rollbook_tests::storage::scenario::{SCHOOL, options};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::Path;
use std::time::Instant;

/// The promised limit in addition to the cache.
pub(super) const BEYOND_CACHE: u64 = 64_000_000;

/// Returns a value of `/proc/self/status` in bytes.
fn status(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let kilobytes = line.unwrap().trim_start_matches(':').trim_end_matches("kB");
    kilobytes.trim().parse::<u64>().unwrap() * 1024
}

/// Runs in a child: makes steps, and prints the peak memory of each, without the memory that the
/// process used before.
pub(super) struct Child {
    before: u64,
    started: Instant,
}

impl Child {
    pub(super) fn new() -> Child {
        Child {
            before: status("VmRSS"),
            started: Instant::now(),
        }
    }

    pub(super) fn step<T>(&mut self, what: &str, work: impl FnOnce() -> T) -> T {
        // Resets the peak. If the kernel refuses, it is the peak of all steps so far, to which the
        // limit also applies.
        let _ = fs::write("/proc/self/clear_refs", "5");
        self.started = Instant::now();
        let done = work();
        let peak = status("VmHWM").saturating_sub(self.before);
        let took = self.started.elapsed().as_secs_f64();
        child::say(&format!("{what}|{peak}|{took:.1}"));
        done
    }
}

/// The task of a child. It consists of the size of the cache, and a folder with the dataset.
fn live(task: &str) {
    let (cache, folder) = task.split_once('|').unwrap();
    let folder = Path::new(folder);
    let options = Options {
        cache_bytes: cache.parse().unwrap(),
        ..options()
    };
    let dataset = |name: &str| File::open(folder.join(name)).unwrap();
    let mut child = Child::new();
    let store = folder.join("store");
    let engine = child.step("open", || Engine::open(&store, options).unwrap());
    let first = child.step("load", || engine.apply(dataset(FIRST)).unwrap().total());
    assert!(first.added > 500_000, "{first:?}");
    let again = child.step("load again", || {
        engine.apply(dataset(AGAIN)).unwrap().total()
    });
    assert_eq!((again.added, again.changed, again.removed), (0, 0, 0));
    look_after(&engine, &mut child, folder, first.added);
    child.step("close", || engine.close().unwrap());
}

/// The file of the dataset.
const FIRST: &str = "first";
/// The file of the same dataset, which is loaded again.
const AGAIN: &str = "again";

fn look_after(engine: &Engine, child: &mut Child, folder: &Path, records: u64) {
    let exported = child.step("export", || {
        let lines = engine.export(Credentials::Keep).unwrap();
        lines.map(Result::unwrap).count() as u64
    });
    assert_eq!(exported, records);
    let answered = child.step("questions", || {
        let marks = format!("/api/v1/currplus/learnerassessmentmarks/{SCHOOL}");
        let grades = (1..=9).map(|grade| format!("{marks}?grade_id={grade}"));
        let learners = (1..=2_000).step_by(20);
        let learners = learners.map(|learner| format!("{marks}?learner_id={learner}"));
        let targets = targets(SCHOOL).into_iter().chain(grades).chain(learners);
        let answers = targets.map(|target| get(engine, &target));
        answers.fold(0, |bytes, answer| {
            assert!(answer.status.code < 500, "{}", answer.text());
            bytes + answer.body.len()
        })
    });
    assert!(answered > 10_000_000, "{answered} bytes of answers");
    let verified = child.step("verify", || engine.verify().unwrap());
    assert!(verified.is_sound(), "{:?}", verified.problems);
    child.step("compact", || engine.compact().unwrap());
    let copy = folder.join("copy");
    child.step("backup", || engine.backup(copy, Credentials::Keep).unwrap());
}

/// Runs the task in a child, and checks its peaks.
fn bounded(test: &str, cache: u64, learners: u32, in_order: bool) {
    let folder = tempfile::tempdir().unwrap();
    let file = |name| BufWriter::new(File::create(folder.path().join(name)).unwrap());
    let mut first = file(FIRST);
    if in_order {
        for school in &schools(learners) {
            io::copy(&mut school.reader(), &mut first).unwrap();
        }
        let again = folder.path().join(AGAIN);
        fs::hard_link(folder.path().join(FIRST), again).unwrap();
    } else {
        write_in_disorder(learners, &mut first);
        let mut again = file(AGAIN);
        for school in &schools(learners) {
            io::copy(&mut school.reader(), &mut again).unwrap();
        }
        again.flush().unwrap();
    }
    let bytes = first.into_inner().unwrap().metadata().unwrap().len();
    let bound = cache + BEYOND_CACHE;
    // The dataset must be larger than the limit.
    let most = extent(bound * 5 / 4, bound * 2);
    assert!(bytes > most, "a dataset of {bytes} shows nothing");
    let mut child = child::start(test, &format!("{cache}|{}", folder.path().display()));
    let (mut peaks, mut beyond) = (String::new(), Vec::new());
    for line in child::lines(child.stdout.take().unwrap()) {
        let [step, peak, took] = line.split('|').collect::<Vec<_>>()[..] else {
            panic!("the child says {line}");
        };
        let megabytes = peak.parse::<u64>().unwrap().div_ceil(1_000_000);
        write!(peaks, ", {step} {megabytes} ({took} s)").unwrap();
        if peak.parse::<u64>().unwrap() > bound {
            beyond.push(line);
        }
    }
    let ended = child.wait().unwrap();
    println!(
        "a dataset of {} MB may take {} MB, and took{}",
        bytes / 1_000_000,
        bound / 1_000_000,
        peaks.trim_start_matches(',')
    );
    assert!(ended.success(), "the child failed");
    assert_eq!(beyond, Vec::<String>::new());
    assert!(peaks.ends_with(" s)") && peaks.contains("close"), "{peaks}");
}

/// Returns two schools of so many learners.
fn schools(learners: u32) -> Vec<SampleSchool> {
    let base = SampleSchool {
        learners,
        ..SampleSchool::default()
    };
    federation(2, &base)
}

/// Writes the dataset in the worst order: first the marks of both schools, shuffled, then the other
/// records, shuffled.
fn write_in_disorder(learners: u32, out: &mut impl io::Write) {
    let schools = schools(learners);
    let lines = schools.iter().flat_map(SampleSchool::lines);
    let (mut marks, mut rest): (Vec<String>, Vec<String>) =
        lines.partition(|line| line.starts_with("{\"type\":\"mark\""));
    let mut random = Random::new(5);
    for lines in [&mut marks, &mut rest] {
        for place in (1..lines.len()).rev() {
            lines.swap(place, random.below(place + 1));
        }
        for line in lines {
            writeln!(out, "{line}").unwrap();
        }
    }
}

/// Runs the task if this process is a child, and otherwise `parent`.
fn as_child_or(parent: impl FnOnce()) {
    match child::task() {
        Some(task) => live(&task),
        None => parent(),
    }
}

#[test]
fn all_that_is_done_with_the_usual_cache() {
    let name = "memory::all_that_is_done_with_the_usual_cache";
    as_child_or(|| bounded(name, 32 << 20, extent(1_750, 2_750), true));
}

#[test]
fn all_that_is_done_with_a_small_cache_and_lines_in_the_worst_order() {
    let name = "memory::all_that_is_done_with_a_small_cache_and_lines_in_the_worst_order";
    as_child_or(|| bounded(name, 4 << 20, extent(1_250, 2_000), false));
}
