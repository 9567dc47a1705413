//! Medians of many rounds: in each, everything that is compared answers the
//! same asks, in an order of its own.

use crate::ask::Ask;
use crate::peer::Peer;
use anyhow::Result;
use fastrand::Rng;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// How long to go on with a question.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Rounds at least; whole, so that a slow peer's median is one of several.
    pub rounds: usize,
    /// For what is fast, as many more as this time allows.
    pub time: Duration,
}

/// A round's asks, the same for all.
pub trait Draw<A> {
    /// The asks of the next round.
    fn next(&mut self, random: &mut Rng) -> Vec<&A>;
}

/// All asks of one school, in a random order.
pub struct OneSchool<'a, A>(pub &'a [A]);

impl<A> Draw<A> for OneSchool<'_, A> {
    fn next(&mut self, random: &mut Rng) -> Vec<&A> {
        let mut asks: Vec<&A> = self.0.iter().collect();
        random.shuffle(&mut asks);
        asks
    }
}

/// Asks of schools at random.
pub struct ManySchools<'a>(pub &'a [Ask]);

impl Draw<Ask> for ManySchools<'_> {
    fn next(&mut self, random: &mut Rng) -> Vec<&Ask> {
        (0..ASKS_OF_MANY)
            .filter_map(|_| self.0.get(random.usize(..self.0.len())))
            .collect()
    }
}

/// Asks in a round over many schools.
const ASKS_OF_MANY: usize = 16;

/// Median nanoseconds of one ask, for each of those compared.
///
/// Each has the round's asks once untimed and then timed. What takes little
/// time is asked them many times over in each round, so that the clock's own
/// grain does not show, and what takes less than the rest has more rounds.
pub fn medians<A>(
    compared: &mut [Box<dyn Peer<A> + '_>],
    draw: &mut dyn Draw<A>,
    effort: Effort,
) -> Result<Vec<f64>> {
    let mut random = Rng::with_seed(1);
    let mut times: Vec<Vec<f64>> = vec![Vec::new(); compared.len()];
    let mut spent = vec![Duration::ZERO; compared.len()];
    let mut order: Vec<usize> = (0..compared.len()).collect();
    let mut out = Vec::new();
    for round in 0.. {
        let share = effort.time;
        order.retain(|at| round < effort.rounds || spent.get(*at).is_some_and(|s| *s < share));
        if order.is_empty() {
            break;
        }
        random.shuffle(&mut order);
        let asks = draw.next(&mut random);
        for at in &order {
            let (Some(peer), Some(times), Some(spent)) = (
                compared.get_mut(*at),
                times.get_mut(*at),
                spent.get_mut(*at),
            ) else {
                continue;
            };
            let untimed = Instant::now();
            once(peer.as_mut(), &asks, &mut out)?;
            let again = repeats(untimed.elapsed());
            let start = Instant::now();
            for _ in 0..again {
                once(peer.as_mut(), &asks, &mut out)?;
            }
            let took = start.elapsed();
            *spent += untimed.elapsed();
            times.push(nanoseconds(took) / count(asks.len()) / f64::from(again));
        }
    }
    Ok(times
        .into_iter()
        .map(|mut times| median(&mut times))
        .collect())
}

/// Median nanoseconds of an ask of a school that none of their caches holds:
/// each has forgotten everything, has then answered the same question for
/// another school, and the processor's caches hold something else.
pub fn cold_medians(
    compared: &mut [Box<dyn Peer + '_>],
    asks: &[Ask],
    rounds: usize,
) -> Result<Vec<f64>> {
    let mut random = Rng::with_seed(2);
    let mut times: Vec<Vec<f64>> = vec![Vec::new(); compared.len()];
    let mut order: Vec<usize> = (0..compared.len()).collect();
    let mut out = Vec::new();
    let mut elsewhere = vec![1_u8; PROCESSOR_CACHES];
    for _ in 0..rounds {
        random.shuffle(&mut order);
        let Some(ask) = random.choice(asks) else {
            break;
        };
        let others: Vec<&Ask> = asks.iter().filter(|a| a.school != ask.school).collect();
        let other = random.choice(&others);
        for at in &order {
            let (Some(peer), Some(times)) = (compared.get_mut(*at), times.get_mut(*at)) else {
                continue;
            };
            peer.forget()?;
            if let Some(other) = other {
                peer.answer(other, &mut out)?;
            }
            for byte in elsewhere.iter_mut().step_by(64) {
                *byte = byte.wrapping_add(1);
            }
            black_box(&elsewhere);
            let start = Instant::now();
            peer.answer(ask, &mut out)?;
            times.push(nanoseconds(start.elapsed()));
            black_box(&out);
        }
    }
    Ok(times
        .into_iter()
        .map(|mut times| median(&mut times))
        .collect())
}

/// More than the processor's caches hold.
const PROCESSOR_CACHES: usize = 128 << 20;

fn once<A>(peer: &mut dyn Peer<A>, asks: &[&A], out: &mut Vec<u8>) -> Result<()> {
    for ask in asks {
        peer.answer(ask, out)?;
        black_box(&*out);
    }
    Ok(())
}

/// How often to repeat what took this long.
fn repeats(once: Duration) -> u32 {
    const ENOUGH: Duration = Duration::from_millis(2);
    let times = ENOUGH.as_nanos() / once.as_nanos().max(1);
    u32::try_from(times).unwrap_or(u32::MAX).clamp(1, 1000)
}

/// The middle one of these.
pub fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

/// A duration as nanoseconds.
pub fn nanoseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e9
}

fn count(asks: usize) -> f64 {
    f64::from(u32::try_from(asks).unwrap_or(u32::MAX))
}
