"""The engine for asyncio: each call runs on a thread, and the loop goes on."""

import asyncio
import contextvars
import functools
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
    Type,
    TypeVar,
    Union,
)

from rollbook.dataset import Dataset, Listener
from rollbook.engine import Engine
from rollbook.errors import CancelledError
from rollbook.export import Export
from rollbook.instant import Instant
from rollbook.load import Load
from rollbook.message import Answer, Headers, Request, Upgrade
from rollbook.question import Day, Question
from rollbook.report import Fault, Progress, Stats, Summary, Verification
from rollbook.sync import Coverage, NoReply, Reply, Step, Sync, SyncProgress, Taken

T = TypeVar("T")


async def _ended(
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


class AsyncLoad:
    """A dataset on its way in, as :class:`Load`; an async context manager."""

    def __init__(self, load: Load) -> None:
        self._load = load

    async def push(self, piece: Union[bytes, bytearray, memoryview]) -> Progress:
        """As :meth:`Load.push`."""
        return await _ended(self._load.push, piece)

    async def finish(self) -> Summary:
        """As :meth:`Load.finish`."""
        return await _ended(self._load.finish)

    async def cancel(self) -> None:
        """As :meth:`Load.cancel`."""
        await _ended(self._load.cancel)

    async def __aenter__(self) -> "AsyncLoad":
        return self

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        raised: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        await self.cancel()


class AsyncExport(AsyncIterator[str]):
    """All that the store holds, as :class:`Export`; an async context manager."""

    def __init__(self, export: Export) -> None:
        self._export = export

    async def __anext__(self) -> str:
        """The next lines, as :class:`Export` gives them."""
        piece: Optional[str] = await _ended(next, self._export, None)
        if piece is None:
            raise StopAsyncIteration
        return piece

    async def cancel(self) -> None:
        """As :meth:`Export.cancel`."""
        await _ended(self._export.cancel)

    async def __aenter__(self) -> "AsyncExport":
        return self

    async def __aexit__(
        self,
        kind: Optional[Type[BaseException]],
        raised: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        await self.cancel()


class AsyncSync:
    """The syncing of one school, as :class:`Sync`."""

    def __init__(self, sync: Sync) -> None:
        self.sync = sync
        """The sync that is asked."""

    async def next(self, now: Instant) -> Step:
        """As :meth:`Sync.next`."""
        return await _ended(self.sync.next, now)

    async def take(self, call: int, now: Instant, reply: Reply) -> Taken:
        """As :meth:`Sync.take`."""
        return await _ended(self.sync.take, call, now, reply)

    async def fail(self, call: int, now: Instant, why: NoReply) -> Taken:
        """As :meth:`Sync.fail`."""
        return await _ended(self.sync.fail, call, now, why)

    async def want(self, target: str) -> None:
        """As :meth:`Sync.want`."""
        await _ended(self.sync.want, target)

    async def confirm(self, target: str) -> None:
        """As :meth:`Sync.confirm`."""
        await _ended(self.sync.confirm, target)

    async def progress(self) -> SyncProgress:
        """As :meth:`Sync.progress`."""
        return await _ended(self.sync.progress)


class AsyncEngine:
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
    ) -> "AsyncEngine":
        """As :meth:`Engine.open`."""
        return cls(
            await _ended(
                Engine.open,
                path,
                cache_bytes=cache_bytes,
                fixed_clock=fixed_clock,
                page_limit=page_limit,
                max_page_limit=max_page_limit,
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
    ) -> "AsyncEngine":
        """As :meth:`Engine.memory`."""
        return cls(
            await _ended(
                Engine.memory,
                cache_bytes=cache_bytes,
                fixed_clock=fixed_clock,
                page_limit=page_limit,
                max_page_limit=max_page_limit,
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
        return await _ended(self.engine.request, target, method, headers, body, now)

    async def requests(self, requests: Iterable[Request]) -> List[Answer]:
        """As :meth:`Engine.requests`."""
        return await _ended(self.engine.requests, requests)

    async def ask(self, question: Question, now: Optional[Instant] = None) -> Answer:
        """As :meth:`Engine.ask`."""
        return await _ended(self.engine.ask, question, now)

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
        return await _ended(
            self.engine.page,
            question,
            cursor=cursor,
            limit=limit,
            reverse_order=reverse_order,
            now=now,
        )

    async def find(self, question: Question, now: Optional[Instant] = None) -> Answer:
        """As :meth:`Engine.find`."""
        return await _ended(self.engine.find, question, now)

    async def set_state(
        self, username: str, school: int, api_type_id: int, active: bool
    ) -> Answer:
        """As :meth:`Engine.set_state`."""
        return await _ended(self.engine.set_state, username, school, api_type_id, active)

    async def upgrade(self, target: str) -> Upgrade:
        """As :meth:`Engine.upgrade`."""
        return await _ended(self.engine.upgrade, target)

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
        return await _ended(self.engine.check, dataset, limit)

    async def remove_school(self, school: int) -> Summary:
        """As :meth:`Engine.remove_school`."""
        return await _ended(self.engine.remove_school, school)

    async def erase_learner(self, school: int, learner: int) -> Summary:
        """As :meth:`Engine.erase_learner`."""
        return await _ended(self.engine.erase_learner, school, learner)

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
            await _ended(
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
        return await _ended(self.engine.synced, school)

    async def forget_sync(self, school: int) -> None:
        """As :meth:`Engine.forget_sync`."""
        await _ended(self.engine.forget_sync, school)

    async def export(self, *, credentials: bool = False) -> AsyncExport:
        """As :meth:`Engine.export`, to be iterated over by ``async for``."""
        return AsyncExport(await _ended(self.engine.export, credentials=credentials))

    async def export_pseudonymised(self, key: bytes) -> AsyncExport:
        """As :meth:`Engine.export_pseudonymised`, to be iterated over by ``async for``."""
        return AsyncExport(await _ended(self.engine.export_pseudonymised, key))

    async def verify(self) -> Verification:
        """As :meth:`Engine.verify`."""
        return await _ended(self.engine.verify)

    async def compact(self) -> None:
        """As :meth:`Engine.compact`."""
        await _ended(self.engine.compact)

    async def backup(
        self, path: Union[str, "os.PathLike[str]"], *, credentials: bool
    ) -> None:
        """As :meth:`Engine.backup`."""
        await _ended(self.engine.backup, path, credentials=credentials)

    async def suspend(self) -> None:
        """As :meth:`Engine.suspend`."""
        await _ended(self.engine.suspend)

    async def resume(self) -> None:
        """As :meth:`Engine.resume`."""
        await _ended(self.engine.resume)

    async def stats(self) -> Stats:
        """As :meth:`Engine.stats`."""
        return await _ended(self.engine.stats)

    async def close(self) -> None:
        """As :meth:`Engine.close`."""
        await _ended(self.engine.close)

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

    return await _ended(load, *args, progress=heard, stop=stopped.set)


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
