"""Devices that follow a server, each the part that its user may see.

:meth:`Engine.feed` hands out what changed, and :meth:`Engine.follow` takes it in.
:func:`rollbook.httpx.follow_from`, :func:`rollbook.httpx.follow_from_async` and
:func:`rollbook.requests.follow_from` bring the one to the other by an HTTP client.
"""

from dataclasses import dataclass
from typing import Any, Iterator, Optional, Sequence, Union

from rollbook import _crossing
from rollbook._crossing import Cancellable, called
from rollbook.load import pushed
from rollbook.report import Progress, Summary

__all__ = ["Feed", "Follow", "FollowStopped", "SchoolInScope", "Scope"]

_native = _crossing.native


@dataclass(frozen=True)
class SchoolInScope:
    """What of a school is in a scope."""

    school: int
    """The school's login id."""
    learners: Optional[Sequence[int]] = None
    """The learners who are in it, with their subjects, marks, absences and discipline, their
    parents and accountable persons; everybody unless given."""


@dataclass(frozen=True)
class Scope:
    """A part of a store's records: what a follower may hold, and an export of a part has::

        Scope([SchoolInScope(1000, learners=[1, 2])])

    The tables that records name come along: grades, terms, subjects and the like, which
    tell of nobody. Integrators, their passwords and client integrations are never in it.
    """

    schools: Sequence[SchoolInScope]
    """The schools of which anything is in it, each once."""
    kinds: Optional[Sequence[str]] = None
    """The kinds of records that tell of people, by the names that their ``type`` bears; all
    unless given."""


class Feed(Cancellable, Iterator[str]):
    """What changed for a follower, in pieces of about 64 KiB; each line ends with its line
    feed.

    Its lines are those of the moment at which it was asked for. It fails as
    ``reader_ended`` if another call waits to erase, compact or suspend, and it is not read
    to its end within five seconds. The lines are personal data: hand them to the device
    alone that may see the scope. As a context manager it is cancelled at the end.
    """

    def __next__(self) -> str:
        """The next lines.

        Fails as ``io`` or ``corrupt`` if the store fails.
        """
        piece: Optional[str] = called(self._native.read)
        if piece is None:
            raise StopIteration
        return piece

    @property
    def has_changes(self) -> bool:
        """Whether the follower should take the feed: anything changed for it, or its position
        is one that this store will forget before long. Else a server answers that nothing
        changed."""
        changed: bool = self._native.has_changes()
        return changed

    @property
    def position(self) -> str:
        """Where a follower is that has taken all of it."""
        position: str = self._native.position()
        return position


class Follow(Cancellable):
    """A feed on its way in: push its bytes in pieces of any size, then finish.

    Each part of a feed is kept whole with the position behind it, durably, or not at all. So
    a feed may be cut anywhere: what came to its end is kept, and the next feed is asked for
    after what :meth:`Engine.followed` gives. Parts that come late or twice change nothing.
    As a context manager it is cancelled at the end unless it was finished.
    """

    def push(self, piece: Union[bytes, bytearray, memoryview]) -> Progress:
        """Takes the next bytes of the feed, and says how far it has come.

        Fails as ``bad_dataset`` for the first faulty line; as ``out_of_sync`` if a part does
        not begin where this store is; as ``diverged`` if the store differs from its source
        after a part; as ``busy`` or ``io``. It is over then, and every further call gives the
        same error.
        """
        return pushed(self._native, piece)

    def finish(self) -> Summary:
        """Ends the feed; says what it changed. If people are no longer in it, nothing of them
        stays in the file of the store: that takes as long as :meth:`Engine.compact`.

        Fails as :meth:`push`, and as ``bad_dataset`` if its last part lacks its end; as
        :meth:`Engine.erase_learner` if erasing fails: all of the feed was taken then, and the
        next one tries again."""
        return _crossing.summary(called(self._native.finish))


class FollowStopped(Exception):
    """No feed came from the server, or not all of one. What came to the end of a part is
    kept, and the next call goes on."""

    def __init__(self, status: Optional[int] = None) -> None:
        super().__init__(_words(status))
        self.status = status
        """What the server answered, as 401; None if the connection failed."""


def _words(status: Optional[int]) -> str:
    if status is None:
        return (
            "the connection to the server failed: what came to the end of a part is kept,"
            " and the next call goes on"
        )
    if status in (401, 403):
        return f"the server answered {status}: check the login that the client sends"
    if 300 <= status < 400:
        return f"the server answered {status}: no redirect is followed, give the feed's own address"
    return f"the server answered {status} and no feed: try again later"


def native_scope(scope: Scope) -> Any:
    """A scope as the engine takes it."""
    schools = [
        _native.SchoolInScope(
            school=each.school,
            learners=None if each.learners is None else list(each.learners),
        )
        for each in scope.schools
    ]
    kinds = None if scope.kinds is None else list(scope.kinds)
    return _native.Scope(schools=schools, kinds=kinds)
