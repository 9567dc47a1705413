//! Every question, asked of everything that is compared.

use crate::ask::{Ask, QUESTIONS, What};
use crate::floor::Floor;
use crate::ours::{Requests, Typed};
use crate::peer::{Peer, compare};
use crate::schools::Schools;
use crate::timing::{Effort, ManySchools, OneSchool, cold_medians, medians};
use anyhow::{Result, ensure};
use serde::Serialize;

/// One question, answered by one of those compared.
#[derive(Debug, Clone, Serialize)]
pub struct Measured {
    /// The question.
    pub question: &'static str,
    /// Schools and learners in each, and what their caches hold.
    pub size: String,
    /// What answered.
    pub engine: &'static str,
    /// Median nanoseconds of an answer.
    pub median_ns: f64,
    /// Bytes of an answer in the middle.
    pub bytes: usize,
    /// Median nanoseconds of copying the finished answer.
    pub floor_ns: f64,
}

/// How the caches stand when a question is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caches {
    /// One school is asked again and again.
    OneSchool,
    /// All schools are asked at random.
    ManySchools,
    /// Everything has been forgotten.
    Cold,
}

/// How much to measure.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// How the caches stand.
    pub caches: Caches,
    /// How long to go on with a question.
    pub effort: Effort,
}

impl Plan {
    fn size(&self, schools: usize) -> String {
        match self.caches {
            Caches::OneSchool => "1 x 1000".to_owned(),
            Caches::ManySchools => format!("{schools} x 1000"),
            Caches::Cold => format!("{schools} x 1000, cold"),
        }
    }
}

/// Makes sure that everything compared answers every ask with the same bytes;
/// how many asks there were.
pub fn check(
    compared: &mut [Box<dyn Peer + '_>],
    schools: &Schools,
    mut progress: impl FnMut(&str),
) -> Result<usize> {
    let mut asks = schools.every_ask()?;
    asks.retain(|ask| ask.now == crate::ask::NOW);
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
    elsewhere: &'a [Ask],
    peers: Vec<Box<dyn Peer + 'a>>,
) -> Vec<Box<dyn Peer + 'a>> {
    let mut compared: Vec<Box<dyn Peer + 'a>> = vec![
        Box::new(Typed::new(&schools.engine, elsewhere)),
        Box::new(Requests::new(&schools.engine, elsewhere)),
    ];
    compared.extend(peers);
    compared
}

/// Measures every question; the floor takes part in the same rounds.
pub fn measure(
    compared: &mut Vec<Box<dyn Peer + '_>>,
    schools: &Schools,
    plan: Plan,
    mut progress: impl FnMut(&str),
) -> Result<Vec<Measured>> {
    let mut measured = Vec::new();
    for (question, things) in QUESTIONS {
        progress(question);
        let asks = asks(schools, things, plan.caches)?;
        let floor = Floor::of(&asks, &schools.engine)?;
        let bytes = floor.bytes();
        compared.push(Box::new(floor));
        let times = match plan.caches {
            Caches::OneSchool => medians(compared, &mut OneSchool(&asks), plan.effort)?,
            Caches::ManySchools => medians(compared, &mut ManySchools(&asks), plan.effort)?,
            Caches::Cold => cold_medians(compared, &asks, plan.effort.rounds)?,
        };
        compared.pop();
        let floor_ns = times.last().copied().unwrap_or(f64::NAN);
        for (peer, median_ns) in compared.iter().zip(times) {
            measured.push(Measured {
                question,
                size: plan.size(schools.all.len()),
                engine: peer.name(),
                median_ns,
                bytes,
                floor_ns,
            });
        }
    }
    Ok(measured)
}

fn asks(schools: &Schools, things: fn(&[u64]) -> Vec<What>, caches: Caches) -> Result<Vec<Ask>> {
    let count = match caches {
        Caches::OneSchool => 1,
        Caches::ManySchools => schools.all.len(),
        Caches::Cold => schools.all.len().saturating_sub(ELSEWHERE),
    };
    let mut asks = Vec::new();
    for school in schools.all.iter().take(count) {
        asks.extend(schools.asks(school, things)?);
    }
    for (number, ask) in asks.iter_mut().enumerate() {
        ask.number = number;
    }
    Ok(asks)
}

/// How many schools the engine is asked to forget the others.
const ELSEWHERE: usize = 6;

/// What to ask of a number of schools for the engine's cache to hold nothing
/// else: more than it has room for.
pub fn elsewhere(schools: &Schools) -> Vec<Ask> {
    let mut asks = Vec::new();
    for school in schools.all.iter().rev().take(ELSEWHERE) {
        let id = school.school_id;
        asks.push(Ask::new(0, id, What::Learners));
        asks.push(Ask::new(0, id, What::LearnerSubjects));
        for grade in school.grade_ids() {
            for term in 1..=4 {
                asks.push(Ask::new(0, id, What::MarksOfGrade { grade, term }));
            }
        }
    }
    asks
}
