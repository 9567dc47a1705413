"""The engine for asyncio: its answers, and tasks that are cancelled."""

import asyncio
import inspect
import threading
from pathlib import Path
from typing import Any, AsyncIterator, Awaitable, Callable, List

import pytest
from material import HEADERS, LARGE_SCHOOL, NOW, SAMPLE_SCHOOL

from rollbook import (
    AsyncEngine,
    BadDatasetError,
    CancelledError,
    ClosedError,
    Engine,
    Learners,
    Progress,
    Request,
)

LEARNERS = "/api/v1/adminplus/learners/1000"
BYTES = SAMPLE_SCHOOL.read_bytes()


def with_engine(test: Callable[[AsyncEngine], Awaitable[None]]) -> None:
    async def run() -> None:
        async with await AsyncEngine.memory(fixed_clock=NOW) as engine:
            await test(engine)

    asyncio.run(run())


def test_it_has_all_that_the_engine_has() -> None:
    for name, method in inspect.getmembers(Engine, callable):
        if not name.startswith("_"):
            own = inspect.signature(getattr(AsyncEngine, name)).parameters
            engines = inspect.signature(method).parameters
            assert list(own) == list(engines), name
            for parameter, engines_own in engines.items():
                assert own[parameter].default == engines_own.default
                assert own[parameter].kind == engines_own.kind


def test_the_same_answers(school: Engine, tmp_path: Path) -> None:
    async def test(engine: AsyncEngine) -> None:
        assert await engine.check(BYTES) == []
        summary = await engine.apply(SAMPLE_SCHOOL)
        assert summary.bytes == len(BYTES)
        answer = school.request(LEARNERS, headers=HEADERS)
        assert await engine.request(LEARNERS, headers=HEADERS) == answer
        assert await engine.requests([Request(LEARNERS, "GET", HEADERS)]) == [answer]
        question = Learners(1000)
        assert await engine.ask(question) == answer
        pages = await engine.page(question, limit=2), school.page(question, limit=2)
        # Cursors differ between stores.
        records = [page.json()["data"] for page in pages]
        assert len(records[0]) == 2 and records[0] == records[1]
        assert await engine.find(question) == school.find(question)
        assert await engine.upgrade(LEARNERS) == school.upgrade(LEARNERS)
        assert await engine.verify() == school.verify()
        assert (await engine.stats()).records == school.stats().records
        exported = "".join(school.export())
        async with await engine.export() as export:
            assert "".join([piece async for piece in export]) == exported
        copy = tmp_path / "copy.redb"
        await engine.backup(copy, credentials=True)
        async with await AsyncEngine.open(copy, page_limit=3) as other:
            assert "".join([piece async for piece in await other.export()]) == exported
            await other.compact()
            await other.suspend()
            await other.resume()
        assert (await engine.set_state("demo", 1000, 8, True)).status == 204
        assert (await engine.erase_learner(1000, 1)).total.removed > 0
        assert (await engine.remove_school(1001)).total.removed > 0

    with_engine(test)


def test_many_tasks_at_once(school: Engine) -> None:
    async def test(engine: AsyncEngine) -> None:
        await engine.apply(BYTES)
        targets = [f"{LEARNERS}?learner_id={learner}" for learner in range(40)]
        answers = await asyncio.gather(
            *[engine.request(target, headers=HEADERS) for target in targets]
        )
        assert answers == [school.request(target, headers=HEADERS) for target in targets]

    with_engine(test)


def test_errors_and_closing() -> None:
    async def test(engine: AsyncEngine) -> None:
        with pytest.raises(BadDatasetError):
            await engine.apply("{")
        await engine.close()
        await engine.close()
        with pytest.raises(ClosedError):
            await engine.ask(Learners(1000))

    with_engine(test)


async def pieces() -> AsyncIterator[bytes]:
    for at in range(0, len(BYTES), 10_000):
        await asyncio.sleep(0)
        yield BYTES[at : at + 10_000]


def test_pieces_as_they_come(school: Engine) -> None:
    async def test(engine: AsyncEngine) -> None:
        received: List[Progress] = []
        with pytest.raises(CancelledError):
            await engine.apply(pieces(), lambda _: False)
        assert not any((await engine.stats()).records.values())
        await engine.apply(pieces(), received.append)
        assert len(received) == len(range(0, len(BYTES), 10_000))
        assert "".join([piece async for piece in await engine.export()]) == "".join(
            school.export()
        )
        with pytest.raises(BadDatasetError, match="1001"):
            await engine.replace_school(1000, pieces())
        async with engine.load_school(1000) as load:
            await load.push(b'{"type":"school","school_id":1000,"current_year":2026}')
            assert (await load.finish()).total.removed > 0
        async with engine.load() as load:
            await load.push(BYTES)
        assert (await engine.stats()).records["learner"] < 5

    with_engine(test)


def test_a_progress_that_raises() -> None:
    async def test(engine: AsyncEngine) -> None:
        def raising(_: Progress) -> None:
            raise ZeroDivisionError

        for dataset in (SAMPLE_SCHOOL, pieces()):
            with pytest.raises(ZeroDivisionError):
                await engine.apply(dataset, raising)
        assert not any((await engine.stats()).records.values())

    with_engine(test)


class Loading:
    """A load of a large file in a task, whose progress can be observed."""

    def __init__(self, engine: AsyncEngine, replace: bool) -> None:
        self.begun = threading.Event()
        self.ended = False
        self.received = 0
        self.task = asyncio.ensure_future(self.run(engine, replace))

    async def run(self, engine: AsyncEngine, replace: bool) -> None:
        if replace:
            await engine.replace_school(1000, LARGE_SCHOOL, self.progress)
        else:
            await engine.apply(LARGE_SCHOOL, self.progress)

    def progress(self, _: Progress) -> None:
        self.received += 1
        self.begun.set()

    async def under_way(self) -> None:
        assert await asyncio.to_thread(self.begun.wait, 30)


@pytest.mark.parametrize("replace", [False, True])
def test_a_cancelled_load_has_ended_and_stored_nothing(tmp_path: Path, replace: bool) -> None:
    async def test() -> None:
        async with await AsyncEngine.open(tmp_path / "a.redb") as engine:
            await engine.apply(SAMPLE_SCHOOL)
            before = [piece async for piece in await engine.export(credentials=True)]
            loading = Loading(engine, replace)
            await loading.under_way()
            loading.task.cancel()
            await asyncio.sleep(0)
            loading.task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await loading.task
            received = loading.received
            # The load has ended, so another one does not wait for it.
            assert (await engine.apply(SAMPLE_SCHOOL)).total.added == 0
            after = [piece async for piece in await engine.export(credentials=True)]
            assert after == before and loading.received == received

    asyncio.run(test())


def test_a_load_that_is_timed_out(tmp_path: Path) -> None:
    async def test() -> None:
        async with await AsyncEngine.open(tmp_path / "a.redb") as engine:
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(engine.apply(LARGE_SCHOOL), 0.2)
            assert not any((await engine.stats()).records.values())

    asyncio.run(test())


def test_a_loop_that_ends_waits_for_the_load(tmp_path: Path) -> None:
    """asyncio.run cancels the remaining tasks, and the store is closed only after that."""
    left: List[Any] = []

    async def test() -> None:
        engine = await AsyncEngine.open(tmp_path / "a.redb")
        left.append(engine.engine)
        left.append(Loading(engine, replace=False))
        await left[1].under_way()

    asyncio.run(test())
    assert left[1].task.cancelled()
    assert not any(left[0].stats().records.values())
    left[0].close()


def test_a_call_that_fails_while_its_task_is_cancelled() -> None:
    async def test(engine: AsyncEngine) -> None:
        begun, go_on = threading.Event(), threading.Event()

        def late(_: Progress) -> None:
            begun.set()
            go_on.wait(30)
            raise ZeroDivisionError

        task = asyncio.ensure_future(engine.apply(SAMPLE_SCHOOL, late))
        await asyncio.to_thread(begun.wait, 30)
        task.cancel()
        await asyncio.sleep(0)
        assert not task.done()
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await task

    with_engine(test)
