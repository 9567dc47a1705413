"""The status of a learner."""

import enum


class LearnerStatus(str, enum.Enum):
    """The status of a learner (section 3)."""

    CURRENT = "current"
    """The learner is currently at the school."""
    LEFT = "left"
    """The learner has left the school."""
    WAITLIST = "waitlist"
    """The learner is waiting for a place."""
