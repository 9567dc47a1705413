//! How long the same thing took many times over.

use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// Times of one thing, in seconds.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Spread {
    /// How many there are.
    pub count: usize,
    /// The middle one.
    pub median: f64,
    /// The one that 99 of 100 are not above.
    pub p99: f64,
    /// The longest.
    pub longest: f64,
}

impl Spread {
    /// Of these times; of none, not a number.
    pub fn new(mut times: Vec<Duration>) -> Spread {
        times.sort_unstable();
        let at = |place: usize| times.get(place).map_or(f64::NAN, Duration::as_secs_f64);
        Spread {
            count: times.len(),
            median: at(times.len() / 2),
            p99: at(times.len() * 99 / 100),
            longest: at(times.len().saturating_sub(1)),
        }
    }
}

/// What some work gives, and how long it took.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let done = work();
    (done, start.elapsed())
}

#[cfg(test)]
mod tests {
    use super::Spread;
    use std::time::Duration;

    #[test]
    fn of_a_hundred_and_one() {
        let spread = Spread::new((0..=100).rev().map(Duration::from_secs).collect());
        let times = (spread.median, spread.p99, spread.longest);
        assert_eq!((spread.count, times), (101, (50.0, 99.0, 100.0)));
        assert!(Spread::new(Vec::new()).median.is_nan());
    }
}
