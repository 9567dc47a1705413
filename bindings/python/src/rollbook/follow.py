"""Feeds: stores on devices that follow a server, with the data that their user may see.

:meth:`Engine.feed` returns the changes, and :meth:`Engine.follow` applies them.
:func:`rollbook.httpx.follow_from`, :func:`rollbook.httpx.follow_from_async` and
:func:`rollbook.requests.follow_from` fetch a feed with an HTTP client and apply it.
"""

from dataclasses import dataclass
from typing import Any, Iterator, Optional, Sequence, Tuple, Union

from rollbook import _native_calls
from rollbook._native_calls import Cancellable, call_native
from rollbook.load import push_piece
from rollbook.report import Progress, Summary

__all__ = ["Feed", "Follow", "FollowStopped", "SchoolInScope", "Scope"]

_native = _native_calls.native


@dataclass(frozen=True)
class SchoolInScope:
    """The part of a school that is in a scope."""

    school: int
    """The school's login id."""
    learners: Optional[Sequence[int]] = None
    """The learners in the scope, with their subjects, marks, absences and discipline, their
    parents and accountable persons. The default is all records of the school."""


@dataclass(frozen=True)
class Scope:
    """A part of a store's records, which a follower stores or an export contains::

        Scope([SchoolInScope(1000, learners=[1, 2])])

    Tables to which these records refer are always included, such as grades, terms and subjects.
    They contain no personal data. Integrators, their passwords and client integrations are never
    part of a scope.
    """

    schools: Sequence[SchoolInScope]
    """The schools in the scope, each of them once."""
    kinds: Optional[Sequence[str]] = None
    """The kinds of personal data in the scope, by the names in their ``type``. The default is all
    kinds."""


class Feed(Cancellable, Iterator[str]):
    """A feed: the changes for a follower, in pieces of about 64 KiB. Each line ends with a line
    feed.

    The lines show the store as it was when the feed was requested. If another call waits to erase,
    compact or suspend, and the feed is not read completely within five seconds, it fails as
    ``reader_ended``. The lines are personal data: send them only to a device that may see the
    scope. As a context manager it is cancelled at the end of the block.
    """

    def __next__(self) -> str:
        """Returns the next lines.

        Fails as ``io`` or ``corrupt`` if the store fails.
        """
        piece: Optional[str] = call_native(self._native.read)
        if piece is None:
            raise StopIteration
        return piece

    @property
    def has_changes(self) -> bool:
        """Whether the follower should apply the feed: its data changed, or its position will soon
        be too old for this store. Otherwise a server can answer that nothing changed."""
        changed: bool = self._native.has_changes()
        return changed

    @property
    def position(self) -> str:
        """The position of a follower that has applied the complete feed."""
        position: str = self._native.position()
        return position


class Follow(Cancellable):
    """A feed that is being received. Push its bytes in pieces of any size, then call
    :meth:`finish`.

    Each part of a feed is stored durably together with the position after it, or not at all. A
    feed may therefore be cut anywhere: complete parts are stored, and the next feed is requested
    after the position that :meth:`Engine.followed` returns. Parts that arrive late or twice change
    nothing. As a context manager it is cancelled at the end of the block unless it was finished.
    """

    def push(self, piece: Union[bytes, bytearray, memoryview]) -> Progress:
        """Receives the next bytes of the feed, and returns how many lines and bytes were received
        so far.

        Fails as ``bad_dataset`` for the first faulty line; as ``out_of_sync`` if a part does not
        begin at the position of this store; as ``diverged`` if the store differs from its source
        after a part; as ``busy`` or ``io``. After an error, every further call fails with the same
        error.
        """
        return push_piece(self._native, piece)

    def finish(self) -> Summary:
        """Ends the feed and returns a summary of its changes. If the feed removed people, this
        call also erases their data from the file of the store, which takes as long as
        :meth:`Engine.compact`.

        Fails as :meth:`push` does, and as ``bad_dataset`` if the end of the last part is missing.
        If the erasure fails, it fails as :meth:`Engine.erase_learner` does: all of the feed is
        stored, and the next feed repeats the erasure."""
        return _native_calls.summary(call_native(self._native.finish))


class FollowStopped(Exception):
    """Reports that the server sent no feed, or an incomplete one. Complete parts are stored, and
    the next call continues after them."""

    def __init__(self, status: Optional[int] = None) -> None:
        super().__init__(_message(status))
        self.status = status
        """The status of the server's answer, for example 401; None if the connection failed."""

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self), (self.status,), vars(self)


def _message(status: Optional[int]) -> str:
    if status is None:
        return (
            "the connection to the server failed: complete parts are stored, and the next call"
            " continues"
        )
    if status in (401, 403):
        return f"the server answered {status}: check the login that the client sends"
    if 300 <= status < 400:
        return (
            f"the server answered {status}: redirects are not followed: give the feed's own"
            " address"
        )
    return f"the server answered {status} and no feed: try again later"


def native_scope(scope: Scope) -> Any:
    """Converts a scope to the type of the generated module."""
    schools = [
        _native.SchoolInScope(
            school=each.school,
            learners=None if each.learners is None else list(each.learners),
        )
        for each in scope.schools
    ]
    kinds = None if scope.kinds is None else list(scope.kinds)
    return _native.Scope(schools=schools, kinds=kinds)
