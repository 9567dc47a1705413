"""A school that is filled from the service, and kept in step with it.

:meth:`Engine.sync` begins it. :func:`rollbook.httpx.sync_with`,
:func:`rollbook.httpx.sync_with_async` and :func:`rollbook.requests.sync_with` drive it
by an HTTP client; whoever has another one drives it as they do::

    while True:
        now = int(time.time())
        step = sync.next(now)
        if isinstance(step, Send):
            status, retry_after, body = send(step.call)
            sync.take(step.call.id, now, Reply(status, body, retry_after))
        elif isinstance(step, Wait):
            time.sleep(max(0, step.until - time.time()))
        else:
            return step  # Done or Stop
"""

import enum
from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple, Optional, Sequence, Union

from rollbook import _crossing
from rollbook._crossing import called
from rollbook.instant import Instant, seconds

__all__ = [
    "Call",
    "Coverage",
    "Covered",
    "Done",
    "GivenUp",
    "NoReply",
    "Outcome",
    "RefusedState",
    "Reply",
    "Send",
    "Step",
    "Stop",
    "Sync",
    "SyncProgress",
    "SyncReport",
    "SyncStopped",
    "Taken",
    "Wait",
    "Why",
]

_native = _crossing.native


class Call(NamedTuple):
    """What is to be sent with the credentials of the integrator. Redirects to another
    origin must not be followed: they would take the credentials along."""

    id: int
    """Tells its reply from others."""
    method: str
    """The HTTP method, in upper case."""
    target: str
    """The path and the query string, to be put behind the service's address."""
    body: str
    """The body, JSON; empty for ``GET``."""


class Reply(NamedTuple):
    """What the service answered to a call."""

    status: int
    """The status, as 200."""
    body: bytes
    """The whole body."""
    retry_after: Optional[str] = None
    """The value of the header ``Retry-After``, if there is one."""

    def __repr__(self) -> str:
        """The reply without its body, which holds personal data."""
        return f"Reply({self.status}, {len(self.body)} bytes, {self.retry_after!r})"


class NoReply(enum.Enum):
    """Why there is no reply to a call."""

    OFFLINE = "OFFLINE"
    """There is no network. It does not count as an attempt."""
    TIMEOUT = "TIMEOUT"
    """None came in time."""
    CUT = "CUT"
    """The connection was cut."""


class Outcome(enum.Enum):
    """What was made of a reply."""

    KEPT = "KEPT"
    """It was read whole, and is published with the pass."""
    SAME = "SAME"
    """It was read whole, and is as it was."""
    RETRY = "RETRY"
    """It is to be asked for again; the next step says when."""
    GIVEN_UP = "GIVEN_UP"
    """It says that this may not be had, or cannot be read: the rest goes on without."""
    STALE = "STALE"
    """Nobody waits for it any more."""


class Taken(NamedTuple):
    """What was made of a reply, and when it is asked for again."""

    outcome: Outcome
    """What was made of it."""
    at: Optional[int] = None
    """With ``RETRY``: not before this instant, in seconds since 1970-01-01T00:00:00Z."""


class Why(enum.Enum):
    """Why a sync stopped."""

    UNAUTHORISED = "UNAUTHORISED"
    """The service says 401: the credentials are wrong, or the school has not authorised
    the integrator."""
    FORGOTTEN = "FORGOTTEN"
    """The school was removed, or is no longer to be synced."""
    INCOMPLETE = "INCOMPLETE"
    """The school's record or its current learners could not be had: without them nothing
    is published."""
    SUPERSEDED = "SUPERSEDED"
    """Another sync of the school was started since."""


class SyncStopped(Exception):
    """A sync cannot go on. What was published is answered."""

    def __init__(self, why: Why) -> None:
        super().__init__(_STOPPED[why])
        self.why = why
        """The reason."""


_STOPPED = {
    Why.UNAUTHORISED: "the service answered 401: check the credentials, and that the school"
    " has authorised the integrator",
    Why.FORGOTTEN: "the school was removed, or is no longer to be synced: begin a new sync if"
    " it should be",
    Why.INCOMPLETE: "the school's record or its current learners could not be had, so that"
    " nothing was published: try again later",
    Why.SUPERSEDED: "another sync of the school was begun since: let that one go on",
}


@dataclass(frozen=True)
class GivenUp:
    """A call that came to nothing."""

    target: str
    """The path and the query string."""
    why: str
    """Why, in words."""


@dataclass(frozen=True)
class RefusedState:
    """A state update that the service refused."""

    api_type_id: int
    """The API type."""
    state: bool
    """The state that was asked for."""
    status: int
    """The HTTP status."""


@dataclass(frozen=True)
class SyncReport:
    """What a pass came to. It names targets and members, and never a value of an answer."""

    replies: int
    """How many replies were taken."""
    same: int
    """How many of them were as before."""
    given_up: Sequence[GivenUp]
    """What was given up, so that it is not synced."""
    held: Sequence[str]
    """What was held back, since it would have taken away much of what is kept: its old
    records are still answered. :meth:`Sync.confirm` says that it is right."""
    unknown: Sequence[str]
    """Members of answers that are unknown, as ``record: member``."""
    refused: Sequence[RefusedState]
    """State updates that the service refused: the states are what they were before."""
    unsettled: Sequence[str]
    """What the service changed again and again while it was asked, so that one answer may
    be older than another. The next pass asks for it."""


@dataclass(frozen=True)
class SyncProgress:
    """How far a pass has come."""

    answered: int
    """How many answers there are."""
    left: int
    """How many are known to be still asked for. Answers tell what else there is to ask, so
    that it grows at first."""
    in_flight: int
    """How many calls are out."""


@dataclass(frozen=True)
class Covered:
    """A kind of what was seen of a school."""

    what: str
    """What it is, as ``not_synced`` calls it: ``the current learners``."""
    year: Optional[int]
    """The administrative year, of what is of one year."""
    first_day: Optional[date]
    """The first day, of what is of days;"""
    last_day: Optional[date]
    """and the last."""
    count: int
    """Of how many learners, grades, or terms of a grade it was seen; 1 of all else."""
    as_of: int
    """When the oldest of it was seen, in seconds since 1970-01-01T00:00:00Z."""


@dataclass(frozen=True)
class Coverage:
    """What was seen of a school that is synced."""

    as_of: Optional[int]
    """When the oldest of it was seen, in seconds since 1970-01-01T00:00:00Z; None if
    nothing was."""
    seen: Sequence[Covered]
    """What was seen, kind by kind."""
    erased: int
    """How many learners were erased, whom sync does not bring back."""


@dataclass(frozen=True)
class Send:
    """Send this, and hand in the reply. It is not said again while it is out."""

    call: Call
    """What to send."""


@dataclass(frozen=True)
class Wait:
    """Nothing can be sent now. Ask for the next step at this instant, or as soon as a
    reply was handed in."""

    until: int
    """The instant, in seconds since 1970-01-01T00:00:00Z."""


@dataclass(frozen=True)
class Done:
    """All is published."""

    report: SyncReport
    """What it came to."""


@dataclass(frozen=True)
class Stop:
    """It cannot go on, and says so from now on. What was published is answered."""

    why: Why
    """The reason."""


Step = Union[Send, Wait, Done, Stop]
"""What is to be done next."""


class Sync(_crossing.Held):
    """The syncing of one school. It sends nothing itself and keeps no time: ask for the next
    step, send what it says, and hand in the reply. It may be used from several threads.

    What was handed in is in the store at once. A sync that is let go, or killed, is gone on
    with by the next one of the school, if its options ask for the same. Of two at a time the
    one that was started last goes on.
    """

    def __init__(self, native: Any) -> None:
        self._native = native

    def next(self, now: Instant) -> Step:
        """What is to be done at this instant. A call is said once; if nothing is handed in
        for two minutes it counts as failed.

        Fails as ``busy`` if another writer does not end in time, as ``io`` if the store
        could not be written, as ``unsupported`` if the school has records meanwhile. Nothing
        is lost: ask again, and it tries again.
        """
        return _step(called(self._native.next, seconds(now)))

    def take(self, call: int, now: Instant, reply: Reply) -> Taken:
        """Takes the reply to a call, which is given by its id.

        Fails as ``busy`` or ``io`` if it could not be kept. The call is still out then: hand
        the reply in again.
        """
        status, body, retry_after = reply
        given = _native.Reply(status=status, body=body, retry_after=retry_after)
        return _taken(called(self._native.take, call, seconds(now), given))

    def fail(self, call: int, now: Instant, why: NoReply) -> Taken:
        """There was no reply to a call. Fails as :meth:`take`."""
        return _taken(called(self._native.fail, call, seconds(now), _native.NoReply[why.name]))

    def want(self, target: str) -> None:
        """Asks for this next, whether it was asked in this pass or not: a path and query of
        v1 about the school. If the school is synced already, the answer is published as soon
        as it is there.

        Fails as ``unsupported`` if sync does not ask for such a target.
        """
        called(self._native.want, target)

    def confirm(self, target: str) -> None:
        """Says that what the report calls held is right: the next step publishes it.

        Fails as ``unsupported`` if nothing of this target is held back.
        """
        called(self._native.confirm, target)

    def progress(self) -> SyncProgress:
        """How far the pass has come."""
        given = called(self._native.progress)
        return SyncProgress(given.answered, given.left, given.in_flight)


def _step(given: Any) -> Step:
    if given.is_SEND():
        call = given.call
        return Send(Call(call.id, call.method, call.target, call.body))
    if given.is_WAIT():
        return Wait(given.until)
    if given.is_STOP():
        return Stop(Why[given.why.name])
    return Done(_report(given.report))


def _taken(given: Any) -> Taken:
    if given.is_RETRY():
        return Taken(Outcome.RETRY, given.at)
    return Taken(next(each for each in Outcome if getattr(given, f"is_{each.name}")()))


def _report(given: Any) -> SyncReport:
    given_up = [GivenUp(each.target, each.why) for each in given.given_up]
    refused = [RefusedState(each.api_type_id, each.state, each.status) for each in given.refused]
    return SyncReport(
        given.replies,
        given.same,
        given_up,
        given.held,
        given.unknown,
        refused,
        given.unsettled,
    )


def coverage(given: Any) -> Optional[Coverage]:
    """What was seen, of a school that is synced."""
    if given is None:
        return None
    seen = [
        Covered(each.what, each.year, _day(each._from), _day(each.to), each.count, each.as_of)
        for each in given.seen
    ]
    return Coverage(given.as_of, seen, given.erased)


def options(
    days_from: Union[date, str, None],
    utc_offset: Optional[str],
    most_in_flight: Optional[int],
    rotate: Optional[int],
    outbox: Optional[str],
) -> Any:
    """What is to be synced, as the engine takes it."""
    return _native.SyncOptions(
        days_from=days_from.isoformat() if isinstance(days_from, date) else days_from,
        utc_offset=utc_offset,
        most_in_flight=most_in_flight,
        rotate=rotate,
        outbox=outbox,
    )


def _day(text: Optional[str]) -> Optional[date]:
    return None if text is None else date.fromisoformat(text)
