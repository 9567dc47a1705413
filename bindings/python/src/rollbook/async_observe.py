"""Questions that are observed, on asyncio."""

import asyncio
import functools
from typing import Any, AsyncIterator, Callable, Optional, Union, overload

from rollbook._awaiting import AsyncCancellable, ended
from rollbook.engine import Engine
from rollbook.errors import RollbookError
from rollbook.message import Answer
from rollbook.observe import Callback, Failed, Given, LiveQuery, hand_on
from rollbook.question import Question


class AsyncAnswers(AsyncCancellable[LiveQuery], AsyncIterator[Answer]):
    """The answers to a question, as :class:`Answers`, for ``async for``; an async context
    manager. A task that is cancelled while it waits loses no answer."""

    def __init__(self, observe: Any, question: Question) -> None:
        self._due = asyncio.Event()
        # What a task that was cancelled did not take.
        self._given: Optional[Given] = None
        super().__init__(LiveQuery(observe, question, waking(self._due)))

    async def __anext__(self) -> Answer:
        """The next answer; the first one is there at once. Fails as :class:`Answers` does."""
        given = await self._next()
        if given is None:
            raise StopAsyncIteration
        if isinstance(given, RollbookError):
            raise given
        return given

    async def cancel(self) -> None:
        """Ends it: who waits for an answer goes on. Does nothing if it is over."""
        await super().cancel()
        self._due.set()

    @property
    def is_over(self) -> bool:
        """As :attr:`LiveQuery.is_over`."""
        return self._of.is_over

    async def _next(self) -> Optional[Given]:
        """What is new, once there is something; None at the end."""
        while True:
            self._due.clear()
            await ended(self._look)
            given, self._given = self._given, None
            if given is not None or self._of.is_over:
                return given
            await self._due.wait()

    def _look(self) -> None:
        if self._given is None:
            self._given = self._of._look()


def waking(due: asyncio.Event) -> Callable[[], object]:
    """What sets an event of the running loop, from any thread."""
    # What a loop that is closed raises is lost on its way back, and nobody waits.
    return functools.partial(asyncio.get_running_loop().call_soon_threadsafe, due.set)


class AsyncObservable:
    """What :class:`AsyncEngine` and its observers share."""

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
        """As :meth:`Engine.observe`, to be iterated over by ``async for``.

        With a ``callback`` it gives the task that calls it, on the loop's thread, the first
        time soon; cancel it to end the live query. What is raised and nobody hears goes to
        the loop's exception handler.
        """
        return _observed_by(self.engine._native.observe, question, callback, failed)

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
        """As :meth:`Engine.observe_record`, and as :meth:`observe`."""
        return _observed_by(self.engine._native.observe_record, question, callback, failed)


def _observed_by(
    observe: Any, question: Question, callback: Optional[Callback], failed: Optional[Failed]
) -> Union[AsyncAnswers, "asyncio.Task[None]"]:
    answers = AsyncAnswers(observe, question)
    if callback is None:
        return answers
    return asyncio.get_running_loop().create_task(_told(answers, callback, failed))


async def _told(answers: AsyncAnswers, callback: Callback, failed: Optional[Failed]) -> None:
    loop = asyncio.get_running_loop()

    def report(raised: Exception) -> None:
        loop.call_exception_handler(
            {"message": "An observed answer was not taken", "exception": raised}
        )

    async with answers:
        while (given := await answers._next()) is not None:
            hand_on(given, callback, failed, report)
