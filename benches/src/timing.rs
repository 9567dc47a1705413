//! Medians of many rounds: in each, everything that is compared answers the
//! same asks, in an order of its own.

use crate::peer::Peer;
use crate::spread::timed;
use anyhow::Result;
use fastrand::Rng;
use std::hint::black_box;
use std::time::Duration;

/// How long to go on with a question.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Rounds at least; whole, so that a slow peer's median is one of several.
    pub rounds: usize,
    /// For what is fast, as many more as this time allows.
    pub time: Duration,
}

/// All asks in each round, in a random order.
pub fn all<'a, A>(asks: &'a [A]) -> impl FnMut(&mut Rng) -> Vec<&'a A> {
    move |random| {
        let mut asks: Vec<&A> = asks.iter().collect();
        random.shuffle(&mut asks);
        asks
    }
}

/// A few asks in each round, taken at random.
pub fn some<'a, A>(asks: &'a [A]) -> impl FnMut(&mut Rng) -> Vec<&'a A> {
    move |random| (0..SOME).filter_map(|_| random.choice(asks)).collect()
}

/// Asks in a round of some.
const SOME: usize = 16;

/// Median nanoseconds of one ask, for each of those compared: each is timed on
/// the asks that are drawn for a round, and what takes less than the rest has
/// more rounds.
pub fn medians<'a, A: 'a>(
    compared: &mut [Box<dyn Peer<A> + '_>],
    mut draw: impl FnMut(&mut Rng) -> Vec<&'a A>,
    mut time: impl FnMut(&mut dyn Peer<A>, &[&A], &mut Vec<u8>) -> Result<f64>,
    effort: Effort,
) -> Result<Vec<f64>> {
    let mut random = Rng::with_seed(1);
    let mut times: Vec<(Duration, Vec<f64>)> = vec![(Duration::ZERO, Vec::new()); compared.len()];
    let mut order: Vec<usize> = (0..compared.len()).collect();
    let mut out = Vec::new();
    for round in 0.. {
        let has_time = |at| times.get(at).is_some_and(|(spent, _)| *spent < effort.time);
        order.retain(|at| round < effort.rounds || has_time(*at));
        if order.is_empty() {
            break;
        }
        random.shuffle(&mut order);
        let asks = draw(&mut random);
        for at in &order {
            let (Some(peer), Some((spent, times))) = (compared.get_mut(*at), times.get_mut(*at))
            else {
                continue;
            };
            let (time, took) = timed(|| time(peer.as_mut(), &asks, &mut out));
            *spent += took;
            times.push(time?);
        }
    }
    Ok(times
        .into_iter()
        .map(|(_, mut times)| median(&mut times))
        .collect())
}

/// Times all asks, once they were answered untimed. What takes little time is
/// asked them many times over, so that the clock's own grain does not show.
pub fn warm<A>(peer: &mut dyn Peer<A>, asks: &[&A], out: &mut Vec<u8>) -> Result<f64> {
    let (answered, untimed) = timed(|| once(peer, asks, out));
    answered?;
    let again = repeats(untimed);
    let (answered, took) = timed(|| (0..again).try_for_each(|_| once(peer, asks, out)));
    answered?;
    Ok(nanoseconds(took) / count(asks.len()) / f64::from(again))
}

/// Has each of these asks answered.
pub fn once<A>(peer: &mut dyn Peer<A>, asks: &[&A], out: &mut Vec<u8>) -> Result<()> {
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
