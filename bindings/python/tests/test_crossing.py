"""The calls of the library and the bytes that each question needs."""

import ctypes
import gc
import subprocess
import sys
import threading
import tracemalloc
from typing import Any, Callable, Iterator, List, Mapping

import pytest
from material import HEADERS

from rollbook import Answer, BadArgumentError, Engine, Learners, Lookup, Request, SubjectMarks
from rollbook import _direct
from rollbook._native_calls import native

LEARNERS = "/api/v1/adminplus/learners/1000"


class Crossed:
    """The calls of the library since the last :meth:`clear`."""

    def __init__(self) -> None:
        self.sent: List[int] = []
        """The length of the input of each direct call, in bytes."""
        self.back: List[int] = []
        """The capacity of the bytes that were lent and given back, for each time."""
        self.others: List[str] = []
        """Calls of the generated module."""

    def clear(self) -> None:
        for counted in (self.sent, self.back, self.others):
            counted.clear()


def capacity(output: int) -> int:
    """Returns the capacity of lent bytes in the head of an output."""
    head = ctypes.string_at(output, _direct._START)
    return int(_direct._HEAD.unpack(head)[1])


@pytest.fixture
def crossed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Crossed]:
    counted = Crossed()
    call, give_back, library = _direct._call, _direct._give_back, native._UniffiLib

    class Counting:
        def __getattr__(self, name: str) -> Any:
            counted.others.append(name)
            return getattr(library, name)

    def counting(engine: int, data: bytes, length: int, output: int) -> None:
        assert length == len(data)
        counted.sent.append(length)
        call(engine, data, length, output)

    def counting_back(output: int) -> None:
        if capacity(output):
            counted.back.append(capacity(output))
        give_back(output)
        assert capacity(output) == 0

    monkeypatch.setattr(_direct, "_call", counting)
    monkeypatch.setattr(_direct, "_give_back", counting_back)
    monkeypatch.setattr(native, "_UniffiLib", Counting())
    gc.collect()
    counted.clear()
    yield counted


def test_a_small_question_is_one_call(school: Engine, crossed: Crossed) -> None:
    assert school.ask(Learners(1000, learner_id=1)).status == 200
    assert school.find(Learners(1000, learner_id=1)).status == 200
    assert school.page(SubjectMarks(1000, 1)).status == 200
    assert school.request(LEARNERS + "?learner_id=1", headers=HEADERS).status == 200
    assert len(crossed.sent) == 4 and max(crossed.sent) < 160
    assert not crossed.back and not crossed.others


def test_a_list_of_requests_is_one_call(school: Engine, crossed: Crossed) -> None:
    requests = [Request(LEARNERS, headers=HEADERS)] * 50
    assert {answer.status for answer in school.requests(requests)} == {200}
    assert len(crossed.sent) == len(crossed.back) == 1 and crossed.others == []


def large() -> str:
    """Returns a dataset of a school with a large answer."""
    lines = ['{"type":"school","school_id":1,"current_year":2026}']
    lines += [
        f'{{"type":"learner","school_id":1,"id":{id},"last_name":"{"é" * 500}"}}'
        for id in range(1, 1001)
    ]
    return "\n".join(lines)


def test_a_large_answer_is_copied_once_and_given_back(crossed: Crossed) -> None:
    with Engine.memory() as engine:
        engine.apply(large())
        expected = engine.ask(Learners(1))
        assert len(expected.body) > 1_000_000
        crossed.clear()
        tracemalloc.start()
        try:
            for _ in range(20):
                before = tracemalloc.get_traced_memory()[0]
                tracemalloc.reset_peak()
                answer = engine.ask(Learners(1))
                taken = tracemalloc.get_traced_memory()[1] - before
                assert answer == expected
                assert taken < len(expected.body) + 20_000
                del answer
        finally:
            tracemalloc.stop()
        assert len(crossed.sent) == len(crossed.back) == 20 and crossed.others == []
        size = len(expected.body)
        assert all(size <= capacity < 2 * size for capacity in crossed.back)


def test_what_was_lent_is_given_back_if_the_call_is_interrupted(
    crossed: Crossed, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = _direct._call
    with Engine.memory() as engine:
        engine.apply(large())
        expected = engine.ask(Learners(1))
        crossed.clear()

        def interrupted(*arguments: Any) -> None:
            # Like Ctrl-C during the call, which is raised once the call has returned.
            call(*arguments)
            raise KeyboardInterrupt

        requests = [Request(LEARNERS, headers=HEADERS)] * 50
        asked: List[Callable[[], Any]] = [
            lambda: engine.ask(Learners(1)),
            lambda: engine.requests(requests),
            lambda: engine.ask(Lookup("gender")),
        ]
        for ask in asked:
            with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
                patch.setattr(_direct, "_call", interrupted)
                ask()
        assert len(crossed.sent) == 3
        assert len(crossed.back) == 2
        assert engine.ask(Learners(1)) == expected


def test_what_was_lent_is_given_back_if_it_cannot_be_copied(
    crossed: Crossed, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: Any) -> bytes:
        raise MemoryError

    with Engine.memory() as engine:
        engine.apply(large())
        monkeypatch.setattr(_direct, "string_at", fail)
        monkeypatch.setattr(_direct, "_answer", fail)
        crossed.clear()
        with pytest.raises(MemoryError):
            engine.ask(Learners(1))
        with pytest.raises(MemoryError):
            engine.requests([Request(LEARNERS)] * 50)
        assert len(crossed.back) == 2


@pytest.mark.parametrize("around", range(-3, 4))
def test_answers_around_the_inline_size(crossed: Crossed, around: int) -> None:
    with Engine.memory() as engine:

        def named(length: int) -> Answer:
            engine.apply(f'{{"type":"gender","id":1,"name":"{"x" * length}"}}')
            crossed.clear()
            return engine.ask(Lookup("gender"))

        length = _direct._INLINE_BYTES + around
        name = length - len(named(1).body) + 1
        answer = named(name)
        assert len(answer.body) == length
        assert answer.json()[0]["name"] == "x" * name
        assert len(crossed.back) == (around > 0)


def test_what_is_refused_leaves_the_memory_for_the_next(school: Engine) -> None:
    for _ in range(3):
        with pytest.raises(BadArgumentError, match="from different builds"):
            _direct.answer_one(school._address, b"\x77")
        with pytest.raises(BadArgumentError):
            _direct.answer_one(school._address, _direct.ASK + b"\0")
        assert len(_direct._idle) >= 1
    idle = len(_direct._idle)
    school.ask(Learners(1000))
    assert len(_direct._idle) == idle


class Lying(List[Any]):
    """A list whose length exceeds the number of its elements, like a list that another thread
    changes during the iteration."""

    def __len__(self) -> int:
        return 1000


class Pairs(Mapping[str, str]):
    """Headers in which one name occurs several times, as some clients send them."""

    def __getitem__(self, name: str) -> str:
        return "demo"

    def __iter__(self) -> Iterator[str]:
        return iter(HEADERS)

    def __len__(self) -> int:
        return len(HEADERS)

    def items(self) -> Any:
        yield "HTTP-X-USERNAME", "nobody"
        yield from HEADERS.items()


def test_what_was_written_is_counted_and_not_what_was_given(school: Engine) -> None:
    assert school.ask(Learners(1000, grade_ids=Lying([8, 9]))) == school.ask(
        Learners(1000, grade_ids=[8, 9])
    )
    expected = school.request(LEARNERS, headers=HEADERS)
    given: List[Any] = [Pairs(), Lying(HEADERS.items()), iter(HEADERS.items())]
    for headers in given:
        assert school.request(LEARNERS, headers=headers) == expected
    for headers in given[:2]:
        assert school.requests([Request(LEARNERS, headers=headers)] * 2) == [expected] * 2


@pytest.mark.parametrize("form", ["2 << 32 | 4129", "1 << 32 | 4128"])
def test_a_library_of_another_build_is_not_loaded(form: str) -> None:
    program = f"""
from rollbook import _native_calls
class Other:
    class rollbook_form:
        restype = None
        def __new__(cls):
            return {form}
_native_calls.native._UniffiLib = Other
import sys
del sys.modules["rollbook._direct"]
import rollbook._direct
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ran.returncode == 1 and "ImportError" in ran.stderr
    assert "from different builds" in ran.stderr


def test_what_a_panic_leaves_is_an_error() -> None:
    with pytest.raises(native.InternalError, match="why"):
        raise _direct.failure(2, b"why")


def test_threads_have_answers_of_their_own(school: Engine) -> None:
    asked = [Learners(1000, learner_id=id) for id in range(1, 9)]
    expected = [school.ask(question) for question in asked]
    wrong: List[Any] = []

    def ask(place: int) -> None:
        for _ in range(500):
            if school.ask(asked[place]) != expected[place]:
                wrong.append(asked[place])

    threads = [threading.Thread(target=ask, args=(place,)) for place in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
