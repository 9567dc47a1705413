"""Questions that are observed: the answer now, and again whenever it is another."""

import atexit
import os
import threading
import time
from typing import Any, Callable, Iterator, Optional, Union, overload
from weakref import WeakSet

from rollbook import _crossing, _direct
from rollbook._crossing import Cancellable, called
from rollbook.errors import RollbookError
from rollbook.message import Answer
from rollbook.question import Question

__all__ = ["Answers", "Callback", "Failed", "LiveQuery"]

_native = _crossing.native

Callback = Callable[[Answer], object]
"""Hears an answer."""

Failed = Callable[[RollbookError], object]
"""Hears an error of the store, where there is no answer."""

Given = Union[Answer, RollbookError]


class LiveQuery(Cancellable):
    """Observes a question until it is cancelled or the engine is closed. It does not extend the
    lifetime of the engine. As a context manager it is cancelled at the end of the block."""

    def __init__(self, observe: Any, question: Question, wake: Callable[[], object]) -> None:
        super().__init__(called(observe, _question(question), _Listener(wake)))
        _observed.add(self._native)

    @property
    def is_over(self) -> bool:
        """Whether the live query was cancelled, or the engine was closed. No answer follows."""
        over: bool = self._native.is_over()
        return over

    def _look(self) -> Optional[Given]:
        """What is new."""
        try:
            answer = called(self._native.poll)
        except RollbookError as failed:
            return failed
        return answer and Answer(answer.status, answer.bytes, answer.allow)


class Answers(LiveQuery, Iterator[Answer]):
    """The answers to a question, one after the other, as they change.

    Several changes in a row may make one answer. An answer is never older than the one
    before it, and never the same. It ends when the engine is closed, or when it is cancelled,
    which any thread may do; while the engine is suspended it waits.
    """

    def __init__(self, observe: Any, question: Question) -> None:
        self._due = threading.Event()
        super().__init__(observe, question, self._due.set)

    def __next__(self) -> Answer:
        """Waits for the next answer: the first one is there at once.

        Fails as ``not_synced`` if the school is synced and what is asked was not seen; as
        ``io`` or ``corrupt`` if the store fails. Each error is raised once, and the live
        query continues: the next call waits for the answer that follows.
        """
        while True:
            self._due.clear()
            given = self._look()
            if isinstance(given, RollbookError):
                raise given
            if given is not None:
                return given
            if self.is_over:
                raise StopIteration
            self._due.wait()

    def cancel(self) -> None:
        """Ends it: who waits for an answer goes on. Does nothing if it is over."""
        super().cancel()
        self._due.set()


class Observable:
    """What :class:`Engine` and its observers share."""

    _native: Any

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
        """Observes a question: the answer that :meth:`Engine.ask` gives, and again whenever
        its status or its bytes change. They change after a change of the data that it is made
        from, and when another day begins at the school.

        Gives an iterator that waits for the next answer. With a ``callback`` it gives what
        cancels it: the callback hears the answer before this returns, and each other one on a
        thread of the engine, one for all live queries, which must not be held up; one call
        ends before the next begins. ``failed`` hears an error of the store, each once, and
        the live query continues. What they raise, and an error that nobody hears, goes to
        :func:`threading.excepthook`.

        It ends when the engine is closed; while the engine is suspended it waits. Fails as
        ``bad_argument`` if a text is no date, as ``io`` if the system gives no thread.
        """
        return _observed_by(self._native.observe, question, callback, failed)

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
        """Observes one record as v2 answers it: as :meth:`observe`, but with the answers of
        :meth:`Engine.find`."""
        return _observed_by(self._native.observe_record, question, callback, failed)


def hand_on(
    given: Given,
    callback: Callback,
    failed: Optional[Failed],
    report: Callable[[Exception], object],
) -> None:
    """Hands on what is new, and reports what comes of it."""
    try:
        if not isinstance(given, RollbookError):
            callback(given)
        elif failed is not None:
            failed(given)
        else:
            raise given
    except Exception as raised:
        report(raised)


def _observed_by(
    observe: Any, question: Question, callback: Optional[Callback], failed: Optional[Failed]
) -> Union[Answers, LiveQuery]:
    if callback is None:
        return Answers(observe, question)
    return _Heard(observe, question, callback, failed)


class _Heard(LiveQuery):
    """A question whose answers are heard. The listener keeps it, until it is over."""

    def __init__(
        self, observe: Any, question: Question, callback: Callback, failed: Optional[Failed]
    ) -> None:
        self._callback = callback
        self._failed = failed
        # Held from an answer to the end of its call: none overtakes another.
        self._turn = threading.Lock()
        with self._turn:
            super().__init__(observe, question, self._hear)
            self._hand_on()

    def _hear(self) -> None:
        with self._turn:
            self._hand_on()

    def _hand_on(self) -> None:
        given = self._look()
        if given is not None:
            hand_on(given, self._callback, self._failed, _report)


def _report(raised: Exception) -> None:
    arguments = (type(raised), raised, raised.__traceback__, None)
    threading.excepthook(threading.ExceptHookArgs(arguments))


def _question(question: Question) -> Any:
    """A question as the generated module has it, read from its bytes."""
    data = question._asked(b"", b"")
    stream = _native._UniffiRustBufferStream(data, len(data))
    return _native._UniffiFfiConverterTypeQuestion.read(stream)


class _Listener:
    """Who is called by the engine's thread. The library keeps it, and nobody else."""

    def __init__(self, wake: Callable[[], object]) -> None:
        self._wake = wake

    def changed(self) -> None:
        """Called by the engine."""
        self._wake()


_observed: "WeakSet[Any]" = WeakSet()
_LAST_CALL = 1.0
"""How long a call may last when the interpreter ends, in seconds."""
_lost = 0
"""The number of listeners that existed before a fork: no thread of this process releases them."""


@atexit.register
def _fall_silent() -> None:
    """A thread that calls an interpreter which is ending is ended amid the engine's code.

    The library counts the listeners, because the thread that releases one still runs code of the
    interpreter after the listener object is gone.
    """
    for live in list(_observed):
        live.cancel()
    until = time.monotonic() + _LAST_CALL
    while _direct.listeners() > _lost and time.monotonic() < until:
        time.sleep(0.001)


def _forget() -> None:
    """The engine's threads are not in a process that is forked."""
    global _lost
    _observed.clear()
    _lost = _direct.listeners()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
