"""Syncs, which fetch the data of a school from the service, and later its changes.

:meth:`Engine.sync` starts a sync. :func:`rollbook.httpx.sync_with`,
:func:`rollbook.httpx.sync_with_async` and :func:`rollbook.requests.sync_with` run it with an HTTP
client. A driver for another client works as follows::

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
from typing import Any, NamedTuple, Optional, Sequence, Tuple, Union

from rollbook import _native_calls
from rollbook._native_calls import call_native
from rollbook.instant import Instant, seconds

__all__ = [
    "Call",
    "CallFailure",
    "Coverage",
    "Covered",
    "Done",
    "FailedRequest",
    "Finding",
    "FindingEffect",
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

_native = _native_calls.native


class Call(NamedTuple):
    """A request to send with the credentials of the integrator. Do not follow redirects to another
    origin: they would disclose the credentials."""

    id: int
    """Identifies the call when its reply is passed to the sync: a number below 2**53."""
    method: str
    """The HTTP method, in upper case."""
    target: str
    """The path and the query string, to append to the address of the service."""
    body: str
    """The JSON body; empty for ``GET``."""


class Reply(NamedTuple):
    """The reply of the service to a call."""

    status: int
    """The HTTP status, for example 200."""
    body: bytes
    """The complete body."""
    retry_after: Optional[str] = None
    """The value of the header ``Retry-After``, if there is one."""

    def __repr__(self) -> str:
        """Returns a description of the reply without its body, which contains personal data."""
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
    has not authorised the integrator. Check both."""
    WRONG_CREDENTIALS = "WRONG_CREDENTIALS"
    """The service answered 401 because of the credentials."""
    SCHOOL_NOT_AUTHORISED = "SCHOOL_NOT_AUTHORISED"
    """The service answered 401 because of the school: the school has not authorised the
    integrator, or its id is wrong."""
    UNREACHABLE = "UNREACHABLE"
    """Three attempts to reach the service failed, and no earlier call had a reply. Check that the
    address of the service is correct and that the service is running."""
    FORGOTTEN = "FORGOTTEN"
    """The school was removed, or is no longer synced."""
    INCOMPLETE = "INCOMPLETE"
    """No answer of the pass could be fetched. The failed requests of the report say why."""
    SUPERSEDED = "SUPERSEDED"
    """Another sync of the school was started since."""


@dataclass(frozen=True)
class FailedRequest:
    """A call that failed permanently."""

    target: str
    """The path and the query string."""
    status: Optional[int]
    """The HTTP status of the last reply, or None if the last attempt had no reply."""
    reason: str
    """The reason, as text. It names the record and the field, if one of them is the cause."""


class FindingEffect(enum.Enum):
    """What a sync does with a record that has a value that cannot be used."""

    FIELD_EMPTY = "FIELD_EMPTY"
    """The field is empty, as if the service had given no value, unless another answer has the
    value. Many answers repeat the fields of a subject, a grade, a year and a learning outcome: such
    a field retains its value if it had one."""
    RECORD_LEFT_OUT = "RECORD_LEFT_OUT"
    """The record is left out, because the field is part of its key or a rule reads it. If the
    record is stored, it remains unchanged."""


@dataclass(frozen=True)
class Finding:
    """The values of one field that could not be used, in records of one kind. It contains no value of
    the field."""

    kind: str
    """The kind of the records, as datasets name it, for example ``learner``."""
    field: str
    """The field, for example ``date_of_birth``. It is empty if the service has something else in
    place of the record."""
    effect: FindingEffect
    """What the sync does with such a record."""
    count: int
    """How many such values the answers contain."""
    keys: Sequence[str]
    """The keys of the first twenty of these records, without their school. The numbers of a key
    are separated by ``/``, in the order of the fields of a dataset: the key of a mark is
    ``assessment_id/learner_id``. A record whose key cannot be read has none."""
    target: str
    """The path and the query string of the first answer that contains such a value."""


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
    """The requested state."""
    status: int
    """The HTTP status."""


@dataclass(frozen=True)
class UnsentState:
    """A state update that the service has not accepted yet."""

    api_type_id: int
    """The API type."""
    state: bool
    """The requested state."""


@dataclass(frozen=True)
class SyncReport:
    """The results of a pass. They contain targets, names of members and keys of records, but no other
    value of an answer."""

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
    findings: Sequence[Finding]
    """The values of the stored answers that could not be used, by kind and field of the record. A
    later pass reports them again as long as the service has them."""
    unknown: Sequence[str]
    """Members of answers that are unknown, as ``record: member``."""
    refused: Sequence[RefusedState]
    """State updates that the service refused during this pass, or after the pass before it. The
    states were reset to their earlier values."""
    unsent: Sequence[UnsentState]
    """State updates of all integrators that the service has not accepted yet. The store already
    answers with them, and the next sync whose ``outbox`` names the integrator sends them."""
    unstable: Sequence[str]
    """Targets whose answers changed each time they were requested again, so that one answer may
    be older than another. The next pass requests them."""


class SyncStopped(Exception):
    """Reports that a sync cannot continue. Records that were published before are still
    answered."""

    def __init__(self, reason: StopReason, report: SyncReport) -> None:
        super().__init__(_stop_message(reason, report))
        self.reason = reason
        """The reason why the sync stopped."""
        self.report = report
        """The results so far. Its failed requests say what the service answered."""

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self), (self.reason, self.report), vars(self)


def _stop_message(reason: StopReason, report: SyncReport) -> str:
    if reason is not StopReason.INCOMPLETE:
        return _STOPPED[reason]
    if not report.failed:
        return "no answer could be fetched: try again later"
    first = report.failed[0]
    outcome = "without a reply" if first.status is None else f"with status {first.status}"
    return f"no answer could be fetched: {first.target} failed {outcome}: {first.reason}"


_STOPPED = {
    StopReason.UNAUTHORISED: "the service answered 401: check the credentials, and that the"
    " school has authorised the integrator",
    StopReason.WRONG_CREDENTIALS: "the service answered 401 to the credentials: check the user"
    " name and the password",
    StopReason.SCHOOL_NOT_AUTHORISED: "the service answered 401 to the school: check its id, and"
    " that it has authorised the integrator",
    StopReason.UNREACHABLE: "the service could not be reached: check its address, and that it is"
    " running",
    StopReason.FORGOTTEN: "the school was removed, or is no longer synced: start a new sync"
    " if it should be",
    StopReason.SUPERSEDED: "another sync of the school was started since: continue that one",
}


@dataclass(frozen=True)
class SyncProgress:
    """The progress of a pass."""

    answered: int
    """How many requests of the pass are finished: their answers have arrived, or they have failed
    permanently."""
    left: int
    """How many requests are known to be unfinished. Answers show what else must be requested, so
    this number grows at first."""
    in_flight: int
    """How many calls are in flight."""


@dataclass(frozen=True)
class Covered:
    """One kind of data of a school that was fetched."""

    what: str
    """The name of the kind, as in the message of ``not_synced``: ``the current learners``."""
    year: Optional[int]
    """The administrative year, if the data is of one year."""
    first_day: Optional[date]
    """The first day, if the data is of a range of days."""
    last_day: Optional[date]
    """The last day, if the data is of a range of days."""
    count: int
    """The number of learners or grades whose data was fetched; 1 for other kinds."""
    as_of: int
    """The instant at which the oldest of this data was fetched, in seconds since
    1970-01-01T00:00:00Z."""


@dataclass(frozen=True)
class Coverage:
    """The coverage of a synced school: which data was fetched from the service."""

    as_of: Optional[int]
    """The instant at which the oldest data was fetched, in seconds since 1970-01-01T00:00:00Z;
    None if no data was fetched."""
    seen: Sequence[Covered]
    """The fetched data, kind by kind."""
    erased: int
    """The number of erased learners, which a sync does not add again."""


@dataclass(frozen=True)
class Send:
    """Send this call, and pass the reply to the sync. While the call is in flight, it is not
    returned again."""

    call: Call
    """The call to send."""


@dataclass(frozen=True)
class Wait:
    """Nothing can be sent now. Request the next step at this instant, or as soon as a reply was
    passed to the sync."""

    until: int
    """The instant, in seconds since 1970-01-01T00:00:00Z."""


@dataclass(frozen=True)
class Done:
    """Everything is published."""

    report: SyncReport
    """The results of the pass."""


@dataclass(frozen=True)
class Stop:
    """The sync cannot continue, and every further step is the same. It publishes nothing more;
    records that were published before are still answered. Start another sync when the reason no
    longer applies."""

    reason: StopReason
    """The reason why the sync stopped."""
    report: SyncReport
    """The results so far. Its failed requests say what the service answered."""


Step = Union[Send, Wait, Done, Stop]
"""What the driver of a sync must do next."""


class Sync(_native_calls.NotCopyable):
    """The sync of one school. It sends nothing itself and has no clock: request the next step,
    send the call that it contains, and pass the reply to :meth:`handle_reply`. It can be used from
    several threads.

    The outcome of each reply is stored before :meth:`handle_reply` returns. If a sync is released
    or its process ends, the next sync of the school resumes the pass, provided that its
    ``days_from`` and ``utc_offset`` are the same. If two syncs of a school exist at a time, only
    the one that was started last continues.
    """

    def __init__(self, native: Any) -> None:
        self._native = native

    def next(self, now: Instant) -> Step:
        """Returns what to do at the instant ``now``. A call is returned once. If no reply to it is
        passed within two minutes, it counts as failed.

        Fails as ``busy`` if another writer does not finish in time; as ``io`` if the store cannot
        be written; as ``unsupported`` if the school has records that no sync made. Nothing is
        lost: call it again to retry.
        """
        return _step(call_native(self._native.next, seconds(now)))

    def handle_reply(self, call: int, now: Instant, reply: Reply) -> ReplyOutcome:
        """Evaluates the reply to the call with this id, and stores the outcome.

        Fails as ``busy`` or ``io`` if the outcome cannot be stored. The call is then still in
        flight: pass the reply again.
        """
        status, body, retry_after = reply
        given = _native.Reply(status=status, body=body, retry_after=retry_after)
        return _reply_outcome(call_native(self._native.handle_reply, call, seconds(now), given))

    def handle_failure(self, call: int, now: Instant, failure: CallFailure) -> ReplyOutcome:
        """Reports that there was no reply to a call. Fails as :meth:`handle_reply` does."""
        given = _native.CallFailure[failure.name]
        return _reply_outcome(call_native(self._native.handle_failure, call, seconds(now), given))

    def prioritise(self, target: str) -> None:
        """Requests a target next, even if it was requested in this pass before. The target is a
        path and query of v1 about the school. If the school is already synced, the answer is
        published as soon as it has arrived.

        Fails as ``unsupported`` if a sync does not request such a target.
        """
        call_native(self._native.prioritise, target)

    def quarantined(self) -> Sequence[QuarantinedAnswer]:
        """Returns the quarantined answers: those that are stored but not published because they
        would remove much, and those that are published only together with them. They are read
        from the store: a sync that was just started returns those of the last pass, and needs no
        new pass."""
        return _quarantined(call_native(self._native.quarantined))

    def approve(self, target: str) -> None:
        """Approves a quarantined answer. The next step publishes it together with everything
        that belongs to it, as soon as none of that is quarantined. The order in which answers
        are approved makes no difference. Approving a target that is not quarantined (any more)
        has no effect. The approval is stored, so that a sync that is started later publishes the
        answer.

        Fails as ``unsupported`` if a sync does not request such a target, or if another sync of
        the school was started since.
        """
        call_native(self._native.approve, target)

    def reject(self, target: str) -> None:
        """Discards a quarantined answer, together with those that would be published with it.
        The records remain unchanged, and the next pass requests the answers again. Rejecting a
        target that is not quarantined (any more) has no effect. Fails as :meth:`approve`
        does."""
        call_native(self._native.reject, target)

    def report(self) -> SyncReport:
        """Returns the results of the sync so far. It returns the same as :class:`Done` and
        :class:`Stop` contain, and is also available while the sync is running."""
        return _report(call_native(self._native.report))

    def progress(self) -> SyncProgress:
        """Returns the progress of the pass."""
        given = call_native(self._native.progress)
        return SyncProgress(given.answered, given.left, given.in_flight)


def _step(given: Any) -> Step:
    if given.is_SEND():
        call = given.call
        return Send(Call(call.id, call.method, call.target, call.body))
    if given.is_WAIT():
        return Wait(given.until)
    if given.is_STOP():
        return Stop(StopReason[given.reason.name], _report(given.report))
    return Done(_report(given.report))


def _reply_outcome(given: Any) -> ReplyOutcome:
    if given.is_RETRY():
        return ReplyOutcome(Outcome.RETRY, given.at)
    return ReplyOutcome(next(each for each in Outcome if getattr(given, f"is_{each.name}")()))


def _quarantined(given: Any) -> Sequence[QuarantinedAnswer]:
    return [QuarantinedAnswer(each.target, each.lost, each.stored) for each in given]


def _report(given: Any) -> SyncReport:
    failed = [FailedRequest(each.target, each.status, each.reason) for each in given.failed]
    findings = [
        Finding(
            each.kind,
            each.field,
            FindingEffect[each.effect.name],
            each.count,
            each.keys,
            each.target,
        )
        for each in given.findings
    ]
    refused = [RefusedState(each.api_type_id, each.state, each.status) for each in given.refused]
    unsent = [UnsentState(each.api_type_id, each.state) for each in given.unsent]
    return SyncReport(
        given.replies,
        given.unchanged,
        failed,
        _quarantined(given.quarantined),
        findings,
        given.unknown,
        refused,
        unsent,
        given.unstable,
    )


def coverage(given: Any) -> Optional[Coverage]:
    """Converts the coverage of a school; None if the school is not synced."""
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
    """Converts the options of a sync to the type of the generated module."""
    return _native.SyncOptions(
        days_from=days_from.isoformat() if isinstance(days_from, date) else days_from,
        utc_offset=utc_offset,
        most_in_flight=most_in_flight,
        rotate=rotate,
        outbox=outbox,
    )


def _day(text: Optional[str]) -> Optional[date]:
    return None if text is None else date.fromisoformat(text)
