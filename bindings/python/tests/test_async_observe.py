"""Live queries on asyncio."""

import asyncio
import time
from typing import Any, Awaitable, Callable, List

import pytest
from midnight import midnight
from test_observe import GRADES, LEARNERS, PARENT, SCHOOL, bring_a_part, grade, shown

from rollbook import Absentees, Answer, AsyncEngine, Grades, NotSyncedError


def with_engine(test: Callable[[AsyncEngine], Awaitable[None]]) -> None:
    async def run() -> None:
        async with await AsyncEngine.memory() as engine:
            await engine.apply(SCHOOL)
            await asyncio.wait_for(test(engine), 120)

    asyncio.run(run())


def test_the_answer_now_and_after_each_change() -> None:
    async def test(engine: AsyncEngine) -> None:
        statuses: List[int] = []
        async for answer in engine.observe(GRADES):
            statuses.append(answer.status)
            if answer == shown("8"):
                break
            await engine.apply(grade("8" if answer == shown("7") else "7"))
        assert statuses == [404, 200, 200]

        grades = engine.observe(GRADES)
        assert await grades.__anext__() == shown("8")
        # A change of other data, and a change that results in the same answer, deliver nothing.
        await engine.apply(PARENT)
        await engine.replace_school(1, SCHOOL + grade("8"))
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(grades.__anext__(), 0.2)
        waiting = asyncio.ensure_future(grades.__anext__())
        await asyncio.sleep(0.05)
        await engine.replace_school(1, SCHOOL + grade("9"))
        assert await waiting == shown("9")
        record = engine.observe_record(Grades(1, grade_id=9))
        assert (await record.__anext__()).json() == {"id": 9, "name": "Grade 9"}

    with_engine(test)


def test_a_task_that_is_cancelled_loses_no_answer() -> None:
    async def test(engine: AsyncEngine) -> None:
        for rounds in range(50):
            grades = engine.observe(GRADES)
            task = asyncio.ensure_future(grades.__anext__())
            # The task is cancelled at different steps; in some rounds it has already polled.
            for _ in range(rounds % 10):
                await asyncio.sleep(0)
            task.cancel()
            try:
                await task
            except asyncio.CancelledError:
                assert (await asyncio.wait_for(grades.__anext__(), 60)).status == 404

    with_engine(test)


def test_the_end_of_the_engine_and_of_the_live_query() -> None:
    async def test(engine: AsyncEngine) -> None:
        cancelled, closed = engine.observe(GRADES), engine.observe(GRADES)
        for answers, end in ((cancelled, cancelled.cancel), (closed, engine.close)):
            await answers.__anext__()
            waiting = asyncio.ensure_future(answers.__anext__())
            await asyncio.sleep(0.05)
            await end()
            with pytest.raises(StopAsyncIteration):
                await waiting
            assert answers.is_over
        assert [answer async for answer in engine.observe(GRADES)] == []

    with_engine(test)


def test_an_error_is_delivered_and_the_live_query_continues() -> None:
    async def test(engine: AsyncEngine) -> None:
        received: "asyncio.Queue[Any]" = asyncio.Queue()
        learners = engine.observe(LEARNERS)
        await learners.__anext__()
        task = engine.observe(LEARNERS, received.put_nowait, failed=received.put_nowait)
        assert (await received.get()).status == 404
        bring_a_part(engine.engine)
        with pytest.raises(NotSyncedError):
            await learners.__anext__()
        assert not learners.is_over
        assert isinstance(await received.get(), NotSyncedError)
        await engine.forget_sync(1)
        assert (await received.get()).status == (await learners.__anext__()).status == 200
        await engine.close()
        await task

    with_engine(test)


def test_a_callback_is_called_on_the_loop() -> None:
    async def test(engine: AsyncEngine) -> None:
        loop = asyncio.get_running_loop()
        received: "asyncio.Queue[Any]" = asyncio.Queue()
        reported: List[Any] = []
        loop.set_exception_handler(lambda _, context: reported.append(context["exception"]))

        def raising(answer: Answer) -> None:
            assert asyncio.get_running_loop() is loop
            received.put_nowait(answer)
            raise ZeroDivisionError

        task = engine.observe(GRADES, raising)
        assert (await received.get()).status == 404
        await engine.apply(grade("7"))
        assert await received.get() == shown("7")
        assert [type(each) for each in reported] == [ZeroDivisionError] * 2
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await engine.apply(grade("8"))
        async for answer in engine.observe(GRADES):
            assert answer == shown("8")
            break
        assert received.empty()

    with_engine(test)


def test_another_day() -> None:
    async def test(engine: AsyncEngine) -> None:
        next_day = midnight()
        await engine.apply(next_day.school)
        days = engine.observe(Absentees(1))
        assert (await days.__anext__()).status == 404
        answer = await days.__anext__()
        assert time.time() >= next_day.at
        assert [each["learner_id"] for each in answer.json()] == ["7"]

    with_engine(test)


def test_many_observers_amid_many_changes() -> None:
    async def test(engine: AsyncEngine) -> None:
        async def last() -> List[Answer]:
            given: List[Answer] = []
            async for answer in engine.observe(GRADES):
                given.append(answer)
                if answer == shown("end"):
                    break
            return given

        observers = [asyncio.ensure_future(last()) for _ in range(20)]
        for number in range(100):
            await engine.apply(grade(str(number // 3)))
        await engine.apply(grade("end"))
        for answers in await asyncio.gather(*observers):
            assert all(one != other for one, other in zip(answers, answers[1:]))

    with_engine(test)


def test_a_loop_that_has_ended_is_left_alone() -> None:
    left: List[Any] = []

    async def observe() -> None:
        engine = await AsyncEngine.memory()
        left.append((engine, engine.observe(GRADES), engine.observe(GRADES, left.append)))
        await left[0][1].__anext__()

    asyncio.run(observe())
    engine, answers, task = left[0]
    assert task.done()
    engine.engine.apply(SCHOOL + grade("7"))
    # This live query is notified after the other ones.
    after = engine.engine.observe(GRADES)
    assert next(after) == shown("7")
    engine.engine.apply(grade("8"))
    assert next(after) == shown("8")
    assert not answers.is_over
    engine.engine.close()
    assert answers.is_over
