"""Requests and applies a feed; the part that does not depend on the HTTP client."""

from typing import Iterable, Optional
from urllib.parse import urlencode, urlsplit

from rollbook.dataset import Listener
from rollbook.engine import Engine
from rollbook.errors import CancelledError
from rollbook.follow import FollowStopped
from rollbook.report import Progress, Summary


def target(url: str, after: Optional[str], wait: int) -> str:
    """Returns the URL that requests the changes after a position."""
    if not isinstance(wait, int):
        raise TypeError(f"a wait of {wait!r} seconds is invalid: give an int")
    if wait < 0:
        raise ValueError(f"a wait of {wait} seconds is invalid: give 0 or more")
    asked = {"after": after, "wait": wait or None}
    query = urlencode({name: value for name, value in asked.items() if value is not None})
    parts = urlsplit(url)
    queries = [each for each in (parts.query, query) if each]
    return parts._replace(query="&".join(queries), fragment="").geturl()


def has_feed(status: int) -> bool:
    """Returns whether a response contains a feed. If it does not, nothing changed. Raises
    :class:`FollowStopped` for any other status."""
    if status not in (200, 204):
        raise FollowStopped(status)
    return status == 200


def report_progress(progress: Optional[Listener], reached: Progress) -> None:
    if progress is not None and progress(reached) is False:
        raise CancelledError(
            "the feed was cancelled: complete parts are stored, and the next call"
            " continues"
        )


def apply_feed(engine: Engine, pieces: Iterable[bytes], progress: Optional[Listener]) -> Summary:
    """Applies a feed while it is received."""
    with engine.follow() as follow:
        for piece in pieces:
            report_progress(progress, follow.push(piece))
        return follow.finish()
