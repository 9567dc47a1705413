"""The engines of the tests. Each worker of xdist is a process, with fixtures of its own."""

import pytest
from journey import NOW, SAMPLE

from rollbook import Engine


@pytest.fixture(scope="session")
def school():
    """An engine in memory, for tests that change nothing."""
    with Engine.memory(fixed_clock=NOW) as engine:
        engine.apply(SAMPLE)
        yield engine


@pytest.fixture(scope="session")
def stored(tmp_path_factory):
    """An engine with a file of this worker: its temporary folder is not that of another worker."""
    with Engine.open(tmp_path_factory.getbasetemp() / "school.redb", fixed_clock=NOW) as engine:
        yield engine
