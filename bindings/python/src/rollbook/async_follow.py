"""Feeds for asyncio: those of this store for followers, and those that this store applies."""

import asyncio
from typing import Any, AsyncIterator, Optional, Union

from rollbook._blocking_calls import AsyncCancellable, run_blocking
from rollbook.async_observe import waking
from rollbook.follow import Feed, Follow, Scope
from rollbook.live_feed import LiveFeed
from rollbook.report import Progress, Summary


class AsyncFeed(AsyncCancellable[Feed], AsyncIterator[str]):
    """The changes for a follower, like :class:`Feed`. It is an async context manager."""

    async def __anext__(self) -> str:
        """Returns the next lines, like :class:`Feed`."""
        piece: Optional[str] = await run_blocking(next, self._of, None)
        if piece is None:
            raise StopAsyncIteration
        return piece

    @property
    def has_changes(self) -> bool:
        """Like :attr:`Feed.has_changes`."""
        return self._of.has_changes

    @property
    def position(self) -> str:
        """Like :attr:`Feed.position`."""
        return self._of.position


class AsyncLiveFeed(AsyncCancellable[LiveFeed]):
    """The successive feeds of a scope, like :class:`LiveFeed`. It is an async context manager."""

    def __init__(self, observe: Any, scope: Scope) -> None:
        self._due = asyncio.Event()
        super().__init__(LiveFeed(observe, scope, waking(self._due)))

    async def poll(self, after: Optional[str] = None) -> Optional[AsyncFeed]:
        """Like :meth:`LiveFeed.poll`."""
        feed = await run_blocking(self._of.poll, after)
        return None if feed is None else AsyncFeed(feed)

    async def next(
        self, after: Optional[str] = None, *, wait: Optional[float] = None
    ) -> Optional[AsyncFeed]:
        """Like :meth:`LiveFeed.next`, but no thread is blocked meanwhile."""
        loop = asyncio.get_running_loop()
        until = None if wait is None else loop.time() + wait
        while True:
            self._due.clear()
            feed = await self.poll(after)
            rest = None if until is None else until - loop.time()
            if feed is not None or self.is_over or (rest is not None and rest <= 0):
                return feed
            try:
                await asyncio.wait_for(self._due.wait(), rest)
            except asyncio.TimeoutError:
                pass

    @property
    def is_over(self) -> bool:
        """Like :attr:`LiveFeed.is_over`."""
        return self._of.is_over

    async def cancel(self) -> None:
        """Ends the live feed. Tasks that wait for a feed continue. Does nothing if it has
        ended."""
        await super().cancel()
        self._due.set()


class AsyncFollow(AsyncCancellable[Follow]):
    """A feed that is being received, like :class:`Follow`. It is an async context manager."""

    async def push(self, piece: Union[bytes, bytearray, memoryview]) -> Progress:
        """Like :meth:`Follow.push`."""
        return await run_blocking(self._of.push, piece)

    async def finish(self) -> Summary:
        """Like :meth:`Follow.finish`."""
        return await run_blocking(self._of.finish)
