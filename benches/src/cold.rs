//! Cold: before each timed ask everything has been forgotten, another school was
//! asked the same question, and the processor's caches hold something else. The
//! system's own cache of the files stays as it is.

use crate::ask::Ask;
use crate::peer::Peer;
use crate::spread::timed;
use crate::timing::{nanoseconds, once};
use anyhow::Result;
use fastrand::Rng;
use std::hint::black_box;

/// More than the processor's caches hold.
const PROCESSOR_CACHES: usize = 128 << 20;

/// An ask of another school, if there is one, and the ask that is timed.
pub fn pair<'a>(asks: &'a [Ask]) -> impl FnMut(&mut Rng) -> Vec<&'a Ask> {
    move |random| {
        let ask = random.choice(asks);
        let others = asks
            .iter()
            .filter(|other| ask.is_some_and(|ask| ask.school != other.school));
        let other = random.choice(others.collect::<Vec<_>>());
        other.into_iter().chain(ask).collect()
    }
}

/// Times the last of these asks.
pub fn cold() -> impl FnMut(&mut dyn Peer, &[&Ask], &mut Vec<u8>) -> Result<f64> {
    let mut elsewhere = vec![1_u8; PROCESSOR_CACHES];
    move |peer, asks, out| {
        let Some((ask, others)) = asks.split_last() else {
            return Ok(f64::NAN);
        };
        peer.forget()?;
        once(peer, others, out)?;
        for byte in elsewhere.iter_mut().step_by(64) {
            *byte = byte.wrapping_add(1);
        }
        black_box(&elsewhere);
        let (answered, took) = timed(|| once(peer, &[ask], out));
        answered.map(|()| nanoseconds(took))
    }
}
