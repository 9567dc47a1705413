"""Instants: the moments that questions are answered for."""

from datetime import datetime
from typing import Optional, Union

Instant = Union[int, datetime]
"""Seconds since 1970-01-01T00:00:00Z, or a datetime with its time zone."""


def seconds(instant: Optional[Instant]) -> Optional[int]:
    """An instant as the engine takes it."""
    if not isinstance(instant, datetime):
        return instant
    if instant.tzinfo is None:
        raise ValueError(f"{instant!r} has no time zone: give it one, such as timezone.utc")
    return int(instant.timestamp() // 1)
