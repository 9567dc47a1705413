"""Runs blocking calls for asyncio, each on a thread of the loop's executor."""

import asyncio
import contextvars
import functools
from types import TracebackType
from typing import Any, Callable, Generic, Optional, Type, TypeVar

from rollbook._native_calls import Cancellable, NotCopyable

T = TypeVar("T")
C = TypeVar("C", bound=Cancellable)


async def run_blocking(
    call: Callable[..., T],
    *arguments: Any,
    stop: Callable[[], None] = lambda: None,
    **named: Any,
) -> T:
    """Runs a blocking call on a thread and returns its result.

    If the task is cancelled meanwhile, this calls ``stop``, waits until the call has ended,
    and only then raises the cancellation.
    """
    # This is asyncio.to_thread without a task of its own: a loop that shuts down cancels
    # every task, but must wait for this call.
    context = contextvars.copy_context()
    bound = functools.partial(context.run, call, *arguments, **named)
    running = asyncio.get_running_loop().run_in_executor(None, bound)
    cancelled: Optional[asyncio.CancelledError] = None
    while not running.done():
        try:
            await asyncio.wait([running])
        except asyncio.CancelledError as raised:
            cancelled = raised
            stop()
    if cancelled is None:
        return running.result()
    # The exception is retrieved, so that the loop does not report that it never was.
    running.exception()
    raise cancelled


class AsyncCancellable(NotCopyable, Generic[C]):
    """A :class:`Cancellable` for asyncio. As an async context manager it is cancelled at the
    end of the block if it has not ended."""

    def __init__(self, of: C) -> None:
        self._of = of

    async def cancel(self) -> None:
        """Cancels it. Does nothing if it has ended."""
        await run_blocking(self._of.cancel)

    async def __aenter__(self: T) -> T:
        return self

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        raised: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        await self.cancel()
