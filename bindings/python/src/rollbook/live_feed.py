"""Live feeds, which return the next feed of a scope as soon as it has changes."""

import os
import threading
import time
from typing import Any, Callable, Optional

from rollbook._native_calls import Cancellable, call_native
from rollbook.follow import Feed, Scope, native_scope
from rollbook.observe import _live, begin_listening, check_process

__all__ = ["LiveFeed"]


class LiveFeed(Cancellable):
    """Observes the feeds of a scope, one after the other, until it is cancelled or the engine is
    closed. It does not extend the lifetime of the engine. As a context manager it is cancelled at
    the end of the block.

    Use one live feed per follower, and pass the position of the previous feed to each call.
    """

    def __init__(
        self, observe: Any, scope: Scope, wake: Optional[Callable[[], object]] = None
    ) -> None:
        self._due = threading.Event()
        super().__init__(begin_listening(observe, native_scope(scope), wake or self._due.set))
        self._process = os.getpid()
        _live.add(self)

    @property
    def is_over(self) -> bool:
        """Whether the live feed was cancelled, or the engine was closed. No feed follows."""
        over: bool = self._native.is_over()
        return over

    def poll(self, after: Optional[str] = None) -> Optional[Feed]:
        """Returns the feed after a position, or the feed from the beginning without one, if it
        has changes. It does not wait for changes, but it may wait while another call erases data,
        or compacts or suspends the store.

        The first call always looks for changes. As long as nothing was changed in the schools of
        the scope, a later call costs almost nothing. Fails as :meth:`Engine.feed` does; the next
        call looks again.
        """
        check_process(self._process)
        feed = call_native(self._native.poll, after)
        return None if feed is None else Feed(feed)

    def next(self, after: Optional[str] = None, *, wait: Optional[float] = None) -> Optional[Feed]:
        """Waits until there is a feed, and returns it as :meth:`poll` does. With ``wait`` it
        waits for at most so many seconds. Returns None if there was no feed by then, or if the
        live feed is over."""
        until = None if wait is None else time.monotonic() + wait
        while True:
            self._due.clear()
            feed = self.poll(after)
            rest = None if until is None else until - time.monotonic()
            if feed is not None or self.is_over or (rest is not None and rest <= 0):
                return feed
            self._due.wait(rest)

    def cancel(self) -> None:
        """Ends the live feed: callers that wait for a feed return. Does nothing if it is over."""
        super().cancel()
        self._due.set()
