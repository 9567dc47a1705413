"""Feeds for asyncio, on their way out and in."""

import asyncio
from typing import Any, AsyncIterator, Optional, Union

from rollbook._awaiting import AsyncCancellable, ended
from rollbook.async_observe import waking
from rollbook.follow import Feed, Follow, Scope
from rollbook.live_feed import LiveFeed
from rollbook.report import Progress, Summary


class AsyncFeed(AsyncCancellable[Feed], AsyncIterator[str]):
    """What changed for a follower, as :class:`Feed`; an async context manager."""

    async def __anext__(self) -> str:
        """The next lines, as :class:`Feed` gives them."""
        piece: Optional[str] = await ended(next, self._of, None)
        if piece is None:
            raise StopAsyncIteration
        return piece

    @property
    def has_changes(self) -> bool:
        """As :attr:`Feed.has_changes`."""
        return self._of.has_changes

    @property
    def position(self) -> str:
        """As :attr:`Feed.position`."""
        return self._of.position


class AsyncLiveFeed(AsyncCancellable[LiveFeed]):
    """The feeds of a scope, as :class:`LiveFeed`; an async context manager."""

    def __init__(self, observe: Any, scope: Scope) -> None:
        self._due = asyncio.Event()
        super().__init__(LiveFeed(observe, scope, waking(self._due)))

    async def poll(self, after: Optional[str] = None) -> Optional[AsyncFeed]:
        """As :meth:`LiveFeed.poll`."""
        feed = await ended(self._of.poll, after)
        return None if feed is None else AsyncFeed(feed)

    async def next(
        self, after: Optional[str] = None, *, wait: Optional[float] = None
    ) -> Optional[AsyncFeed]:
        """As :meth:`LiveFeed.next`. No thread waits."""
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
        """As :attr:`LiveFeed.is_over`."""
        return self._of.is_over

    async def cancel(self) -> None:
        """Ends the live feed: tasks that wait for a feed continue. Does nothing if it is over."""
        await super().cancel()
        self._due.set()


class AsyncFollow(AsyncCancellable[Follow]):
    """A feed on its way in, as :class:`Follow`; an async context manager."""

    async def push(self, piece: Union[bytes, bytearray, memoryview]) -> Progress:
        """As :meth:`Follow.push`."""
        return await ended(self._of.push, piece)

    async def finish(self) -> Summary:
        """As :meth:`Follow.finish`."""
        return await ended(self._of.finish)
