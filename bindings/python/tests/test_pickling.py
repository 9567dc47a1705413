"""Values and errors can be pickled and copied, for example by a pool of processes. What owns a
resource of the library cannot, and says so."""

import copy
import dataclasses
import enum
import importlib
import inspect
import pickle
import pkgutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, Iterator, List, Tuple

import pytest
from material import NOW

import rollbook
from rollbook import (
    Counts,
    Engine,
    FollowStopped,
    LearnerStatus,
    LookupList,
    SyncReport,
    SyncStopped,
)
from rollbook.question import Question
from rollbook.sync import FailedRequest, StopReason

VALUES: Dict[str, Dict[str, Any]] = {
    "Learners": {"status": LearnerStatus.LEFT},
    "Lookup": {"list": LookupList.GENDER},
    "Stats": {"records": {"learner": 1}},
    "Summary": {"kinds": {"learner": Counts(1, 2, 3, 4)}},
}
"""The fields whose values are checked. The others have numbers here."""
REPORT = SyncReport(3, 1, [FailedRequest("/a", 401, "no")], [], [], ["learner: x"], [], [], ["/b"])


def public_classes() -> List[type]:
    """Returns the classes that the public modules define."""
    found: Dict[type, None] = {}
    for module in pkgutil.iter_modules(rollbook.__path__, "rollbook."):
        if module.name.startswith("rollbook._"):
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            is_public = inspect.isclass(value) and not value.__name__.startswith("_")
            # A typed dictionary is a dictionary.
            if is_public and value.__module__ == module.name and not issubclass(value, dict):
                found[value] = None
    return list(found)


def fields(of: type) -> Tuple[str, ...]:
    if dataclasses.is_dataclass(of):
        return tuple(field.name for field in dataclasses.fields(of))
    names: Tuple[str, ...] = getattr(of, "_fields", ())
    return names


def samples(of: type) -> Iterator[Any]:
    """Returns objects of a class, or nothing if the class owns a resource."""
    if issubclass(of, SyncStopped):
        yield from (of(reason, REPORT) for reason in StopReason)
    elif issubclass(of, FollowStopped):
        yield from (of(), of(401), of(status=302))
    elif issubclass(of, Exception):
        yield of("Zoë: a message")
    elif issubclass(of, enum.Enum):
        yield from of
    elif dataclasses.is_dataclass(of) or issubclass(of, tuple):
        given = VALUES.get(of.__name__, {})
        yield of(**{name: given.get(name, number) for number, name in enumerate(fields(of))})


def moved(original: Any) -> Iterator[Any]:
    """Returns what each way of copying makes of an object."""
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        yield pickle.loads(pickle.dumps(original, protocol))
    yield copy.copy(original)
    yield copy.deepcopy(original)


def described(value: Any) -> Any:
    """Returns everything that an error consists of; any other value is comparable itself."""
    if isinstance(value, BaseException):
        return type(value), str(value), value.args, vars(value)
    return type(value), value


@pytest.mark.parametrize("of", public_classes(), ids=lambda of: of.__name__)
def test_every_class(of: type) -> None:
    originals = list(samples(of))
    for original in originals:
        for other in moved(original):
            assert described(other) == described(original)
    # The classes of all questions have this base.
    if originals or of is Question:
        return
    resource: Any = object.__new__(of)
    for way in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match=f"^{of.__name__} cannot be copied or pickled"):
            way(resource)


def test_an_error_has_its_message_and_its_notes() -> None:
    for original in (SyncStopped(StopReason.UNREACHABLE, REPORT), FollowStopped(401)):
        assert original.args == (str(original),)
        original.__dict__["__notes__"] = ["at night"]
        for other in moved(original):
            assert vars(other)["__notes__"] == ["at night"]


def test_the_classes_are_found() -> None:
    names = {of.__name__ for of in public_classes()}
    assert {"Adapter", "AsyncEngine", "Engine", "Learners", "LiveQuery", "SyncStopped"} <= names
    assert len(names) > 90


def test_an_open_engine_and_its_loads() -> None:
    with Engine.memory(fixed_clock=NOW) as engine, engine.load() as load, engine.export() as export:
        for original in (engine, load, export):
            for way in (copy.copy, copy.deepcopy, pickle.dumps):
                with pytest.raises(TypeError, match="it exists only in this process"):
                    way(original)


POOL = """
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from rollbook import Engine, FollowStopped, Learners, SyncReport, SyncStopped
from rollbook.sync import StopReason

REPORT = SyncReport(3, 1, [], [], [], [], [], [], [])

def stopped():
    raise SyncStopped(StopReason.WRONG_CREDENTIALS, REPORT)

def unfollowed():
    raise FollowStopped(401)

def asked(question):
    with Engine.memory() as engine:
        engine.apply('{"type":"school","school_id":1000,"current_year":2026}')
        return engine.ask(question), engine.stats()

if __name__ == "__main__":
    for method in sys.argv[1:]:
        with ProcessPoolExecutor(1, mp_context=get_context(method)) as pool:
            error = pool.submit(stopped).exception()
            assert type(error) is SyncStopped and error.report == REPORT, repr(error)
            assert error.reason is StopReason.WRONG_CREDENTIALS
            error = pool.submit(unfollowed).exception()
            assert type(error) is FollowStopped and error.status == 401, repr(error)
            answer, stats = pool.submit(asked, Learners(1000)).result()
            assert answer.status == 404 and stats.records["school"] == 1, (answer, stats)
            # The pool continues.
            assert pool.submit(asked, Learners(1000)).result()[0] == answer
        print(method)
"""


def test_a_pool_of_processes(tmp_path: Path) -> None:
    program = tmp_path / "pool.py"
    program.write_text(POOL)
    methods = ["spawn", "forkserver", "fork"] if sys.platform == "linux" else ["spawn"]
    ended = subprocess.run([sys.executable, program, *methods], capture_output=True, text=True)
    assert ended.stdout.split() == methods, ended.stderr
