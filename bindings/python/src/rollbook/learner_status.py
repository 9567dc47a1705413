"""The states of a learner."""

import enum


class LearnerStatus(str, enum.Enum):
    """The state of a learner (section 3)."""

    CURRENT = "current"
    """At the school now."""
    LEFT = "left"
    """Transferred away."""
    WAITLIST = "waitlist"
    """Waiting for a place."""
