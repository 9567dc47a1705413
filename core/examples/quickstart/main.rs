//! A first example: creates a store, loads two small schools and a large one, sends requests to
//! endpoints of v1 and some of v2, sets a state, and shows its effect on the next request.
//!
//! ```text
//! cargo run --release --example quickstart
//! ```
#![allow(clippy::print_stdout)]

mod school;

use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressStyle};
use rollbook::{Answer, Clock, Credentials, Engine, Options, Request};
use std::error::Error;
use std::ops::ControlFlow;
use std::time::Instant;

/// Two small schools, written by hand.
const SAMPLE: &str = include_str!("../sample-school.ndjson");
/// 2026-05-14T08:00:00Z. The time is fixed so that every run prints the same answers.
const NOW: i64 = 1_778_745_600;
/// The id of the generated school, which has 1,000 learners with the marks of a year.
const GENERATED: u64 = 2000;

fn main() -> Result<(), Box<dyn Error>> {
    let path =
        std::env::temp_dir().join(format!("rollbook-quickstart-{}.redb", std::process::id()));
    let engine = Engine::open(
        &path,
        Options {
            clock: Clock::Fixed(NOW),
            ..Options::default()
        },
    )?;
    println!("A store in {}\n", path.display());

    let summary = engine.apply(SAMPLE.as_bytes())?;
    println!(
        "The sample schools: {} records",
        HumanCount(summary.total().added)
    );
    load(&engine, &school::dataset(GENERATED)?)?;

    let learner = "learner_id=1";
    for target in [
        "adminplus/learners/1000?learner_id=1&include_parents".to_owned(),
        "adminplus/learners/1000?name=smi".to_owned(),
        format!("adminplus/learners/{GENERATED}"),
        format!("currplus/learnerassessmentmarks/1000?{learner}"),
        format!("currplus/learnersubjectsperterm/1000?{learner}"),
        format!("currplus/learnersubjectmarks/1000?{learner}"),
        format!("currplus/learnersubjects/1000?{learner}"),
        "finplus/debtmanagement/schools/1000".to_owned(),
        "settings/clients/1000".to_owned(),
        "adminplus/learnerabsentees/1000".to_owned(),
        format!("adminplus/parents/{GENERATED}"),
        "adminplus/lookup/language/2".to_owned(),
        "finplus/debtmanagement/learnerparentinfo/1000?include_accountable_person".to_owned(),
        "finplus/debtmanagement/schooldebtors/1000?include_learners".to_owned(),
    ] {
        ask(&engine, "GET", &format!("/api/v1/{target}"), "");
    }

    println!("The same under v2:\n");
    for v1 in [
        "/api/v1/adminplus/learners/1000?learner_id=1".to_owned(),
        format!("/api/v1/adminplus/learners/{GENERATED}"),
        format!("/api/v1/currplus/learnerassessmentmarks/1000?{learner}"),
        "/api/v1/settings/clients/1000".to_owned(),
    ] {
        let v2 = engine.upgrade(&v1)?;
        ask_school(&engine, "GET", &v2.target, v2.school, "");
    }

    println!("The integrator stops serving the school's Admin+ API:\n");
    ask(
        &engine,
        "PATCH",
        "/api/v1/settings/clients/1000",
        r#"{"state":0,"api_type_id":8}"#,
    );
    ask(&engine, "GET", "/api/v1/adminplus/learners/1000", "");
    println!("And serves it again, through v2:\n");
    ask(
        &engine,
        "POST",
        "/api/v2/settings/clientintegrations",
        r#"{"school_id":1000,"api_type_id":8,"state":true}"#,
    );

    let stats = engine.stats()?;
    let records: u64 = stats.records.iter().map(|(_, count)| count).sum();
    println!(
        "{} records in {} on disk.",
        HumanCount(records),
        HumanBytes(stats.bytes)
    );
    let lines = engine.export(Credentials::LeaveOut)?.count();
    println!("Exported again: {} lines.", HumanCount(lines as u64));
    engine.close()?;
    Ok(std::fs::remove_file(&path)?)
}

/// Loads the large school and shows a progress bar.
fn load(engine: &Engine, dataset: &str) -> Result<(), Box<dyn Error>> {
    let bytes = dataset.len() as u64;
    let style = "A school of 1,000 learners: {wide_bar} {bytes} of {total_bytes}";
    let bar = ProgressBar::new(bytes).with_style(ProgressStyle::with_template(style)?);
    let start = Instant::now();
    let summary = engine.apply_with(dataset.as_bytes(), |progress| {
        bar.set_position(progress.bytes);
        ControlFlow::Continue(())
    })?;
    bar.finish_and_clear();
    println!(
        "A school of 1,000 learners: {} records from {} in {:.2?}\n",
        HumanCount(summary.total().added),
        HumanBytes(bytes),
        start.elapsed()
    );
    Ok(())
}

/// Sends a request and prints it with its status, time and answer.
fn ask(engine: &Engine, method: &str, target: &str, body: &str) {
    ask_school(engine, method, target, None, body);
}

/// Sends a request like [`ask`], with the id of the school in a header if there is one.
fn ask_school(engine: &Engine, method: &str, target: &str, school: Option<u64>, body: &str) {
    let school = school.map(|school| school.to_string());
    let mut headers = vec![("HTTP-X-USERNAME", "demo"), ("HTTP-X-PASSWORD", "demo")];
    headers.extend(school.as_deref().map(|school| ("HTTP-X-SCHOOLID", school)));
    let request = Request {
        method,
        target,
        headers: &headers,
        body: body.as_bytes(),
        now: None,
    };
    // The first request hashes the password and fills the caches, which a running app does only
    // once. Therefore a GET is sent twice, and only the second one is measured.
    if method == "GET" {
        engine.request(&request);
    }
    let start = Instant::now();
    let Answer {
        status,
        body: answer,
    } = engine.request(&request);
    let time = start.elapsed();
    println!("{method} {target} {body}");
    println!(
        "  {} in {time:.1?}, {} bytes",
        status.code,
        HumanCount(answer.len() as u64)
    );
    println!("  {}\n", cut(&String::from_utf8_lossy(&answer)));
}

/// Shortens a long answer to its beginning and its end.
fn cut(answer: &str) -> String {
    const SHOWN: usize = 600;
    let Some((end, _)) = answer.char_indices().nth(SHOWN) else {
        return answer.to_owned();
    };
    let tail = answer.char_indices().nth_back(60).map_or(0, |(at, _)| at);
    let (head, tail) = (answer.get(..end), answer.get(tail..));
    format!(
        "{} … {}",
        head.unwrap_or_default(),
        tail.unwrap_or_default()
    )
}
