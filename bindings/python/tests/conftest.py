"""Engines for the tests, and the time limit of each test."""

import faulthandler
import signal
from pathlib import Path
from types import FrameType
from typing import Iterator, Optional

import pytest
from material import NOW, SAMPLE_SCHOOL

from rollbook import Engine

SECONDS = 300


def out_of_time(_signal: int, _frame: Optional[FrameType]) -> None:
    """Fails the running test."""
    raise TimeoutError(f"the test did not end within {SECONDS} seconds")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Iterator[None]:
    """Fails a test that hangs. A test that hangs in native code ends the run with a traceback."""
    faulthandler.dump_traceback_later(SECONDS + 30, exit=True)
    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, out_of_time)
        signal.alarm(SECONDS)
    try:
        return (yield)
    finally:
        if hasattr(signal, "SIGALRM"):
            signal.alarm(0)
        faulthandler.cancel_dump_traceback_later()


@pytest.fixture(scope="session")
def school() -> Iterator[Engine]:
    """An engine with the sample schools, for tests that change nothing."""
    with Engine.memory(fixed_clock=NOW) as engine:
        engine.apply(SAMPLE_SCHOOL)
        yield engine


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Engine]:
    """An engine with the sample schools in a file, for one test."""
    with Engine.open(tmp_path / "own.redb", fixed_clock=NOW) as engine:
        engine.apply(SAMPLE_SCHOOL)
        yield engine
