"""Live queries, which return the answer to a question, and a new one whenever it changes."""

import atexit
import os
import threading
import time
from typing import Any, Callable, Iterator, List, Optional, Union, overload
from weakref import WeakSet

from rollbook import _direct, _native_calls
from rollbook._native_calls import Cancellable, NotCopyable, call_native
from rollbook.errors import RollbookError, UnsupportedError
from rollbook.message import Answer
from rollbook.question import Question

__all__ = ["Answers", "Callback", "Failed", "LiveQuery"]

_native = _native_calls.native

Callback = Callable[[Answer], object]
"""A function that is called with each answer."""

Failed = Callable[[RollbookError], object]
"""A function that is called with each error of the store."""

Given = Union[Answer, RollbookError]


class LiveQuery(Cancellable):
    """A live query, which ends when it is cancelled or the engine is closed. It does not extend
    the lifetime of the engine. As a context manager it is cancelled at the end of the block."""

    def __init__(self, observe: Any, question: Question, wake: Callable[[], object]) -> None:
        super().__init__(begin_listening(observe, _question(question), wake))
        self._process = os.getpid()
        _live.add(self)

    @property
    def is_over(self) -> bool:
        """Whether the live query was cancelled, or the engine was closed. No answer follows."""
        over: bool = self._native.is_over()
        return over

    def _poll(self) -> Optional[Given]:
        """Returns the answer or the error if it is new."""
        try:
            check_process(self._process)
            answer = call_native(self._native.poll)
        except RollbookError as failed:
            return failed
        return answer and Answer(answer.status, answer.bytes, answer.allow)


class Answers(LiveQuery, Iterator[Answer]):
    """A live query as an iterator over the successive answers to a question.

    Several changes in succession may result in one answer. Answers arrive in order, and each one
    differs from the one before it. The iterator ends when the engine is closed, or when any thread
    cancels it; while the engine is suspended, it waits.
    """

    def __init__(self, observe: Any, question: Question) -> None:
        self._due = threading.Event()
        super().__init__(observe, question, self._due.set)

    def __next__(self) -> Answer:
        """Waits for the next answer; the first one is available immediately.

        Fails as ``not_synced`` if the school is synced and the requested data was not fetched; as
        ``io`` or ``corrupt`` if the store fails. Each error is raised once, and the live query
        continues: the next call waits for the answer that follows.
        """
        while True:
            self._due.clear()
            given = self._poll()
            if isinstance(given, RollbookError):
                raise given
            if given is not None:
                return given
            if self.is_over:
                raise StopIteration
            self._due.wait()

    def cancel(self) -> None:
        """Ends the live query: callers that wait for an answer return. Does nothing if it has
        ended."""
        super().cancel()
        self._due.set()


class Observable(NotCopyable):
    """The methods of :class:`Engine` that start live queries."""

    _native: Any
    _process: int
    """The process that opened the store."""

    def _observing(self, name: str) -> Any:
        """Returns the method of the library that starts live queries or live feeds."""
        check_process(self._process)
        return getattr(self._native, name)

    @overload
    def observe(self, question: Question) -> Answers: ...

    @overload
    def observe(
        self, question: Question, callback: Callback, *, failed: Optional[Failed] = None
    ) -> LiveQuery: ...

    def observe(
        self,
        question: Question,
        callback: Optional[Callback] = None,
        *,
        failed: Optional[Failed] = None,
    ) -> Union[Answers, LiveQuery]:
        """Observes a question. The live query returns the current answer of :meth:`Engine.ask`,
        and a new one whenever its status or its bytes change. This can happen after a change of
        the data from which the answer is made, and when another day begins at the school.

        Without a ``callback`` this returns an iterator that waits for the next answer. With a
        ``callback`` it returns a live query that can be cancelled. The callback is called with
        the current answer before this method returns, and with each later one on a thread of the
        engine. This thread is shared by all live queries, so the callback must not block it. Calls
        do not overlap. ``failed`` is called once with each error of the store, and the live query
        continues. Exceptions that either of them raises, and errors without ``failed``, are passed
        to :func:`threading.excepthook`.

        The live query ends when the engine is closed; while the engine is suspended, it waits.
        Fails as ``bad_argument`` if a text is not a date, and as ``io`` if the system cannot
        create the thread.
        """
        return _start_live_query(self._observing("observe"), question, callback, failed)

    @overload
    def observe_record(self, question: Question) -> Answers: ...

    @overload
    def observe_record(
        self, question: Question, callback: Callback, *, failed: Optional[Failed] = None
    ) -> LiveQuery: ...

    def observe_record(
        self,
        question: Question,
        callback: Optional[Callback] = None,
        *,
        failed: Optional[Failed] = None,
    ) -> Union[Answers, LiveQuery]:
        """Observes one record in the format of v2. It works like :meth:`observe`, but with the
        answers of :meth:`Engine.find`."""
        return _start_live_query(self._observing("observe_record"), question, callback, failed)


def check_process(process: int) -> None:
    """Fails as ``unsupported`` in a process that was forked from this one. The forked process does
    not contain the thread that reports changes, so that it would wait for a change forever."""
    if os.getpid() != process:
        raise UnsupportedError(
            "not possible here: this process was forked from the one that opened the store: open "
            "a store in this process, and start the live query there"
        )


def deliver(
    given: Given,
    callback: Callback,
    failed: Optional[Failed],
    report: Callable[[Exception], object],
) -> None:
    """Passes an answer or an error to its callback, and reports an exception that results."""
    try:
        if not isinstance(given, RollbookError):
            callback(given)
        elif failed is not None:
            failed(given)
        else:
            raise given
    except Exception as raised:
        report(raised)


def _start_live_query(
    observe: Any, question: Question, callback: Optional[Callback], failed: Optional[Failed]
) -> Union[Answers, LiveQuery]:
    if callback is None:
        return Answers(observe, question)
    return _CallbackQuery(observe, question, callback, failed)


class _CallbackQuery(LiveQuery):
    """A live query with a callback. Its listener has a reference to it until it ends."""

    def __init__(
        self, observe: Any, question: Question, callback: Callback, failed: Optional[Failed]
    ) -> None:
        self._callback = callback
        self._failed = failed
        # Acquired from the poll to the end of the callback, so that answers stay in order.
        self._delivery_lock = threading.Lock()
        with self._delivery_lock:
            super().__init__(observe, question, self._on_change)
            self._deliver()

    def _on_change(self) -> None:
        with self._delivery_lock:
            self._deliver()

    def _deliver(self) -> None:
        given = self._poll()
        if given is not None:
            deliver(given, self._callback, self._failed, _report)


def _report(raised: Exception) -> None:
    arguments = (type(raised), raised, raised.__traceback__, None)
    threading.excepthook(threading.ExceptHookArgs(arguments))


def _question(question: Question) -> Any:
    """Converts a question to the type of the generated module, by decoding its bytes."""
    data = question._encode_call(b"", b"")
    stream = _native._UniffiRustBufferStream(data, len(data))
    return _native._UniffiFfiConverterTypeQuestion.read(stream)


def begin_listening(observe: Any, what: Any, wake: Callable[[], object]) -> Any:
    """Begins a live query or a live feed. Add its object to ``_live``."""
    with _beginning:
        if _is_ending:
            raise RuntimeError("the interpreter is ending, so that nothing can be observed any more")
        return call_native(observe, what, _Listener(wake))


class _Listener:
    """A listener, which a thread of the engine calls. Only the library has a reference to it."""

    def __init__(self, wake: Callable[[], object]) -> None:
        self._wake = wake

    def changed(self) -> None:
        """Called by the engine."""
        self._wake()


_live: "WeakSet[Any]" = WeakSet()
"""All live queries and live feeds. The set does not contain the objects of the generated module: a
weak reference to an object is valid while its ``__del__`` releases it, so that another thread could
use it after it was freed."""
_LAST_CALL = 1.0
"""The time that a call of a listener may take when the interpreter ends, in seconds."""
_beginning = threading.Lock()
_is_ending = False
"""Whether the interpreter is ending."""
_unreleasable = 0
"""The number of listeners that existed before a fork. No thread of this process releases them."""


@atexit.register
def _cancel_all() -> None:
    """Cancels all live queries and live feeds, and waits until their listeners are released. A
    thread that calls an interpreter which is ending would be terminated within the engine's code.

    The library counts the listeners, because the thread that releases one still runs code of the
    interpreter after the listener object has been freed.
    """
    global _is_ending
    with _beginning:
        _is_ending = True
    until = time.monotonic() + _LAST_CALL
    while True:
        for live in _all_live():
            live._native.cancel()
        if _direct.listeners() <= _unreleasable or time.monotonic() > until:
            return
        # Another thread may just have begun one more.
        time.sleep(0.001)


def _all_live() -> List[Any]:
    while True:
        try:
            return list(_live)
        except RuntimeError:
            # Another thread has added one meanwhile.
            continue


def _forget_parent() -> None:
    """Forgets the live queries of the parent after a fork. A forked process does not contain the
    engine's threads."""
    global _beginning, _unreleasable
    # Another thread of the parent may have the lock.
    _beginning = threading.Lock()
    _live.clear()
    _unreleasable = _direct.listeners()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_parent)
