//! The result of answering a question, and the writer of an answer's array.

use crate::json::OutputBuffer;
use crate::query::parameters::validation_errors::{Rule, ValidationErrors};

/// The result of answering a question.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The buffer contains the answer.
    Found,
    /// No records match.
    Nothing,
    /// The requested record does not exist, or the integrator has no access to it.
    NoRecord,
    /// The parameters are invalid.
    Refused(ValidationErrors),
    /// The integrator has no access to this school.
    Unauthorised,
}

impl From<Rule> for Outcome {
    fn from(rule: Rule) -> Outcome {
        Outcome::Refused(ValidationErrors::from(rule))
    }
}

/// A JSON array that is being written. An array that remains empty is removed from the buffer.
pub(crate) struct ArrayWriter {
    start: usize,
}

impl ArrayWriter {
    pub(crate) fn open(out: &mut OutputBuffer<'_>) -> ArrayWriter {
        let start = out.len();
        out.push(b"[");
        ArrayWriter { start }
    }

    /// Ends an array of which each element is followed by a comma. Returns the given outcome, or
    /// [`Nothing`](Outcome::Nothing) if the array is empty. If the result is not
    /// [`Found`](Outcome::Found), everything that was written is removed.
    pub(crate) fn close(self, outcome: Outcome, out: &mut OutputBuffer<'_>) -> Outcome {
        if outcome == Outcome::Found && out.len() > self.start + 1 {
            out.pop();
            out.push(b"]");
            return Outcome::Found;
        }
        out.truncate(self.start);
        match outcome {
            Outcome::Found => Outcome::Nothing,
            other => other,
        }
    }
}
