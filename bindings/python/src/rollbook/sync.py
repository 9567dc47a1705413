"""A school that is filled from the service, and kept in step with it.

:meth:`Engine.sync` begins it. :func:`rollbook.httpx.sync_with`,
:func:`rollbook.httpx.sync_with_async` and :func:`rollbook.requests.sync_with` drive it
by an HTTP client. A driver for another client works as follows::

    while True:
        now = int(time.time())
        step = sync.next(now)
        if isinstance(step, Send):
            status, retry_after, body = send(step.call)
            sync.handle_reply(step.call.id, now, Reply(status, body, retry_after))
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
    "CallFailure",
    "Coverage",
    "Covered",
    "Done",
    "FailedRequest",
    "Outcome",
    "QuarantinedAnswer",
    "RefusedState",
    "Reply",
    "ReplyOutcome",
    "Send",
    "Step",
    "Stop",
    "StopReason",
    "Sync",
    "SyncProgress",
    "SyncReport",
    "SyncStopped",
    "UnsentState",
    "Wait",
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


class CallFailure(enum.Enum):
    """The reason why there is no reply to a call."""

    OFFLINE = "OFFLINE"
    """There is no network. This does not count as an attempt."""
    TIMEOUT = "TIMEOUT"
    """No reply arrived in time."""
    CUT = "CUT"
    """The connection was interrupted."""


class Outcome(enum.Enum):
    """The kind of the outcome of a reply."""

    STORED = "STORED"
    """The answer was read completely, and is published with the pass."""
    UNCHANGED = "UNCHANGED"
    """The answer was read completely, and is unchanged."""
    RETRY = "RETRY"
    """The call must be repeated. A later step returns it again."""
    FAILED = "FAILED"
    """The service refuses the answer, or the answer cannot be read. The pass continues without
    it."""
    STALE = "STALE"
    """The reply is no longer expected, and is ignored."""


class ReplyOutcome(NamedTuple):
    """The outcome of a reply, and when the call can be repeated."""

    outcome: Outcome
    """The kind of the outcome."""
    at: Optional[int] = None
    """With ``RETRY``: the earliest instant of the next attempt, in seconds since
    1970-01-01T00:00:00Z."""


class StopReason(enum.Enum):
    """The reason why a sync stopped."""

    UNAUTHORISED = "UNAUTHORISED"
    """The service answered 401, without saying whether the credentials are wrong or the school
    has not authorised the integrator."""
    WRONG_CREDENTIALS = "WRONG_CREDENTIALS"
    """The service answered 401 because of the credentials."""
    SCHOOL_NOT_AUTHORISED = "SCHOOL_NOT_AUTHORISED"
    """The service answered 401 because of the school: the school has not authorised the
    integrator, or its id is wrong."""
    UNREACHABLE = "UNREACHABLE"
    """Three attempts to reach the service failed, and no earlier call had a reply."""
    FORGOTTEN = "FORGOTTEN"
    """The school was removed, or is no longer synced."""
    INCOMPLETE = "INCOMPLETE"
    """The school's record or its current learners could not be fetched. Without them nothing is
    published."""
    SUPERSEDED = "SUPERSEDED"
    """Another sync of the school was started since."""


class SyncStopped(Exception):
    """Reports that a sync cannot continue. Records that were published before are still
    answered."""

    def __init__(self, reason: StopReason) -> None:
        super().__init__(_STOPPED[reason])
        self.reason = reason
        """The reason why the sync stopped."""


_STOPPED = {
    StopReason.UNAUTHORISED: "the service answered 401: check the credentials, and that the"
    " school has authorised the integrator",
    StopReason.WRONG_CREDENTIALS: "the service answered 401 to the credentials: check the user"
    " name and the password",
    StopReason.SCHOOL_NOT_AUTHORISED: "the service answered 401 to the school: check its id, and"
    " that it has authorised the integrator",
    StopReason.UNREACHABLE: "the service could not be reached: check its address, and that it is"
    " up",
    StopReason.FORGOTTEN: "the school was removed, or is no longer to be synced: begin a new sync"
    " if it should be",
    StopReason.INCOMPLETE: "the school's record or its current learners could not be had, so that"
    " nothing was published: try again later",
    StopReason.SUPERSEDED: "another sync of the school was begun since: let that one go on",
}


@dataclass(frozen=True)
class FailedRequest:
    """A call that failed permanently."""

    target: str
    """The path and the query string."""
    reason: str
    """The reason, as text."""


@dataclass(frozen=True)
class QuarantinedAnswer:
    """An answer that is stored but not published."""

    target: str
    """The path and the query string."""
    lost: int
    """How many stored values the answer would remove: records, or values of the field that would
    lose most. It is 0 if the answer is unpublished only because it is published together with
    another one."""
    stored: int
    """How many such values are stored."""


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
class UnsentState:
    """A state update that the service has not accepted yet."""

    api_type_id: int
    """The API type."""
    state: bool
    """The state that was asked for."""


@dataclass(frozen=True)
class SyncReport:
    """The results of a pass. They contain targets and names of members, but never a value of an
    answer."""

    replies: int
    """How many replies were evaluated."""
    unchanged: int
    """How many of these replies were unchanged."""
    failed: Sequence[FailedRequest]
    """The calls that failed permanently, so that their data is not synced."""
    quarantined: Sequence[QuarantinedAnswer]
    """The answers that are stored but not published because they would remove much, and those
    that are published only together with them. Until such an answer is published, the records
    that it would change are answered unchanged. :meth:`Sync.approve` and :meth:`Sync.reject`
    decide about it. :meth:`Sync.quarantined` returns the same list at any time."""
    unknown: Sequence[str]
    """Members of answers that are unknown, as ``record: member``."""
    refused: Sequence[RefusedState]
    """State updates that the service refused: the states are what they were before."""
    unsent: Sequence[UnsentState]
    """State updates that the service has not accepted yet. The store answers them all the
    same, and the next sync sends them."""
    unstable: Sequence[str]
    """Targets whose answers changed each time they were requested again, so that one answer may
    be older than another. The next pass requests them."""


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
    """The sync cannot continue, and every further step is the same. Records that were published
    before are still answered."""

    reason: StopReason
    """The reason why the sync stopped."""


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

    def handle_reply(self, call: int, now: Instant, reply: Reply) -> ReplyOutcome:
        """Evaluates the reply to the call with this id, and stores the outcome.

        Fails as ``busy`` or ``io`` if the outcome cannot be stored. The call is then still in
        flight: pass the reply again.
        """
        status, body, retry_after = reply
        given = _native.Reply(status=status, body=body, retry_after=retry_after)
        return _reply_outcome(called(self._native.handle_reply, call, seconds(now), given))

    def handle_failure(self, call: int, now: Instant, failure: CallFailure) -> ReplyOutcome:
        """Reports that there was no reply to a call. Fails as :meth:`handle_reply` does."""
        given = _native.CallFailure[failure.name]
        return _reply_outcome(called(self._native.handle_failure, call, seconds(now), given))

    def prioritise(self, target: str) -> None:
        """Requests a target next, even if it was requested in this pass before. The target is a
        path and query of v1 about the school. If the school is already synced, the answer is
        published as soon as it has arrived.

        Fails as ``unsupported`` if a sync does not request such a target.
        """
        called(self._native.prioritise, target)

    def quarantined(self) -> Sequence[QuarantinedAnswer]:
        """Returns the quarantined answers: those that are stored but not published because they
        would remove much, and those that are published only together with them. They are read
        from the store: a sync that was just started returns those of the last pass, and needs no
        new pass."""
        return _quarantined(called(self._native.quarantined))

    def approve(self, target: str) -> None:
        """Approves a quarantined answer. The next step publishes it together with everything
        that belongs to it, as soon as none of that is quarantined. The order in which answers
        are approved makes no difference. Approving a target that is not quarantined (any more)
        has no effect. The approval is stored, so that a sync that is started later publishes the
        answer.

        Fails as ``unsupported`` if a sync does not request such a target, or if another sync of
        the school was started since.
        """
        called(self._native.approve, target)

    def reject(self, target: str) -> None:
        """Discards a quarantined answer, together with those that would be published with it.
        The records remain unchanged, and the next pass requests the answers again. Rejecting a
        target that is not quarantined (any more) has no effect. Fails as :meth:`approve`
        does."""
        called(self._native.reject, target)

    def report(self) -> SyncReport:
        """What the sync came to so far: the same as with :class:`Done`, and there for one
        that stopped or is under way."""
        return _report(called(self._native.report))

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
        return Stop(StopReason[given.reason.name])
    return Done(_report(given.report))


def _reply_outcome(given: Any) -> ReplyOutcome:
    if given.is_RETRY():
        return ReplyOutcome(Outcome.RETRY, given.at)
    return ReplyOutcome(next(each for each in Outcome if getattr(given, f"is_{each.name}")()))


def _quarantined(given: Any) -> Sequence[QuarantinedAnswer]:
    return [QuarantinedAnswer(each.target, each.lost, each.stored) for each in given]


def _report(given: Any) -> SyncReport:
    failed = [FailedRequest(each.target, each.reason) for each in given.failed]
    refused = [RefusedState(each.api_type_id, each.state, each.status) for each in given.refused]
    unsent = [UnsentState(each.api_type_id, each.state) for each in given.unsent]
    return SyncReport(
        given.replies,
        given.unchanged,
        failed,
        _quarantined(given.quarantined),
        given.unknown,
        refused,
        unsent,
        given.unstable,
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
