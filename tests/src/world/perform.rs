//! Performs actions on the naive implementation.

use super::{Action, Cursors};
use crate::twin::{Summary, Twin, TwinAnswer};

/// The outcome of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A transaction was committed.
    Committed(Summary),
    /// A dataset was refused, with its first fault.
    Refused(String),
    /// A request was answered.
    Answered(TwinAnswer),
    /// The action has no result to compare.
    Done,
}

impl Action {
    /// Performs the action. The cursors are those that the naive implementation returned.
    pub fn perform(&self, twin: &mut Twin, cursors: &mut Cursors) -> Outcome {
        let committed = |result| match result {
            Ok(summary) => Outcome::Committed(summary),
            Err(fault) => Outcome::Refused(fault),
        };
        match self {
            Self::Apply(lines) => committed(twin.apply(lines)),
            Self::ReplaceSchool(school, lines) => committed(twin.replace_school(*school, lines)),
            Self::RemoveSchool(school) => Outcome::Committed(twin.remove_school(*school)),
            Self::EraseLearner(school, learner) => {
                Outcome::Committed(twin.erase_learner(*school, *learner))
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
