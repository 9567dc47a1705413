//! Shrinks a sequence of changes that fails to the changes that are necessary.

use std::time::{Duration, Instant};

/// A kind of parts that can be removed from a change without removing the change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The lines of a dataset.
    Line,
    /// The parameters of a request.
    Parameter,
}

/// A change in a random world.
pub trait Change: Clone {
    /// Removes each part of this kind for which `stays` returns false. `stays` is called once for
    /// each part, in order. By default, a change has no parts.
    fn retain(&mut self, part: Part, stays: &mut dyn FnMut() -> bool) {
        let _ = (part, stays);
    }
}

/// Returns a shorter sequence that still fails, as short as the time permits. It removes ever
/// shorter ranges of changes, from the end to the start; then lines of datasets, then parameters of
/// requests. It repeats this while the sequence becomes shorter.
pub fn shrunk<C: Change>(
    mut changes: Vec<C>,
    time: Duration,
    mut fails: impl FnMut(&[C]) -> bool,
) -> Vec<C> {
    let end = Instant::now() + time;
    let mut is_shorter = true;
    while is_shorter {
        is_shorter = false;
        for part in [None, Some(Part::Line), Some(Part::Parameter)] {
            let mut run = count(&changes, part);
            while run > 0 {
                let mut start = count(&changes, part);
                while start > 0 && Instant::now() < end {
                    let stop = start.min(count(&changes, part));
                    start = stop.saturating_sub(run);
                    let rest = without(&changes, part, start, stop);
                    if fails(&rest) {
                        changes = rest;
                        is_shorter = true;
                    }
                }
                run /= 2;
            }
        }
    }
    changes
}

/// Returns the number of changes, or of their parts of this kind.
fn count<C: Change>(changes: &[C], part: Option<Part>) -> usize {
    let Some(part) = part else {
        return changes.len();
    };
    let mut count = 0;
    for mut change in changes.iter().cloned() {
        change.retain(part, &mut || {
            count += 1;
            true
        });
    }
    count
}

/// Returns the changes without those (or without the parts) in `start..end`.
fn without<C: Change>(changes: &[C], part: Option<Part>, start: usize, end: usize) -> Vec<C> {
    let mut changes = changes.to_vec();
    let Some(part) = part else {
        changes.drain(start..end);
        return changes;
    };
    let mut place = 0;
    for change in &mut changes {
        change.retain(part, &mut || {
            place += 1;
            !(start < place && place <= end)
        });
    }
    changes
}
