//! Measures cold answers: before each timed ask, the peer drops its caches, another school is asked
//! the same question, and the processor's caches are filled with other data. The page cache of the
//! operating system is unchanged.

use crate::ask::Ask;
use crate::peer::Peer;
use crate::spread::timed;
use crate::timing::{nanoseconds, once};
use anyhow::Result;
use fastrand::Rng;
use std::hint::black_box;

/// More bytes than the processor's caches contain.
const PROCESSOR_CACHES: usize = 128 << 20;

/// Returns an ask to another school, if there is one, and the ask that is timed.
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
