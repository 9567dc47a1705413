"""The instants for which requests and questions are answered."""

from datetime import datetime
from typing import Optional, Union

Instant = Union[int, datetime]
"""Seconds since 1970-01-01T00:00:00Z, or a datetime with a time zone."""


def seconds(instant: Optional[Instant]) -> Optional[int]:
    """Converts an instant to seconds since 1970-01-01T00:00:00Z."""
    if not isinstance(instant, datetime):
        return instant
    if instant.tzinfo is None:
        raise ValueError(f"{instant!r} has no time zone: give it one, such as timezone.utc")
    return int(instant.timestamp() // 1)
