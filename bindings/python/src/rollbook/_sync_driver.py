"""Runs a sync; the part that does not depend on the HTTP client that sends its calls."""

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
"""Receives the progress of a sync. The sync is cancelled if it returns False."""

CallResult = Union[Reply, CallFailure]

LONGEST_BODY = 64 << 20
"""The maximum length of a body in bytes. A longer one counts as an interrupted connection."""

PAUSE = 20.0
"""The maximum time without a byte from the service, in seconds."""

LONGEST_CALL = 90.0
"""The maximum duration of a call, in seconds. The engine counts a call without a reply as failed
after two minutes."""

TICK = 1.0
"""The interval in which the listener is called while no reply arrives, in seconds."""

TRIES = 3
"""The number of attempts for an operation that fails because the store is busy."""

clock = time.time


def now() -> int:
    return int(clock())


class Service(NamedTuple):
    """The address of the service, and the headers with the credentials."""

    address: str
    headers: List[Tuple[str, bytes]]

    def url(self, call: Call) -> str:
        return self.address + call.target

    def __repr__(self) -> str:
        return f"Service({self.address!r})"


def service(address: str, username: str, password: str) -> Service:
    """Checks the arguments of the app. No message contains a credential. Values that cannot be
    sent are refused here, because a message of the HTTP client would contain them."""
    parts = urlsplit(address)
    if (
        parts.scheme not in ("http", "https")
        or not parts.hostname
        or "@" in parts.netloc
        or "?" in address
        or "#" in address
    ):
        raise ValueError(
            "this is not a base address: give only scheme, host and path, such as"
            " 'https://integrate.example.org'"
        )
    given = [("HTTP-X-USERNAME", username), ("HTTP-X-PASSWORD", password)]
    for name, value in given:
        if not value.isprintable() or value != value.strip():
            raise ValueError(f"the value of {name} cannot be sent as a header")
    headers = [(name, value.encode()) for name, value in given]
    return Service(address.rstrip("/"), headers)


class Body:
    """A body that is being received, with limits on its length and on the duration of the call."""

    def __init__(self) -> None:
        self._ends = time.monotonic() + LONGEST_CALL
        self._pieces: List[bytes] = []
        self._length = 0

    def add(self, piece: bytes) -> Optional[CallFailure]:
        """Adds the next bytes. Returns the failure of the call if a limit is exceeded."""
        self._length += len(piece)
        if self._length > LONGEST_BODY:
            return CallFailure.CUT
        self._pieces.append(piece)
        return CallFailure.TIMEOUT if time.monotonic() > self._ends else None

    def whole(self) -> bytes:
        return b"".join(self._pieces)


_NO_NETWORK = (errno.ENETUNREACH, errno.ENETDOWN)


def no_network(failed: BaseException) -> bool:
    """Returns whether the cause of an exception of an HTTP client is that there is no network."""
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
        "the sync was cancelled: the replies so far are stored, and the school's next sync"
        " continues"
    )


def pause(step: Wait) -> float:
    """Returns how long to wait for a reply, in seconds."""
    return min(max(step.until - clock(), 0.01), TICK)


def retry_if_busy(work: Callable[[], T]) -> T:
    """Calls a function, and repeats it if it fails as ``busy`` or ``io``. Nothing is lost then."""
    for _ in range(TRIES - 1):
        try:
            return work()
        except (BusyError, IoError):
            time.sleep(TICK)
    return work()


def next_step(sync: Sync) -> Step:
    return retry_if_busy(lambda: sync.next(now()))


def pass_reply(sync: Sync, call: Call, result: CallResult) -> ReplyOutcome:
    if isinstance(result, Reply):
        reply = result
        return retry_if_busy(lambda: sync.handle_reply(call.id, now(), reply))
    failure = result
    return retry_if_busy(lambda: sync.handle_failure(call.id, now(), failure))


def run_sync(
    sync: Sync, send: Callable[[Call], CallResult], progress: Optional[SyncListener]
) -> SyncReport:
    """Runs a sync to its end. Each call is sent on a thread of its own.

    If an exception ends the sync early, the threads of calls in flight continue until the
    timeout of their call at most, and their replies are discarded.
    """
    results: "SimpleQueue[Tuple[Call, Union[CallResult, BaseException]]]" = SimpleQueue()

    def send_and_report(call: Call) -> None:
        try:
            results.put((call, send(call)))
        except BaseException as failed:
            results.put((call, failed))

    while True:
        step = next_step(sync)
        if isinstance(step, Send):
            threading.Thread(target=send_and_report, args=(step.call,), daemon=True).start()
            continue
        if isinstance(step, Stop):
            raise SyncStopped(step.reason, step.report)
        if isinstance(step, Done):
            return step.report
        if progress is not None and progress(sync.progress()) is False:
            raise cancelled()
        try:
            call, result = results.get(timeout=pause(step))
        except Empty:
            continue
        if isinstance(result, BaseException):
            raise result
        pass_reply(sync, call, result)
