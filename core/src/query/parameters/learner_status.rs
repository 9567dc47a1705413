//! The status of a learner.

/// The status of a learner (section 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum LearnerStatus {
    /// The learner is currently at the school.
    #[default]
    Current,
    /// The learner has left the school.
    Left,
    /// The learner is waiting for a place.
    Waitlist,
}
