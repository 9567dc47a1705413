//! Random sequences of actions on a small set of records, for comparing implementations.
//!
//! [`World`] is a seeded generator: the same seed gives the same sequence. Actions, lines and
//! parameters can be removed from a sequence that fails ([`Change`](crate::shrink::Change)). The
//! ids of all records are chosen from a few small sets (`ids`), so that records collide, replace
//! each other and join. Texts, references, decimals and dates are chosen from values on which
//! implementations have failed.
//!
//! The generator avoids lines that the specification leaves ambiguous: `type` twice in a line, two
//! faults in one line, JSON nested deeper than a few levels.
//!
//! | file | contents |
//! |---|---|
//! | `dice`, `ids`, `days`, `texts`, `spelling`, `fields` | random choices, and spellings of JSON |
//! | `access_records`, `people_records`, `curriculum_records`, `mark_records` | records of each kind |
//! | `batches`, `faulty`, `near_misses` | datasets |
//! | `endpoints`, `queries`, `finance_queries`, `encoding`, `requests` | requests |
//! | `v2_requests`, `v2_updates`, `walks`, `cursors` | requests of v2, and walks through collections |
//! | `action`, `perform` | sequences |

mod access_records;
mod action;
mod batches;
mod curriculum_records;
mod cursors;
mod days;
mod dice;
mod encoding;
mod endpoints;
mod faulty;
mod fields;
mod finance_queries;
mod ids;
mod mark_records;
mod near_misses;
mod people_records;
mod perform;
mod queries;
mod requests;
mod spelling;
mod texts;
mod v2_requests;
mod v2_updates;
mod walks;

use jiff::civil::Date;

pub use action::{Action, Header};
pub use cursors::{Cursors, blanked};
pub use endpoints::{ENDPOINTS, Endpoint};
pub use perform::Outcome;

use dice::Dice;
use ids::LEARNERS;
use v2_requests::Collection;

/// A seeded generator of sequences.
#[derive(Clone, Debug)]
pub struct World {
    dice: Dice,
    /// The day around which dates and clocks are chosen.
    today: Date,
    /// A school that was removed and not added again yet.
    removed: Option<u64>,
    /// First and last names of learners of the first school.
    names: Vec<(&'static str, &'static str)>,
    /// The collection of v2 that was requested last, page by page.
    walk: Option<Collection>,
}

impl World {
    /// Returns the world of a seed.
    pub fn new(seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let today = dice.anchor();
        Self {
            dice,
            today,
            removed: None,
            names: Vec::new(),
            walk: None,
        }
    }

    /// Returns a sequence whose first action fills the store.
    pub fn actions(&mut self, len: usize) -> Vec<Action> {
        let first = Action::Apply(self.dataset());
        std::iter::once(first)
            .chain((1..len).map(|_| self.action()))
            .take(len)
            .collect()
    }

    /// Returns a dataset with few valid lines, for comparing the faults that a check finds.
    pub fn faulty_dataset(&mut self, len: usize) -> Vec<String> {
        let line = |world: &mut Self| {
            let school = world.any_school();
            world.faulty_line(school)
        };
        (0..len).map(|_| line(self)).collect()
    }

    /// Returns the next action.
    pub fn action(&mut self) -> Action {
        if let Some(school) = self.removed.filter(|_| self.dice.chance(70)) {
            self.removed = None;
            let lines = self.whole_school(school);
            return if self.dice.chance(50) {
                Action::Apply(lines)
            } else {
                Action::ReplaceSchool(school, lines)
            };
        }
        let school = self.any_school();
        match self.dice.below(100) {
            0..20 => Action::Apply(self.changes()),
            20..22 => Action::ReplaceSchool(school, self.whole_school(school)),
            22 => {
                self.removed = Some(school);
                Action::RemoveSchool(school)
            }
            23..26 => Action::EraseLearner(school, self.dice.pick(&LEARNERS)),
            26..29 => Action::Reopen,
            29..31 => Action::Compact,
            _ => self.request(),
        }
    }
}
