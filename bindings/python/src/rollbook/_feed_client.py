"""How a feed is asked for and taken, whatever client brings it."""

from typing import Iterable, Optional
from urllib.parse import urlencode, urlsplit

from rollbook.dataset import Listener
from rollbook.engine import Engine
from rollbook.errors import CancelledError
from rollbook.follow import FollowStopped
from rollbook.report import Progress, Summary


def target(url: str, after: Optional[str], wait: int) -> str:
    """Where what changed after a position is asked for."""
    if wait < 0:
        raise ValueError(f"a wait of {wait} seconds is none: give 0 or more")
    asked = {"after": after, "wait": wait or None}
    query = urlencode({name: value for name, value in asked.items() if value is not None})
    parts = urlsplit(url)
    queries = [each for each in (parts.query, query) if each]
    return parts._replace(query="&".join(queries), fragment="").geturl()


def has_feed(status: int) -> bool:
    """Whether a feed follows; if not, nothing changed."""
    if status not in (200, 204):
        raise FollowStopped(status)
    return status == 200


def hear(progress: Optional[Listener], reached: Progress) -> None:
    if progress is not None and progress(reached) is False:
        raise CancelledError(
            "the feed was cancelled: what came to the end of a part is kept, and the next call"
            " goes on"
        )


def taken(engine: Engine, pieces: Iterable[bytes], progress: Optional[Listener]) -> Summary:
    """Takes a feed as it comes."""
    with engine.follow() as follow:
        for piece in pieces:
            hear(progress, follow.push(piece))
        return follow.finish()
