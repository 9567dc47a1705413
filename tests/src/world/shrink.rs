//! Sequences as a proptest strategy: generated as a whole from a seed, shrunk by leaving out actions, then
//! lines of datasets, then parameters of requests.

use proptest::collection::SizeRange;
use proptest::prelude::Rng as _;
use proptest::strategy::{NewTree, Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use super::{Action, World};

/// Sequences of actions; the first of each fills the store.
pub fn actions(len: impl Into<SizeRange>) -> impl Strategy<Value = Vec<Action>> {
    let len = len.into();
    Sequences {
        least: len.start(),
        most: len.end_incl(),
    }
}

#[derive(Debug)]
struct Sequences {
    least: usize,
    most: usize,
}

impl Strategy for Sequences {
    type Tree = Sequence;
    type Value = Vec<Action>;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let random = runner.rng();
        let span = u64::try_from(self.most - self.least + 1).expect("a small span");
        let more = usize::try_from(random.next_u64() % span).expect("a small span");
        let actions = World::new(random.next_u64()).actions(self.least + more);
        Ok(Sequence::of(actions))
    }
}

/// What a step of shrinking leaves out.
#[derive(Clone, Copy, Debug)]
enum Part {
    Actions,
    Lines,
    Parameters,
}

/// A sequence while it shrinks: runs of parts are left out, the runs ever shorter, from the end to the start.
#[derive(Debug)]
struct Sequence {
    actions: Vec<Action>,
    before: Option<Vec<Action>>,
    part: Part,
    run: usize,
    end: usize,
    /// Something was left out for good since the rounds began.
    fewer: bool,
}

impl Sequence {
    fn of(actions: Vec<Action>) -> Self {
        let run = actions.len();
        Self {
            end: run,
            actions,
            before: None,
            part: Part::Actions,
            run,
            fewer: false,
        }
    }

    /// How many parts there are to leave out.
    fn count(&self) -> usize {
        match self.part {
            Part::Actions => self.actions.len(),
            Part::Lines => self
                .actions
                .iter()
                .filter_map(Action::lines)
                .map(<[String]>::len)
                .sum(),
            Part::Parameters => self
                .actions
                .iter()
                .map(|action| action.parameters().len())
                .sum(),
        }
    }

    /// The actions without the parts from `start` to before `end`.
    fn without(&self, start: usize, end: usize) -> Vec<Action> {
        let mut place = 0;
        let mut kept = |_: &mut String| {
            place += 1;
            !(start < place && place <= end)
        };
        let mut actions = self.actions.clone();
        match self.part {
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

    /// Goes on with shorter runs, then with smaller parts, then all over as long as that helps.
    fn next_round(&mut self) -> bool {
        if self.run > 1 {
            self.run /= 2;
        } else {
            self.part = match self.part {
                Part::Actions => Part::Lines,
                Part::Lines => Part::Parameters,
                Part::Parameters if self.fewer => Part::Actions,
                Part::Parameters => return false,
            };
            self.fewer &= !matches!(self.part, Part::Actions);
            self.run = self.count().max(1);
        }
        self.end = self.count();
        true
    }
}

impl ValueTree for Sequence {
    type Value = Vec<Action>;

    fn current(&self) -> Vec<Action> {
        self.actions.clone()
    }

    fn simplify(&mut self) -> bool {
        self.fewer |= self.before.take().is_some();
        while self.end == 0 {
            if !self.next_round() {
                return false;
            }
        }
        self.end = self.end.min(self.count());
        let start = self.end.saturating_sub(self.run);
        let fewer = self.without(start, self.end);
        self.end = start;
        self.before = Some(std::mem::replace(&mut self.actions, fewer));
        true
    }

    fn complicate(&mut self) -> bool {
        match self.before.take() {
            Some(before) => {
                self.actions = before;
                true
            }
            None => false,
        }
    }
}
