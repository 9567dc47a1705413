import pytest
from journey import ABSENTEES, HEADERS, NOW, TARGET, journey

from rollbook import Engine

FIRST = "opens answers observes"
AGAIN = "opens persists answers observes"


@pytest.mark.parametrize("number", range(10))
def test_memory(school, number):
    assert school.request(TARGET, headers=HEADERS) == school.ask(ABSENTEES)


@pytest.mark.parametrize("number", range(10))
def test_file(stored, number):
    assert journey(stored) in (FIRST, AGAIN)
    assert journey(stored) == AGAIN


def test_file_of_one_test(tmp_path):
    for expected in (FIRST, AGAIN):
        with Engine.open(tmp_path / "school.redb", fixed_clock=NOW) as engine:
            assert journey(engine) == expected
