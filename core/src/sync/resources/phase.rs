//! The phases of a pass.

/// A phase of a pass: requests whose replies determine what the next phase requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    Start,
    Lists,
    /// Learners' subjects and the structures of marks, which show the current year.
    Year,
    Marks,
    Rest,
    /// Requests that result from what was published.
    Follow,
    /// Requests that are repeated to detect whether the answers have changed during the pass, with
    /// the number of the round.
    Revalidate(u8),
    /// A quarantined answer was approved after the pass, and must be published.
    Approved,
    Done,
}
