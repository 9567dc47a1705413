//! Compares the engine and its peers on every question.

use crate::ask::{Ask, NOW, QUESTIONS, What};
use crate::cold::{cold, pair};
use crate::copy_baseline::CopyBaseline;
use crate::ours::{Requests, Typed};
use crate::peer::{Peer, compare};
use crate::schools::Schools;
use crate::timing::{Effort, all, medians, some, warm};
use anyhow::{Result, ensure};

/// The time of one question on the engine or a peer.
#[derive(Debug, Clone)]
pub struct Measured {
    /// The question.
    pub question: &'static str,
    /// The name of the engine or peer.
    pub engine: &'static str,
    /// The median time of an answer in nanoseconds.
    pub median_ns: f64,
    /// The median size of an answer in bytes.
    pub bytes: usize,
    /// The median time of copying the finished answer, in nanoseconds.
    pub floor_ns: f64,
}

/// The state of the caches when a question is asked. Each state has its own table.
#[derive(Debug, Clone, Copy)]
pub enum Caches {
    /// The same school is asked repeatedly.
    OneSchool,
    /// All schools are asked in random order.
    ManySchools,
    /// Before each ask, all caches are dropped, and another school is asked.
    Cold,
}

/// Checks that all peers answer every ask with the same bytes. Returns the number of asks.
pub fn check(
    compared: &mut [Box<dyn Peer + '_>],
    schools: &Schools,
    mut progress: impl FnMut(&str),
) -> Result<usize> {
    let mut asks = schools.every_ask()?;
    asks.retain(|ask| ask.now == NOW);
    for peer in compared {
        progress(peer.name());
        let found = compare(peer.as_mut(), &schools.engine, &asks)?;
        ensure!(found == asks.len(), "asks that find nothing are no measure");
    }
    Ok(asks.len())
}

/// Returns everything that is compared: the engine through each of its interfaces, then the peers.
pub fn compared<'a>(
    schools: &'a Schools,
    peers: Vec<Box<dyn Peer + 'a>>,
) -> Vec<Box<dyn Peer + 'a>> {
    let mut compared: Vec<Box<dyn Peer + 'a>> = vec![
        Box::new(Typed(&schools.engine)),
        Box::new(Requests(&schools.engine)),
    ];
    compared.extend(peers);
    compared
}

/// Measures every question. The floor is measured in the same rounds.
pub fn measure(
    compared: &mut Vec<Box<dyn Peer + '_>>,
    schools: &Schools,
    caches: Caches,
    effort: Effort,
    mut progress: impl FnMut(&str),
) -> Result<Vec<Measured>> {
    let mut measured = Vec::new();
    for (question, things) in QUESTIONS {
        progress(question);
        let asks = asks(schools, things)?;
        let floor = CopyBaseline::collect(&asks, &schools.engine)?;
        let bytes = floor.bytes();
        compared.push(Box::new(floor));
        let times = match caches {
            Caches::OneSchool => medians(compared, all(&asks), warm, effort)?,
            Caches::ManySchools => medians(compared, some(&asks), warm, effort)?,
            Caches::Cold => medians(compared, pair(&asks), cold(), effort)?,
        };
        compared.pop();
        let floor_ns = times.last().copied().unwrap_or(f64::NAN);
        for (peer, median_ns) in compared.iter().zip(times) {
            measured.push(Measured {
                question,
                engine: peer.name(),
                median_ns,
                bytes,
                floor_ns,
            });
        }
    }
    Ok(measured)
}

fn asks(schools: &Schools, things: fn(&[u64]) -> Vec<What>) -> Result<Vec<Ask>> {
    let mut asks = Vec::new();
    for school in &schools.all {
        asks.extend(schools.asks(school, things)?);
    }
    for (number, ask) in asks.iter_mut().enumerate() {
        ask.number = number;
    }
    Ok(asks)
}
