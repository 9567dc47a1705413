"""A school whose next midnight is less than two minutes away."""

import time
from datetime import date, timedelta
from typing import NamedTuple

DAY = 86_400


class Midnight(NamedTuple):
    """The next full minute that leaves enough time to prepare the test."""

    at: int
    """The instant, in seconds since 1970-01-01T00:00:00Z."""
    school: str
    """A dataset of school 1, where another day begins at this instant, and where a learner is
    absent on that day."""


def midnight() -> Midnight:
    at = (int(time.time()) + 5) // 60 * 60 + 60
    east = -at % DAY
    if east > DAY // 2:
        east -= DAY
    sign, minutes = "-" if east < 0 else "+", abs(east) // 60
    offset = f"{sign}{minutes // 60:02}:{minutes % 60:02}"
    tomorrow = date(1970, 1, 1) + timedelta(days=(at + east) // DAY)
    return Midnight(
        at,
        f'{{"type":"school","school_id":1,"current_year":2026,"utc_offset":"{offset}"}}\n'
        f'{{"type":"absentee","school_id":1,"id":1,"learner_id":7,"absent_date":"{tomorrow}"}}\n',
    )
