"""What blocks, waited for on asyncio."""

import asyncio
import contextvars
import functools
from types import TracebackType
from typing import Any, Callable, Generic, Optional, Type, TypeVar

from rollbook._crossing import Cancellable

T = TypeVar("T")
C = TypeVar("C", bound=Cancellable)


async def ended(
    call: Callable[..., T],
    *arguments: Any,
    stop: Callable[[], None] = lambda: None,
    **named: Any,
) -> T:
    """Runs a call on a thread. A task that is cancelled meanwhile says so to the
    call, waits until it has ended, and is cancelled only then."""
    # As asyncio.to_thread does it, but for the task that this would make: a loop
    # that shuts down cancels every task, and this one must be waited for.
    context = contextvars.copy_context()
    bound = functools.partial(context.run, call, *arguments, **named)
    running = asyncio.get_running_loop().run_in_executor(None, bound)
    cancelled: Optional[asyncio.CancelledError] = None
    while not running.done():
        try:
            await asyncio.wait([running])
        except asyncio.CancelledError as said:
            cancelled = said
            stop()
    if cancelled is None:
        return running.result()
    # Looked at, so that the loop does not report it as forgotten.
    running.exception()
    raise cancelled


class AsyncCancellable(Generic[C]):
    """As :class:`Cancellable`; an async context manager."""

    def __init__(self, of: C) -> None:
        self._of = of

    async def cancel(self) -> None:
        """Gives it up. Does nothing if it is over."""
        await ended(self._of.cancel)

    async def __aenter__(self: T) -> T:
        return self

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        raised: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        await self.cancel()
