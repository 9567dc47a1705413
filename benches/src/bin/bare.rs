//! Measures the engine without bindings, on the three requests that the packages of other languages
//! measure through their bindings: `bare DATASET`, where the dataset is that of `sample 1000
//! DATASET`.
#![allow(clippy::print_stdout)]

use anyhow::{Context as _, Result};
use rollbook::{Engine, Options, Request};
use rollbook_benches::ask::NOW;
use rollbook_benches::timing::{median, nanoseconds};
use rollbook_tests::sample::{PASSWORD, SampleSchool, USERNAME};
use std::fs::File;
use std::time::Instant;

const ROUNDS: usize = 201;

fn main() -> Result<()> {
    let path = std::env::args().nth(1).context("bare DATASET")?;
    let engine = Engine::memory(Options::default())?;
    engine.apply(File::open(path)?)?;
    let school = SampleSchool::default().school_id;
    for (what, target) in [
        (
            "one learner by id",
            format!("adminplus/learners/{school}?learner_id=1"),
        ),
        (
            "marks of a learner, a year",
            format!("currplus/learnerassessmentmarks/{school}?learner_id=1"),
        ),
        (
            "all current learners",
            format!("adminplus/learners/{school}"),
        ),
    ] {
        let target = format!("/api/v1/{target}");
        let headers = [("HTTP-X-USERNAME", USERNAME), ("HTTP-X-PASSWORD", PASSWORD)];
        let request = Request {
            target: &target,
            headers: &headers,
            now: Some(NOW),
            ..Request::default()
        };
        let answer = engine.request(&request);
        anyhow::ensure!(answer.status.code == 200, "{target}: {}", answer.text());
        let asks = 1 + 200_000 / answer.body.len();
        let mut times = Vec::with_capacity(ROUNDS);
        for _ in 0..ROUNDS {
            let start = Instant::now();
            for _ in 0..asks {
                std::hint::black_box(engine.request(&request));
            }
            times.push(nanoseconds(start.elapsed()) / f64::from(u32::try_from(asks)?));
        }
        let micros = median(&mut times) / 1000.0;
        println!("{what}: {} bytes, {micros:.2} us", answer.body.len());
    }
    Ok(())
}
