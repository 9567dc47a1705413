"""Live queries for asyncio."""

import asyncio
import functools
from typing import Any, AsyncIterator, Callable, Optional, Union, overload

from rollbook._blocking_calls import AsyncCancellable, run_blocking
from rollbook._native_calls import NotCopyable
from rollbook.engine import Engine
from rollbook.errors import RollbookError
from rollbook.message import Answer
from rollbook.observe import Callback, Failed, Given, LiveQuery, deliver
from rollbook.question import Question


class AsyncAnswers(AsyncCancellable[LiveQuery], AsyncIterator[Answer]):
    """The successive answers to a question, like :class:`Answers`, for ``async for``. It is an
    async context manager. If a task is cancelled while it waits, no answer is lost."""

    def __init__(self, observe: Any, question: Question) -> None:
        self._due = asyncio.Event()
        # An answer or error that was fetched for a task, which was cancelled before it got it.
        self._given: Optional[Given] = None
        super().__init__(LiveQuery(observe, question, waking(self._due)))

    async def __anext__(self) -> Answer:
        """Waits for the next answer; the first one is available immediately. Fails as
        :class:`Answers` does."""
        given = await self._next()
        if given is None:
            raise StopAsyncIteration
        if isinstance(given, RollbookError):
            raise given
        return given

    async def cancel(self) -> None:
        """Ends the live query. Tasks that wait for an answer continue. Does nothing if it has
        ended."""
        await super().cancel()
        self._due.set()

    @property
    def is_over(self) -> bool:
        """Like :attr:`LiveQuery.is_over`."""
        return self._of.is_over

    async def _next(self) -> Optional[Given]:
        """Waits for the next answer or error. Returns None at the end."""
        while True:
            self._due.clear()
            await run_blocking(self._poll)
            given, self._given = self._given, None
            if given is not None or self._of.is_over:
                return given
            await self._due.wait()

    def _poll(self) -> None:
        if self._given is None:
            self._given = self._of._poll()


def waking(due: asyncio.Event) -> Callable[[], object]:
    """Returns a function that sets an event of the running loop from any thread."""
    # If the loop is closed, the function raises an exception, which the engine ignores. No task
    # waits for the event then.
    return functools.partial(asyncio.get_running_loop().call_soon_threadsafe, due.set)


class AsyncObservable(NotCopyable):
    """The methods of :class:`AsyncEngine` that start live queries."""

    engine: Engine

    @overload
    def observe(self, question: Question) -> AsyncAnswers: ...

    @overload
    def observe(
        self, question: Question, callback: Callback, *, failed: Optional[Failed] = None
    ) -> "asyncio.Task[None]": ...

    def observe(
        self,
        question: Question,
        callback: Optional[Callback] = None,
        *,
        failed: Optional[Failed] = None,
    ) -> Union[AsyncAnswers, "asyncio.Task[None]"]:
        """Like :meth:`Engine.observe`. Iterate over the result with ``async for``.

        With a ``callback`` it returns the task that calls it on the loop's thread, for the first
        time soon after this method has returned. Cancel the task to end the live query. Exceptions
        of ``callback`` and ``failed``, and an error of the store without ``failed``, are passed to
        the loop's exception handler.
        """
        start = self.engine._observing("observe")
        return _start_live_query(start, question, callback, failed)

    @overload
    def observe_record(self, question: Question) -> AsyncAnswers: ...

    @overload
    def observe_record(
        self, question: Question, callback: Callback, *, failed: Optional[Failed] = None
    ) -> "asyncio.Task[None]": ...

    def observe_record(
        self,
        question: Question,
        callback: Optional[Callback] = None,
        *,
        failed: Optional[Failed] = None,
    ) -> Union[AsyncAnswers, "asyncio.Task[None]"]:
        """Like :meth:`Engine.observe_record`. The result is the same as that of
        :meth:`observe`."""
        start = self.engine._observing("observe_record")
        return _start_live_query(start, question, callback, failed)


def _start_live_query(
    observe: Any, question: Question, callback: Optional[Callback], failed: Optional[Failed]
) -> Union[AsyncAnswers, "asyncio.Task[None]"]:
    answers = AsyncAnswers(observe, question)
    if callback is None:
        return answers
    return asyncio.get_running_loop().create_task(_deliver_all(answers, callback, failed))


async def _deliver_all(
    answers: AsyncAnswers, callback: Callback, failed: Optional[Failed]
) -> None:
    """Passes each answer to the callback until the live query ends."""
    loop = asyncio.get_running_loop()

    def report(raised: Exception) -> None:
        loop.call_exception_handler(
            {"message": "The callback of a live query failed", "exception": raised}
        )

    async with answers:
        while (given := await answers._next()) is not None:
            deliver(given, callback, failed, report)
