"""The engine for asyncio: each call runs on a thread, and the loop goes on."""

import os
import threading
from types import TracebackType
from typing import (
    Any,
    AsyncIterable,
    AsyncIterator,
    Callable,
    Iterable,
    List,
    Optional,
    Sequence,
    Type,
    Union,
)

from rollbook._awaiting import AsyncCancellable, ended
from rollbook.async_follow import AsyncFeed, AsyncFollow, AsyncLiveFeed
from rollbook.async_observe import AsyncObservable
from rollbook.dataset import Dataset, Listener
from rollbook.engine import Engine
from rollbook.errors import CancelledError
from rollbook.export import Export
from rollbook.follow import Scope
from rollbook.instant import Instant
from rollbook.load import Load
from rollbook.message import Answer, Headers, Request, Upgrade
from rollbook.question import Day, Question
from rollbook.report import Fault, Progress, Stats, Summary, Verification
from rollbook.sync import (
    CallFailure,
    Coverage,
    QuarantinedAnswer,
    Reply,
    ReplyOutcome,
    Step,
    Sync,
    SyncProgress,
    SyncReport,
)


class AsyncLoad(AsyncCancellable[Load]):
    """A dataset on its way in, as :class:`Load`; an async context manager."""

    async def push(self, piece: Union[bytes, bytearray, memoryview]) -> Progress:
        """As :meth:`Load.push`."""
        return await ended(self._of.push, piece)

    async def finish(self) -> Summary:
        """As :meth:`Load.finish`."""
        return await ended(self._of.finish)


class AsyncExport(AsyncCancellable[Export], AsyncIterator[str]):
    """All that the store holds, as :class:`Export`; an async context manager."""

    async def __anext__(self) -> str:
        """The next lines, as :class:`Export` gives them."""
        piece: Optional[str] = await ended(next, self._of, None)
        if piece is None:
            raise StopAsyncIteration
        return piece


class AsyncSync:
    """The syncing of one school, as :class:`Sync`."""

    def __init__(self, sync: Sync) -> None:
        self.sync = sync
        """The sync that is asked."""

    async def next(self, now: Instant) -> Step:
        """As :meth:`Sync.next`."""
        return await ended(self.sync.next, now)

    async def handle_reply(self, call: int, now: Instant, reply: Reply) -> ReplyOutcome:
        """As :meth:`Sync.handle_reply`."""
        return await ended(self.sync.handle_reply, call, now, reply)

    async def handle_failure(self, call: int, now: Instant, failure: CallFailure) -> ReplyOutcome:
        """As :meth:`Sync.handle_failure`."""
        return await ended(self.sync.handle_failure, call, now, failure)

    async def prioritise(self, target: str) -> None:
        """As :meth:`Sync.prioritise`."""
        await ended(self.sync.prioritise, target)

    async def quarantined(self) -> Sequence[QuarantinedAnswer]:
        """As :meth:`Sync.quarantined`."""
        return await ended(self.sync.quarantined)

    async def approve(self, target: str) -> None:
        """As :meth:`Sync.approve`."""
        await ended(self.sync.approve, target)

    async def reject(self, target: str) -> None:
        """As :meth:`Sync.reject`."""
        await ended(self.sync.reject, target)

    async def report(self) -> SyncReport:
        """As :meth:`Sync.report`."""
        return await ended(self.sync.report)

    async def progress(self) -> SyncProgress:
        """As :meth:`Sync.progress`."""
        return await ended(self.sync.progress)


class AsyncEngine(AsyncObservable):
    """An :class:`Engine` for asyncio. Its methods are those of the engine, each on a
    thread of the loop's executor, and fail alike.

    A task that is cancelled waits for the end of the call that it is in, and a load
    is told to stop: no change is half done, and none is still under way when the
    task has ended. One that was past stopping is there whole.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        """The engine that is asked."""

    @classmethod
    async def open(
        cls,
        path: Union[str, "os.PathLike[str]"],
        *,
        cache_bytes: Optional[int] = None,
        fixed_clock: Optional[Instant] = None,
        page_limit: Optional[int] = None,
        max_page_limit: Optional[int] = None,
        journal_bytes: Optional[int] = None,
    ) -> "AsyncEngine":
        """As :meth:`Engine.open`."""
        return cls(
            await ended(
                Engine.open,
                path,
                cache_bytes=cache_bytes,
                fixed_clock=fixed_clock,
                page_limit=page_limit,
                max_page_limit=max_page_limit,
                journal_bytes=journal_bytes,
            )
        )

    @classmethod
    async def memory(
        cls,
        *,
        cache_bytes: Optional[int] = None,
        fixed_clock: Optional[Instant] = None,
        page_limit: Optional[int] = None,
        max_page_limit: Optional[int] = None,
        journal_bytes: Optional[int] = None,
    ) -> "AsyncEngine":
        """As :meth:`Engine.memory`."""
        return cls(
            await ended(
                Engine.memory,
                cache_bytes=cache_bytes,
                fixed_clock=fixed_clock,
                page_limit=page_limit,
                max_page_limit=max_page_limit,
                journal_bytes=journal_bytes,
            )
        )

    async def request(
        self,
        target: str,
        method: str = "GET",
        headers: Headers = (),
        body: Union[str, bytes] = b"",
        now: Optional[Instant] = None,
    ) -> Answer:
        """As :meth:`Engine.request`."""
        return await ended(self.engine.request, target, method, headers, body, now)

    async def requests(self, requests: Iterable[Request]) -> List[Answer]:
        """As :meth:`Engine.requests`."""
        return await ended(self.engine.requests, requests)

    async def ask(self, question: Question, now: Optional[Instant] = None) -> Answer:
        """As :meth:`Engine.ask`."""
        return await ended(self.engine.ask, question, now)

    async def page(
        self,
        question: Question,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        reverse_order: bool = False,
        now: Optional[Instant] = None,
    ) -> Answer:
        """As :meth:`Engine.page`."""
        return await ended(
            self.engine.page,
            question,
            cursor=cursor,
            limit=limit,
            reverse_order=reverse_order,
            now=now,
        )

    async def find(self, question: Question, now: Optional[Instant] = None) -> Answer:
        """As :meth:`Engine.find`."""
        return await ended(self.engine.find, question, now)

    async def set_state(
        self, username: str, school: int, api_type_id: int, active: bool
    ) -> Answer:
        """As :meth:`Engine.set_state`."""
        return await ended(self.engine.set_state, username, school, api_type_id, active)

    async def upgrade(self, target: str) -> Upgrade:
        """As :meth:`Engine.upgrade`."""
        return await ended(self.engine.upgrade, target)

    async def apply(
        self,
        dataset: Union[Dataset, AsyncIterable[bytes]],
        progress: Optional[Listener] = None,
    ) -> Summary:
        """As :meth:`Engine.apply`; pieces may come from an async iterable too, and
        ``progress`` is called on the loop's thread then."""
        if isinstance(dataset, AsyncIterable):
            return await _pushed(self.engine.load(), dataset, progress)
        return await _loaded(self.engine.apply, dataset, progress=progress)

    async def replace_school(
        self,
        school: int,
        dataset: Union[Dataset, AsyncIterable[bytes]],
        progress: Optional[Listener] = None,
    ) -> Summary:
        """As :meth:`Engine.replace_school`, and as :meth:`apply`."""
        if isinstance(dataset, AsyncIterable):
            return await _pushed(self.engine.load_school(school), dataset, progress)
        return await _loaded(self.engine.replace_school, school, dataset, progress=progress)

    def load(self) -> AsyncLoad:
        """As :meth:`Engine.load`."""
        return AsyncLoad(self.engine.load())

    def load_school(self, school: int) -> AsyncLoad:
        """As :meth:`Engine.load_school`."""
        return AsyncLoad(self.engine.load_school(school))

    async def check(self, dataset: Dataset, limit: int = 100) -> List[Fault]:
        """As :meth:`Engine.check`."""
        return await ended(self.engine.check, dataset, limit)

    async def remove_school(self, school: int) -> Summary:
        """As :meth:`Engine.remove_school`."""
        return await ended(self.engine.remove_school, school)

    async def erase_learner(self, school: int, learner: int) -> Summary:
        """As :meth:`Engine.erase_learner`."""
        return await ended(self.engine.erase_learner, school, learner)

    async def sync(
        self,
        school: int,
        *,
        days_from: Optional[Day] = None,
        utc_offset: Optional[str] = None,
        most_in_flight: Optional[int] = None,
        rotate: Optional[int] = None,
        outbox: Optional[str] = None,
    ) -> AsyncSync:
        """As :meth:`Engine.sync`; :func:`rollbook.httpx.sync_with_async` drives it."""
        return AsyncSync(
            await ended(
                self.engine.sync,
                school,
                days_from=days_from,
                utc_offset=utc_offset,
                most_in_flight=most_in_flight,
                rotate=rotate,
                outbox=outbox,
            )
        )

    async def synced(self, school: int) -> Optional[Coverage]:
        """As :meth:`Engine.synced`."""
        return await ended(self.engine.synced, school)

    async def forget_sync(self, school: int) -> None:
        """As :meth:`Engine.forget_sync`."""
        await ended(self.engine.forget_sync, school)

    async def feed(self, scope: Scope, after: Optional[str] = None) -> AsyncFeed:
        """As :meth:`Engine.feed`, to be iterated over by ``async for``."""
        return AsyncFeed(await ended(self.engine.feed, scope, after))

    def observe_feed(self, scope: Scope) -> AsyncLiveFeed:
        """As :meth:`Engine.observe_feed`."""
        return AsyncLiveFeed(self.engine._native.observe_feed, scope)

    def follow(self) -> AsyncFollow:
        """As :meth:`Engine.follow`; :func:`rollbook.httpx.follow_from_async` drives it."""
        return AsyncFollow(self.engine.follow())

    async def followed(self) -> Optional[str]:
        """As :meth:`Engine.followed`."""
        return await ended(self.engine.followed)

    async def export(
        self, *, credentials: bool = False, scope: Optional[Scope] = None
    ) -> AsyncExport:
        """As :meth:`Engine.export`, to be iterated over by ``async for``."""
        return AsyncExport(await ended(self.engine.export, credentials=credentials, scope=scope))

    async def export_pseudonymised(self, key: bytes) -> AsyncExport:
        """As :meth:`Engine.export_pseudonymised`, to be iterated over by ``async for``."""
        return AsyncExport(await ended(self.engine.export_pseudonymised, key))

    async def verify(self) -> Verification:
        """As :meth:`Engine.verify`."""
        return await ended(self.engine.verify)

    async def compact(self) -> None:
        """As :meth:`Engine.compact`."""
        await ended(self.engine.compact)

    async def backup(
        self, path: Union[str, "os.PathLike[str]"], *, credentials: bool
    ) -> None:
        """As :meth:`Engine.backup`."""
        await ended(self.engine.backup, path, credentials=credentials)

    async def suspend(self) -> None:
        """As :meth:`Engine.suspend`."""
        await ended(self.engine.suspend)

    async def resume(self) -> None:
        """As :meth:`Engine.resume`."""
        await ended(self.engine.resume)

    async def stats(self) -> Stats:
        """As :meth:`Engine.stats`."""
        return await ended(self.engine.stats)

    async def close(self) -> None:
        """As :meth:`Engine.close`."""
        await ended(self.engine.close)

    async def __aenter__(self) -> "AsyncEngine":
        return self

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        raised: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        await self.close()


async def _loaded(
    load: Callable[..., Summary], *args: Any, progress: Optional[Listener]
) -> Summary:
    """Loads with a listener that stops the load of a task that is cancelled."""
    stopped = threading.Event()

    def heard(read: Progress) -> Optional[bool]:
        if stopped.is_set():
            return False
        return None if progress is None else progress(read)

    return await ended(load, *args, progress=heard, stop=stopped.set)


async def _pushed(
    load: Load, dataset: AsyncIterable[bytes], progress: Optional[Listener]
) -> Summary:
    """Pushes pieces as they come."""
    async with AsyncLoad(load) as loading:
        async for piece in dataset:
            read = await loading.push(piece)
            if progress is not None and progress(read) is False:
                raise CancelledError("the load was cancelled: nothing was kept")
        return await loading.finish()
