//! Statistics of repeated measurements.

use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// Statistics of the times of one operation, in seconds.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Spread {
    /// The number of times.
    pub count: usize,
    /// The median.
    pub median: f64,
    /// The 99th percentile.
    pub p99: f64,
    /// The maximum.
    pub longest: f64,
}

impl Spread {
    /// Returns the statistics of these times. Without any times, they are not numbers.
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

/// Runs some work, and returns its result and its time.
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
