"""How a sync is driven, whatever client sends its calls."""

import errno
import socket
import threading
import time
from queue import Empty, SimpleQueue
from typing import Callable, List, NamedTuple, Optional, Tuple, TypeVar, Union
from urllib.parse import urlsplit

from rollbook.errors import BusyError, CancelledError, IoError
from rollbook.sync import (
    Call,
    CallFailure,
    Done,
    Reply,
    ReplyOutcome,
    Send,
    Step,
    Stop,
    Sync,
    SyncProgress,
    SyncReport,
    SyncStopped,
    Wait,
)

T = TypeVar("T")

SyncListener = Callable[[SyncProgress], Optional[bool]]
"""Hears how far a sync has come, and cancels it by returning False."""

Answered = Union[Reply, CallFailure]

LONGEST_BODY = 64 << 20
"""The most bytes of a body; what is longer is as if it had been cut."""

PAUSE = 20.0
"""The most seconds without a byte from the service."""

LONGEST_CALL = 90.0
"""The most seconds of a call: the machine gives it up after two minutes."""

TICK = 1.0
"""The listener is asked so often, in seconds, while nothing comes."""

TRIES = 3
"""So often something is tried that the store is too busy for."""

clock = time.time


def now() -> int:
    return int(clock())


class Service(NamedTuple):
    """Where a school is asked, and as whom."""

    address: str
    headers: List[Tuple[str, bytes]]

    def url(self, call: Call) -> str:
        return self.address + call.target

    def __repr__(self) -> str:
        return f"Service({self.address!r})"


def service(address: str, username: str, password: str) -> Service:
    """Checks what the app gave. No message repeats a credential, and none is left to the
    client to refuse, which would."""
    parts = urlsplit(address)
    if (
        parts.scheme not in ("http", "https")
        or not parts.hostname
        or "@" in parts.netloc
        or "?" in address
        or "#" in address
    ):
        raise ValueError(
            "this is no base address: give scheme, host and path alone, such as"
            " 'https://integrate.example.org'"
        )
    given = [("HTTP-X-USERNAME", username), ("HTTP-X-PASSWORD", password)]
    for name, value in given:
        if not value.isprintable() or value != value.strip():
            raise ValueError(f"the value of {name} cannot be sent as a header")
    headers = [(name, value.encode()) for name, value in given]
    return Service(address.rstrip("/"), headers)


class Body:
    """A body as it comes: no longer than it may be, nor for longer."""

    def __init__(self) -> None:
        self._ends = time.monotonic() + LONGEST_CALL
        self._pieces: List[bytes] = []
        self._length = 0

    def add(self, piece: bytes) -> Optional[CallFailure]:
        """Takes the next bytes, and says why it will have no more of them."""
        self._length += len(piece)
        if self._length > LONGEST_BODY:
            return CallFailure.CUT
        self._pieces.append(piece)
        return CallFailure.TIMEOUT if time.monotonic() > self._ends else None

    def whole(self) -> bytes:
        return b"".join(self._pieces)


_NO_NETWORK = (errno.ENETUNREACH, errno.ENETDOWN)


def no_network(failed: BaseException) -> bool:
    """Whether the system says that there is no network, below what a client makes of it."""
    cause: Optional[BaseException] = failed
    for _ in range(16):
        if cause is None:
            return False
        if isinstance(cause, socket.gaierror):
            return cause.errno == socket.EAI_AGAIN
        if isinstance(cause, OSError) and cause.errno in _NO_NETWORK:
            return True
        cause = cause.__cause__ or cause.__context__
    return False


def cut(failed: BaseException) -> CallFailure:
    return CallFailure.OFFLINE if no_network(failed) else CallFailure.CUT


def cancelled() -> CancelledError:
    return CancelledError(
        "the sync was cancelled: the replies so far are stored, and the school's next sync continues"
    )


def pause(step: Wait) -> float:
    """How long to wait for a reply, in seconds."""
    return min(max(step.until - clock(), 0.01), TICK)


def persevering(work: Callable[[], T]) -> T:
    """Nothing is lost by what failed as busy or io: it is tried again."""
    for _ in range(TRIES - 1):
        try:
            return work()
        except (BusyError, IoError):
            time.sleep(TICK)
    return work()


def next_step(sync: Sync) -> Step:
    return persevering(lambda: sync.next(now()))


def hand_in(sync: Sync, call: Call, answered: Answered) -> ReplyOutcome:
    if isinstance(answered, Reply):
        reply = answered
        return persevering(lambda: sync.handle_reply(call.id, now(), reply))
    failure = answered
    return persevering(lambda: sync.handle_failure(call.id, now(), failure))


def driven(
    sync: Sync, send: Callable[[Call], Answered], progress: Optional[SyncListener]
) -> SyncReport:
    """Drives a sync to its end; each call is sent on a thread of its own.

    Whatever ends it early leaves the calls that are out to their threads, which end in
    time and whose replies nobody takes.
    """
    ended: "SimpleQueue[Tuple[Call, Union[Answered, BaseException]]]" = SimpleQueue()

    def sent(call: Call) -> None:
        try:
            ended.put((call, send(call)))
        except BaseException as failed:
            ended.put((call, failed))

    while True:
        step = next_step(sync)
        if isinstance(step, Send):
            threading.Thread(target=sent, args=(step.call,), daemon=True).start()
            continue
        if isinstance(step, Stop):
            raise SyncStopped(step.reason)
        if isinstance(step, Done):
            return step.report
        if progress is not None and progress(sync.progress()) is False:
            raise cancelled()
        try:
            call, answered = ended.get(timeout=pause(step))
        except Empty:
            continue
        if isinstance(answered, BaseException):
            raise answered
        hand_in(sync, call, answered)
