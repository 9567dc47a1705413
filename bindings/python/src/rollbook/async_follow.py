"""Feeds for asyncio, on their way out and in."""

from typing import AsyncIterator, Optional, Union

from rollbook._awaiting import AsyncCancellable, ended
from rollbook.follow import Feed, Follow
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


class AsyncFollow(AsyncCancellable[Follow]):
    """A feed on its way in, as :class:`Follow`; an async context manager."""

    async def push(self, piece: Union[bytes, bytearray, memoryview]) -> Progress:
        """As :meth:`Follow.push`."""
        return await ended(self._of.push, piece)

    async def finish(self) -> Summary:
        """As :meth:`Follow.finish`."""
        return await ended(self._of.finish)
