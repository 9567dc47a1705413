//! Medians of many rounds. In each round, all peers answer the same asks, in a random order of the
//! peers.

use crate::peer::Peer;
use crate::spread::timed;
use anyhow::Result;
use fastrand::Rng;
use std::hint::black_box;
use std::time::Duration;

/// How long a question is measured.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// The minimum number of complete rounds, so that a slow peer's median is one of several times.
    pub rounds: usize,
    /// The minimum time for each peer. Fast peers have more rounds in this time.
    pub time: Duration,
}

/// Selects all asks in each round, in a random order.
pub fn all<'a, A>(asks: &'a [A]) -> impl FnMut(&mut Rng) -> Vec<&'a A> {
    move |random| {
        let mut asks: Vec<&A> = asks.iter().collect();
        random.shuffle(&mut asks);
        asks
    }
}

/// Selects a few random asks in each round.
pub fn some<'a, A>(asks: &'a [A]) -> impl FnMut(&mut Rng) -> Vec<&'a A> {
    move |random| (0..SOME).filter_map(|_| random.choice(asks)).collect()
}

/// The number of asks in a round of [`some`].
const SOME: usize = 16;

/// Returns the median time of one ask in nanoseconds, for each peer. Each is timed on the asks that
/// `draw` selects for a round. A fast peer has more rounds than a slow one.
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

/// Times all asks, after they were answered once untimed. If they take little time, they are
/// repeated, so that the resolution of the clock does not matter.
pub fn warm<A>(peer: &mut dyn Peer<A>, asks: &[&A], out: &mut Vec<u8>) -> Result<f64> {
    let (answered, untimed) = timed(|| once(peer, asks, out));
    answered?;
    let again = repeats(untimed);
    let (answered, took) = timed(|| (0..again).try_for_each(|_| once(peer, asks, out)));
    answered?;
    Ok(nanoseconds(took) / count(asks.len()) / f64::from(again))
}

/// Answers each of these asks.
pub fn once<A>(peer: &mut dyn Peer<A>, asks: &[&A], out: &mut Vec<u8>) -> Result<()> {
    for ask in asks {
        peer.answer(ask, out)?;
        black_box(&*out);
    }
    Ok(())
}

/// Returns how often to repeat work that took this long.
fn repeats(once: Duration) -> u32 {
    const ENOUGH: Duration = Duration::from_millis(2);
    let times = ENOUGH.as_nanos() / once.as_nanos().max(1);
    u32::try_from(times).unwrap_or(u32::MAX).clamp(1, 1000)
}

/// Returns the median.
pub fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Returns a duration in nanoseconds.
pub fn nanoseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e9
}

fn count(asks: usize) -> f64 {
    f64::from(u32::try_from(asks).unwrap_or(u32::MAX))
}
