"""Engines for the tests."""

from pathlib import Path
from typing import Iterator

import pytest
from material import NOW, SAMPLE_SCHOOL

from rollbook import Engine


@pytest.fixture(scope="session")
def school() -> Iterator[Engine]:
    """The sample schools, for tests that change nothing."""
    with Engine.memory(fixed_clock=NOW) as engine:
        engine.apply(SAMPLE_SCHOOL)
        yield engine


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Engine]:
    """The sample schools in a file, for one test."""
    with Engine.open(tmp_path / "own.redb", fixed_clock=NOW) as engine:
        engine.apply(SAMPLE_SCHOOL)
        yield engine
