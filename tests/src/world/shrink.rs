//! A sequence that fails, shrunk by leaving out actions, then lines of datasets, then parameters of requests.

use std::time::{Duration, Instant};

use super::Action;

/// What a step of shrinking leaves out.
#[derive(Clone, Copy, Debug)]
enum Part {
    Actions,
    Lines,
    Parameters,
}

/// What is left of a sequence that fails, as far as there is time: runs of parts are left out, the runs ever
/// shorter, from the end to the start, all over as long as that helps.
pub fn shrunk(
    mut actions: Vec<Action>,
    time: Duration,
    mut fails: impl FnMut(&[Action]) -> bool,
) -> Vec<Action> {
    let end = Instant::now() + time;
    let mut fewer = true;
    while fewer {
        fewer = false;
        for part in [Part::Actions, Part::Lines, Part::Parameters] {
            let mut run = count(&actions, part);
            while run > 0 {
                let mut start = count(&actions, part);
                while start > 0 && Instant::now() < end {
                    let stop = start.min(count(&actions, part));
                    start = stop.saturating_sub(run);
                    let rest = without(&actions, part, start, stop);
                    if fails(&rest) {
                        actions = rest;
                        fewer = true;
                    }
                }
                run /= 2;
            }
        }
    }
    actions
}

/// How many parts there are to leave out.
fn count(actions: &[Action], part: Part) -> usize {
    let of = |action: &Action| match part {
        Part::Actions => 1,
        Part::Lines => action.lines().map_or(0, <[String]>::len),
        Part::Parameters => action.parameters().len(),
    };
    actions.iter().map(of).sum()
}

/// The actions without the parts from `start` to before `end`.
fn without(actions: &[Action], part: Part, start: usize, end: usize) -> Vec<Action> {
    let mut place = 0;
    let mut kept = |_: &mut String| {
        place += 1;
        !(start < place && place <= end)
    };
    let mut actions = actions.to_vec();
    match part {
        Part::Actions => {
            actions.drain(start..end);
        }
        Part::Lines => {
            for lines in actions.iter_mut().filter_map(Action::lines_mut) {
                lines.retain_mut(&mut kept);
            }
        }
        Part::Parameters => {
            for action in &mut actions {
                let mut parameters = action.parameters();
                parameters.retain_mut(&mut kept);
                action.set_parameters(&parameters);
            }
        }
    }
    actions
}
