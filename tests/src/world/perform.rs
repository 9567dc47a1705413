//! What an action does to the naive implementation.

use super::{Action, Cursors};
use crate::twin::{Summary, Twin, TwinAnswer};

/// What an action gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A transaction was kept.
    Kept(Summary),
    /// A dataset was refused, with its first fault.
    Refused(String),
    /// A request was answered.
    Answered(TwinAnswer),
    /// Nothing to tell.
    Done,
}

impl Action {
    /// Performs the action; cursors are those that the implementation itself gave.
    pub fn perform(&self, twin: &mut Twin, cursors: &mut Cursors) -> Outcome {
        let kept = |result| match result {
            Ok(summary) => Outcome::Kept(summary),
            Err(fault) => Outcome::Refused(fault),
        };
        match self {
            Self::Apply(lines) => kept(twin.apply(lines)),
            Self::ReplaceSchool(school, lines) => kept(twin.replace_school(*school, lines)),
            Self::RemoveSchool(school) => Outcome::Kept(twin.remove_school(*school)),
            Self::EraseLearner(school, learner) => {
                Outcome::Kept(twin.erase_learner(*school, *learner))
            }
            Self::Request {
                now,
                method,
                target,
                headers,
                body,
            } => {
                let answer = twin.request(*now, method, &cursors.fill(target), headers, body);
                cursors.note(&String::from_utf8_lossy(&answer.body));
                Outcome::Answered(answer)
            }
            Self::Reopen | Self::Compact => Outcome::Done,
        }
    }
}
