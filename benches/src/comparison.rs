//! Every question, asked of everything that is compared.

use crate::ask::{Ask, NOW, QUESTIONS, What};
use crate::cold::{cold, pair};
use crate::floor::Floor;
use crate::ours::{Requests, Typed};
use crate::peer::{Peer, compare};
use crate::schools::Schools;
use crate::timing::{Effort, all, medians, some, warm};
use anyhow::{Result, ensure};

/// One question, answered by one of those compared.
#[derive(Debug, Clone)]
pub struct Measured {
    /// The question.
    pub question: &'static str,
    /// What answered.
    pub engine: &'static str,
    /// Median nanoseconds of an answer.
    pub median_ns: f64,
    /// Bytes of an answer in the middle.
    pub bytes: usize,
    /// Median nanoseconds of copying the finished answer.
    pub floor_ns: f64,
}

/// How the caches stand when a question is asked; each has a table of its own.
#[derive(Debug, Clone, Copy)]
pub enum Caches {
    /// One school is asked again and again.
    OneSchool,
    /// All schools are asked at random.
    ManySchools,
    /// Before each ask everything has been forgotten, and another school was asked.
    Cold,
}

/// Makes sure that everything compared answers every ask with the same bytes;
/// how many asks there were.
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

/// All that is compared: the engine through each of its doors, then the peers.
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

/// Measures every question; the floor takes part in the same rounds.
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
        let floor = Floor::measure(&asks, &schools.engine)?;
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
