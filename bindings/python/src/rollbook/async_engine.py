"""The engine for asyncio. Each call runs on a thread, so that the loop is not blocked."""

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

from rollbook._blocking_calls import AsyncCancellable, run_blocking
from rollbook._native_calls import NotCopyable
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
    """A dataset that is being loaded, like :class:`Load`. It is an async context manager."""

    async def push(self, piece: Union[bytes, bytearray, memoryview]) -> Progress:
        """Like :meth:`Load.push`."""
        return await run_blocking(self._of.push, piece)

    async def finish(self) -> Summary:
        """Like :meth:`Load.finish`."""
        return await run_blocking(self._of.finish)


class AsyncExport(AsyncCancellable[Export], AsyncIterator[str]):
    """An export, like :class:`Export`. It is an async context manager."""

    async def __anext__(self) -> str:
        """Returns the next lines, like :class:`Export`."""
        piece: Optional[str] = await run_blocking(next, self._of, None)
        if piece is None:
            raise StopAsyncIteration
        return piece


class AsyncSync(NotCopyable):
    """The sync of one school, like :class:`Sync`."""

    def __init__(self, sync: Sync) -> None:
        self.sync = sync
        """The sync whose methods are called."""

    async def next(self, now: Instant) -> Step:
        """Like :meth:`Sync.next`."""
        return await run_blocking(self.sync.next, now)

    async def handle_reply(self, call: int, now: Instant, reply: Reply) -> ReplyOutcome:
        """Like :meth:`Sync.handle_reply`."""
        return await run_blocking(self.sync.handle_reply, call, now, reply)

    async def handle_failure(self, call: int, now: Instant, failure: CallFailure) -> ReplyOutcome:
        """Like :meth:`Sync.handle_failure`."""
        return await run_blocking(self.sync.handle_failure, call, now, failure)

    async def prioritise(self, target: str) -> None:
        """Like :meth:`Sync.prioritise`."""
        await run_blocking(self.sync.prioritise, target)

    async def quarantined(self) -> Sequence[QuarantinedAnswer]:
        """Like :meth:`Sync.quarantined`."""
        return await run_blocking(self.sync.quarantined)

    async def approve(self, target: str) -> None:
        """Like :meth:`Sync.approve`."""
        await run_blocking(self.sync.approve, target)

    async def reject(self, target: str) -> None:
        """Like :meth:`Sync.reject`."""
        await run_blocking(self.sync.reject, target)

    async def report(self) -> SyncReport:
        """Like :meth:`Sync.report`."""
        return await run_blocking(self.sync.report)

    async def progress(self) -> SyncProgress:
        """Like :meth:`Sync.progress`."""
        return await run_blocking(self.sync.progress)


class AsyncEngine(AsyncObservable):
    """An :class:`Engine` for asyncio. It has the methods of the engine, which fail in the same
    cases. Each call runs on a thread of the loop's executor.

    A task that is cancelled first waits until its call has ended. A load is stopped in this case,
    and stores nothing, unless it was already being committed: then it is stored completely. When
    a task has ended, none of its calls is still running.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        """The engine whose methods are called."""

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
        """Like :meth:`Engine.open`."""
        return cls(
            await run_blocking(
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
        """Like :meth:`Engine.memory`."""
        return cls(
            await run_blocking(
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
        """Like :meth:`Engine.request`."""
        return await run_blocking(self.engine.request, target, method, headers, body, now)

    async def requests(self, requests: Iterable[Request]) -> List[Answer]:
        """Like :meth:`Engine.requests`."""
        return await run_blocking(self.engine.requests, requests)

    async def ask(self, question: Question, now: Optional[Instant] = None) -> Answer:
        """Like :meth:`Engine.ask`."""
        return await run_blocking(self.engine.ask, question, now)

    async def page(
        self,
        question: Question,
        *,
        cursor: Optional[str] = None,
        limit: Optional[int] = None,
        reverse_order: bool = False,
        now: Optional[Instant] = None,
    ) -> Answer:
        """Like :meth:`Engine.page`."""
        return await run_blocking(
            self.engine.page,
            question,
            cursor=cursor,
            limit=limit,
            reverse_order=reverse_order,
            now=now,
        )

    async def find(self, question: Question, now: Optional[Instant] = None) -> Answer:
        """Like :meth:`Engine.find`."""
        return await run_blocking(self.engine.find, question, now)

    async def set_state(
        self, username: str, school: int, api_type_id: int, active: bool
    ) -> Answer:
        """Like :meth:`Engine.set_state`."""
        return await run_blocking(self.engine.set_state, username, school, api_type_id, active)

    async def upgrade(self, target: str) -> Upgrade:
        """Like :meth:`Engine.upgrade`."""
        return await run_blocking(self.engine.upgrade, target)

    async def apply(
        self,
        dataset: Union[Dataset, AsyncIterable[bytes]],
        progress: Optional[Listener] = None,
    ) -> Summary:
        """Like :meth:`Engine.apply`. The dataset can also be an async iterable of pieces; in this
        case ``progress`` is called on the loop's thread."""
        if isinstance(dataset, AsyncIterable):
            return await _push_pieces(self.engine.load(), dataset, progress)
        return await _load_cancellable(self.engine.apply, dataset, progress=progress)

    async def replace_school(
        self,
        school: int,
        dataset: Union[Dataset, AsyncIterable[bytes]],
        progress: Optional[Listener] = None,
    ) -> Summary:
        """Like :meth:`Engine.replace_school`, for the datasets that :meth:`apply` takes."""
        if isinstance(dataset, AsyncIterable):
            return await _push_pieces(self.engine.load_school(school), dataset, progress)
        return await _load_cancellable(
            self.engine.replace_school, school, dataset, progress=progress
        )

    def load(self) -> AsyncLoad:
        """Like :meth:`Engine.load`."""
        return AsyncLoad(self.engine.load())

    def load_school(self, school: int) -> AsyncLoad:
        """Like :meth:`Engine.load_school`."""
        return AsyncLoad(self.engine.load_school(school))

    async def check(self, dataset: Dataset, limit: int = 100) -> List[Fault]:
        """Like :meth:`Engine.check`."""
        return await run_blocking(self.engine.check, dataset, limit)

    async def remove_school(self, school: int) -> Summary:
        """Like :meth:`Engine.remove_school`."""
        return await run_blocking(self.engine.remove_school, school)

    async def erase_learner(self, school: int, learner: int) -> Summary:
        """Like :meth:`Engine.erase_learner`."""
        return await run_blocking(self.engine.erase_learner, school, learner)

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
        """Like :meth:`Engine.sync`. Pass the result to :func:`rollbook.httpx.sync_with_async`."""
        return AsyncSync(
            await run_blocking(
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
        """Like :meth:`Engine.synced`."""
        return await run_blocking(self.engine.synced, school)

    async def forget_sync(self, school: int) -> None:
        """Like :meth:`Engine.forget_sync`."""
        await run_blocking(self.engine.forget_sync, school)

    async def feed(self, scope: Scope, after: Optional[str] = None) -> AsyncFeed:
        """Like :meth:`Engine.feed`. Iterate over the result with ``async for``."""
        return AsyncFeed(await run_blocking(self.engine.feed, scope, after))

    def observe_feed(self, scope: Scope) -> AsyncLiveFeed:
        """Like :meth:`Engine.observe_feed`."""
        return AsyncLiveFeed(self.engine._observing("observe_feed"), scope)

    def follow(self) -> AsyncFollow:
        """Like :meth:`Engine.follow`. :func:`rollbook.httpx.follow_from_async` fetches a feed over
        HTTP and applies it."""
        return AsyncFollow(self.engine.follow())

    async def followed(self) -> Optional[str]:
        """Like :meth:`Engine.followed`."""
        return await run_blocking(self.engine.followed)

    async def export(
        self, *, credentials: bool = False, scope: Optional[Scope] = None
    ) -> AsyncExport:
        """Like :meth:`Engine.export`. Iterate over the result with ``async for``."""
        export = await run_blocking(self.engine.export, credentials=credentials, scope=scope)
        return AsyncExport(export)

    async def export_pseudonymised(self, key: bytes) -> AsyncExport:
        """Like :meth:`Engine.export_pseudonymised`. Iterate over the result with ``async for``."""
        return AsyncExport(await run_blocking(self.engine.export_pseudonymised, key))

    async def verify(self) -> Verification:
        """Like :meth:`Engine.verify`."""
        return await run_blocking(self.engine.verify)

    async def compact(self) -> None:
        """Like :meth:`Engine.compact`."""
        await run_blocking(self.engine.compact)

    async def backup(
        self, path: Union[str, "os.PathLike[str]"], *, credentials: bool
    ) -> None:
        """Like :meth:`Engine.backup`."""
        await run_blocking(self.engine.backup, path, credentials=credentials)

    async def suspend(self) -> None:
        """Like :meth:`Engine.suspend`."""
        await run_blocking(self.engine.suspend)

    async def resume(self) -> None:
        """Like :meth:`Engine.resume`."""
        await run_blocking(self.engine.resume)

    async def stats(self) -> Stats:
        """Like :meth:`Engine.stats`."""
        return await run_blocking(self.engine.stats)

    async def close(self) -> None:
        """Like :meth:`Engine.close`."""
        await run_blocking(self.engine.close)

    async def __aenter__(self) -> "AsyncEngine":
        return self

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        raised: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        await self.close()


async def _load_cancellable(
    load: Callable[..., Summary], *args: Any, progress: Optional[Listener]
) -> Summary:
    """Loads with a listener that stops the load if the task is cancelled."""
    stopped = threading.Event()

    def listen(read: Progress) -> Optional[bool]:
        if stopped.is_set():
            return False
        return None if progress is None else progress(read)

    return await run_blocking(load, *args, progress=listen, stop=stopped.set)


async def _push_pieces(
    load: Load, dataset: AsyncIterable[bytes], progress: Optional[Listener]
) -> Summary:
    """Pushes the pieces of a dataset as they arrive."""
    async with AsyncLoad(load) as loading:
        async for piece in dataset:
            read = await loading.push(piece)
            if progress is not None and progress(read) is False:
                raise CancelledError("the load was cancelled: nothing was stored")
        return await loading.finish()
