//! Measures each question to one school, through each interface of the engine, during development.
//!
//! Run `cargo bench -p rollbook-benches --no-default-features --bench questions`. With `--
//! --save-baseline before` and `-- --baseline before`, it compares the times before and after a
//! change.

use anyhow::Result;
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput};
use rollbook_benches::ask::QUESTIONS;
use rollbook_benches::ours::{Requests, Typed};
use rollbook_benches::pages::{self, WALKED};
use rollbook_benches::peer::Peer;
use rollbook_benches::schools::Schools;

fn main() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let schools = Schools::load(1, folder.path())?;
    let mut criterion = Criterion::default().configure_from_args();
    for school in &schools.all {
        for (question, things) in QUESTIONS {
            let asks = schools.asks(school, things)?;
            let mut group = criterion.benchmark_group(question);
            measure(&mut group, &mut Typed(&schools.engine), &asks)?;
            measure(&mut group, &mut Requests(&schools.engine), &asks)?;
            group.finish();
        }
        for (collection, walked) in WALKED {
            let asks = pages::asks(&schools.engine, school, walked)?;
            let mut group = criterion.benchmark_group(format!("a page of {collection}"));
            measure(&mut group, &mut Typed(&schools.engine), &asks)?;
            measure(&mut group, &mut Requests(&schools.engine), &asks)?;
            group.finish();
        }
    }
    criterion.final_summary();
    Ok(())
}

/// Measures the asks one after the other. The throughput is based on the median size of an answer.
fn measure<A>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    door: &mut impl Peer<A>,
    asks: &[A],
) -> Result<()> {
    let mut answer = Vec::new();
    let mut bytes = 0;
    for ask in asks {
        door.answer(ask, &mut answer)?;
        bytes += answer.len() as u64;
    }
    group.throughput(Throughput::Bytes(bytes / asks.len().max(1) as u64));
    let mut next = asks.iter().cycle();
    let mut failed = None;
    group.bench_function(door.name(), |bencher| {
        bencher.iter(|| {
            if let Some(ask) = next.next()
                && let Err(error) = door.answer(ask, &mut answer)
            {
                failed = Some(error);
            }
            answer.len()
        });
    });
    failed.map_or(Ok(()), Err)
}
