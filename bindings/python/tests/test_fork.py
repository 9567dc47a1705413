"""Forked processes, which can read from an inherited engine but not change its store."""

import asyncio
import multiprocessing
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable, Dict, List

import pytest
from material import NOW, SAMPLE_SCHOOL

from rollbook import (
    AlreadyOpenError,
    AsyncEngine,
    Engine,
    Learners,
    SchoolInScope,
    Scope,
    UnsupportedError,
)

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing forks here")

LEARNER = '{{"type":"learner","school_id":1000,"id":{},"last_name":"Forked"}}'


def in_a_child(work: Callable[[], Any]) -> None:
    """Runs the work in a forked process, which then ends without Python's cleanup."""
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException as error:
            print(repr(error), file=sys.stderr, flush=True)
            os._exit(1)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


def is_open(path: Path) -> bool:
    """Returns whether another process finds that the store is open."""
    program = (
        "import sys, rollbook\n"
        "try: rollbook.Engine.open(sys.argv[1])\n"
        "except rollbook.AlreadyOpenError: print('open')\n"
    )
    ended = subprocess.run([sys.executable, "-c", program, path], capture_output=True, check=True)
    return ended.stdout == b"open\n"


CHANGES: Dict[str, Callable[[Engine], Any]] = {
    "apply": lambda engine: engine.apply(LEARNER.format(9001)),
    "load": lambda engine: engine.load().finish(),
    "replace_school": lambda engine: engine.replace_school(1000, ""),
    "remove_school": lambda engine: engine.remove_school(1000),
    "erase_learner": lambda engine: engine.erase_learner(1000, 1),
    "set_state": lambda engine: engine.set_state("demo", 1000, 8, False),
    "compact": Engine.compact,
    "verify": Engine.verify,
    "suspend": Engine.suspend,
    "resume": Engine.resume,
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_child_changes_nothing(own: Engine, name: str) -> None:
    before = "".join(own.export(credentials=True))

    def change() -> None:
        with pytest.raises(UnsupportedError, match="open the store again in this process"):
            CHANGES[name](own)

    in_a_child(change)
    assert "".join(own.export(credentials=True)) == before


@pytest.mark.parametrize("end", [Engine.close, lambda engine: None], ids=["close", "exit"])
def test_what_a_child_does_at_its_end(
    own: Engine, tmp_path: Path, end: Callable[[Engine], None]
) -> None:
    path = tmp_path / "own.redb"
    in_a_child(lambda: end(own))
    assert is_open(path)
    # multiprocessing ends a child with Python's cleanup.
    process = multiprocessing.get_context("fork").Process(target=end, args=[own])
    process.start()
    process.join()
    assert process.exitcode == 0
    assert is_open(path)

    own.apply(LEARNER.format(9002))
    assert own.ask(Learners(1000, learner_id=9002)).status == 200
    own.close()
    with Engine.open(path) as again:
        assert again.ask(Learners(1000, learner_id=9002)).status == 200
        assert again.verify().problems == []


def test_a_child_reads_what_there_was(own: Engine) -> None:
    """Data that is in memory can be read. Other pages may have been overwritten, so reading them
    fails with an explanation."""
    learner = Learners(1000, learner_id=1)
    before = own.ask(learner)
    # The answers come from another store, so that these pages of the store are not in memory.
    with Engine.memory(fixed_clock=NOW) as other:
        other.apply(SAMPLE_SCHOOL)
        expected = {school: other.ask(Learners(school)) for school in (1000, 1001)}
    read, write = os.pipe()

    def ask() -> None:
        os.read(read, 1)
        assert own.ask(learner) == before
        for school, answer in expected.items():
            try:
                assert own.ask(Learners(school)) == answer
            except UnsupportedError as error:
                assert "forked" in str(error)

    child = os.fork()
    if child == 0:
        try:
            ask()
        except BaseException as error:
            print(repr(error), file=sys.stderr, flush=True)
            os._exit(1)
        os._exit(0)
    own.remove_school(1000)
    own.compact()
    os.write(write, b".")
    assert os.waitpid(child, 0)[1] == 0


def test_a_child_opens_the_store_for_itself(tmp_path: Path) -> None:
    path = tmp_path / "own.redb"
    engine = Engine.open(path)
    engine.apply(SAMPLE_SCHOOL)

    def refused() -> None:
        with pytest.raises(AlreadyOpenError):
            Engine.open(path)

    in_a_child(refused)
    engine.close()

    def write() -> None:
        with Engine.open(path) as mine:
            mine.apply(LEARNER.format(9003))

    in_a_child(write)
    with Engine.open(path) as again:
        assert again.ask(Learners(1000, learner_id=9003)).status == 200


def test_a_store_in_memory_continues_in_both() -> None:
    with Engine.memory() as engine:
        engine.apply(SAMPLE_SCHOOL)

        def write() -> None:
            engine.apply(LEARNER.format(9004))
            assert engine.ask(Learners(1000, learner_id=9004)).status == 200

        in_a_child(write)
        assert engine.ask(Learners(1000, learner_id=9004)).status == 404


OBSERVED = {"file": lambda path: Engine.open(path), "memory": lambda path: Engine.memory()}


@pytest.mark.parametrize("kind", OBSERVED)
def test_a_child_does_not_wait_for_changes(kind: str, tmp_path: Path) -> None:
    """The thread that reports changes does not exist in a child, which would wait forever."""
    scope = Scope([SchoolInScope(1000)])
    question = Learners(1000, learner_id=9005)
    with OBSERVED[kind](tmp_path / "own.redb") as engine:
        engine.apply(LEARNER.format(9005))
        with engine.observe(question) as answers, engine.observe_feed(scope) as feeds:
            assert next(answers).status == 200

            async def observe() -> None:
                on_the_loop = AsyncEngine(engine)
                for start in (on_the_loop.observe, on_the_loop.observe_record):
                    with pytest.raises(UnsupportedError, match="start the live query there"):
                        start(question)
                with pytest.raises(UnsupportedError, match="start the live query there"):
                    on_the_loop.observe_feed(scope)

            def wait() -> None:
                calls: List[Callable[[], Any]] = [
                    lambda: next(answers),
                    lambda: feeds.next(),
                    lambda: engine.observe(question),
                    lambda: engine.observe(question, print),
                    lambda: engine.observe_record(question),
                    lambda: engine.observe_feed(scope),
                ]
                for call in calls:
                    with pytest.raises(UnsupportedError, match="start the live query there"):
                        call()
                asyncio.run(observe())
                with Engine.memory() as own:
                    mine = own.observe(question)
                    assert next(mine).status != 200
                    own.apply(LEARNER.format(9005))
                    assert next(mine).status == 200

            in_a_child(wait)
            engine.apply(LEARNER.format(9005).replace("Forked", "Parent"))
            assert "Parent" in next(answers).text
