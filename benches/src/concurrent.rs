//! Measures single asks while another thread writes.

use crate::ask::{Ask, Asked as _, QUESTIONS, found};
use crate::changes::Change;
use crate::spread::{Spread, timed};
use anyhow::{Context, Result, anyhow, ensure};
use fastrand::Rng;
use rollbook::{Engine, Options};
use rollbook_tests::sample::SampleSchool;
use serde::Serialize;
use std::hint::black_box;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The questions that are measured.
const ASKED: [&str; 2] = ["one learner by id", "marks of a learner, a year"];

/// The measurements of one reader beside at most one writer.
#[derive(Debug, Clone, Serialize)]
pub struct Beside {
    /// What the writer does at the same time.
    pub writer: &'static str,
    /// How often the writer has done it.
    pub written: usize,
    /// The times of the single asks of each question, in seconds.
    pub asks: Vec<(&'static str, Spread)>,
}

/// Asks questions to a school with this number of learners, for this time each: without a writer,
/// while the school is loaded repeatedly with all names and marks changed, and while single marks
/// are changed one after the other. `folder` must not contain files of an earlier measurement.
pub fn measure(learners: u32, folder: &Path, time: Duration) -> Result<Vec<Beside>> {
    let school = SampleSchool {
        learners,
        ..SampleSchool::default()
    };
    let [before, after] = versions(&school);
    let engine = Engine::open(folder.join("rollbook.redb"), Options::default())?;
    engine.apply(before.as_bytes())?;
    let asks = asks(&school, &engine)?;
    let changes = Change::for_school(&school)?;
    let mark = changes.first().context("one mark")?;
    let load = |round: usize| {
        let dataset = if round.is_multiple_of(2) {
            &after
        } else {
            &before
        };
        let total = engine.apply(dataset.as_bytes())?.total();
        ensure!(total.changed > total.unchanged, "{total:?}");
        Ok(())
    };
    let beside = vec![
        read(&engine, &asks, time, "nobody writes", None)?,
        read(&engine, &asks, time, "the school loaded", Some(&load))?,
        read(
            &engine,
            &asks,
            time,
            "one mark",
            Some(&|round| mark.make(&engine, round).map(drop)),
        )?,
    ];
    engine.close()?;
    Ok(beside)
}

/// Returns the dataset of a school, and a second version in which all marks have another second of
/// entry and all people have another last name.
fn versions(school: &SampleSchool) -> [String; 2] {
    let mut versions = [String::new(), String::new()];
    for line in school.lines() {
        let other = match line.split('"').nth(3) {
            Some("mark") => at_another_second(&line),
            Some("learner" | "parent") => {
                line.replacen("\"last_name\":\"", "\"last_name\":\"Van ", 1)
            }
            _ => line.clone(),
        };
        for (version, line) in versions.iter_mut().zip([line, other]) {
            version.push_str(&line);
            version.push('\n');
        }
    }
    versions
}

/// Changes the second of entry at the end of a mark.
fn at_another_second(mark: &str) -> String {
    let mut other = mark.trim_end_matches("\"}").to_owned();
    let second = if other.pop() == Some('0') { "1" } else { "0" };
    other.push_str(second);
    other.push_str("\"}");
    other
}

/// Returns the asks of each question that have a non-empty answer.
fn asks(school: &SampleSchool, engine: &Engine) -> Result<Vec<(&'static str, Vec<Ask>)>> {
    let mut all = Vec::new();
    for name in ASKED {
        let question = QUESTIONS.into_iter().find(|question| question.0 == name);
        let (_, things) = question.context("no such question")?;
        let things = things(&school.grade_ids());
        let asks = found(engine, school.school_id, things, &mut Vec::new())?;
        all.push((name, asks));
    }
    Ok(all)
}

/// What a writer does in a round.
type Write<'a> = &'a (dyn Fn(usize) -> Result<()> + Sync);

fn read(
    engine: &Engine,
    asks: &[(&'static str, Vec<Ask>)],
    time: Duration,
    writer: &'static str,
    write: Option<Write<'_>>,
) -> Result<Beside> {
    let ended = AtomicBool::new(false);
    thread::scope(|threads| {
        let writing = threads.spawn(|| -> Result<usize> {
            let mut written = 0;
            if let Some(write) = write {
                while !ended.load(Ordering::Relaxed) {
                    write(written)?;
                    written += 1;
                }
            }
            Ok(written)
        });
        let asked = ask_for(engine, asks, time);
        ended.store(true, Ordering::Relaxed);
        let written = writing.join().map_err(|_| anyhow!("the writer panicked"))?;
        Ok(Beside {
            writer,
            written: written?,
            asks: asked?,
        })
    })
}

/// Asks the questions in turn, each time with a random ask.
fn ask_for(
    engine: &Engine,
    asks: &[(&'static str, Vec<Ask>)],
    time: Duration,
) -> Result<Vec<(&'static str, Spread)>> {
    let mut random = Rng::with_seed(3);
    let mut times: Vec<Vec<Duration>> = vec![Vec::new(); asks.len()];
    let mut answer = Vec::new();
    let start = Instant::now();
    while start.elapsed() < time {
        for ((_, asks), times) in asks.iter().zip(&mut times) {
            let ask = random.choice(asks).context("nothing to ask")?;
            let (asked, took) = timed(|| ask.typed(engine, &mut answer));
            asked?;
            black_box(&answer);
            times.push(took);
        }
    }
    let spreads = times.into_iter().map(Spread::new);
    let names = asks.iter().map(|(name, _)| *name);
    Ok(names.zip(spreads).collect())
}
