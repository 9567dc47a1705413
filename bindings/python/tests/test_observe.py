"""Live queries, as iterators and with callbacks."""

import gc
import queue
import subprocess
import sys
import threading
import time
import weakref
from pathlib import Path
from typing import Any, Iterator, List

import pytest
from material import NOW, SAMPLE_SCHOOL
from midnight import midnight

from rollbook import (
    Absentees,
    Answer,
    Answers,
    BadArgumentError,
    Engine,
    Grades,
    Learners,
    NotSyncedError,
    RollbookError,
    SchoolInScope,
    Scope,
    _direct,
)
from rollbook import observe as _observe

GRADES = Grades(1)
LEARNERS = Learners(1)
LEARNER = '{"type":"learner","school_id":1,"id":7,"last_name":"Smith"}\n'
SCHOOL = '{"type":"school","school_id":1,"current_year":2026}\n'


def grade(name: str) -> str:
    return f'{{"type":"grade","school_id":1,"grade_id":9,"grade":"{name}"}}\n'


def shown(name: str) -> Answer:
    return Answer(200, f'[{{"id":"9","name":"Grade {name}"}}]'.encode())


PARENT = '{"type":"parent","school_id":1,"id":40}\n'


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine.memory() as engine:
        engine.apply(SCHOOL)
        yield engine


def bring_a_part(engine: Engine) -> None:
    """Lets the engine follow a source with a scope of one learner, so that questions about all
    learners fail as ``not_synced``."""
    with Engine.memory() as source:
        source.apply(SCHOOL + LEARNER)
        with engine.follow() as follow:
            for piece in source.feed(Scope([SchoolInScope(1, learners=[7])])):
                follow.push(piece.encode())
            follow.finish()


class Recorder:
    """A callback that stores its arguments in a queue, on which a test can wait."""

    def __init__(self) -> None:
        self.received: "queue.Queue[Any]" = queue.Queue()
        self.threads: List[int] = []

    def __call__(self, argument: Any) -> None:
        self.threads.append(threading.get_ident())
        self.received.put(argument)

    def next(self) -> Any:
        return self.received.get(timeout=60)


def later(call: Any) -> threading.Thread:
    """Makes a call after a delay, in which the caller starts to wait."""
    thread = threading.Timer(0.05, call)
    thread.start()
    return thread


def test_the_answer_now_and_after_each_change(engine: Engine) -> None:
    grades = engine.observe(GRADES)
    assert next(grades).status == 404
    for name in ("7", "8"):
        engine.apply(PARENT + grade(name))
        assert next(grades) == shown(name)
    # A change of other data, and a change that results in the same answer, deliver nothing.
    engine.apply(PARENT.replace("40", "41"))
    engine.apply(grade("9"))
    engine.apply(grade("8"))
    engine.replace_school(1, SCHOOL + grade("8"))
    changing = later(lambda: engine.replace_school(1, SCHOOL + grade("10")))
    assert next(grades) == shown("10")
    changing.join()


def test_a_record(engine: Engine) -> None:
    grades = engine.observe_record(Grades(1, grade_id=9))
    assert next(grades).status == 404
    engine.apply(grade("7"))
    assert next(grades).json() == {"id": 9, "name": "Grade 7"}
    recorder = Recorder()
    with engine.observe_record(Grades(1, grade_id=9), recorder):
        assert recorder.next().json() == {"id": 9, "name": "Grade 7"}


def test_every_question_crosses() -> None:
    from test_questions import PAIRS

    with Engine.memory(fixed_clock=NOW) as engine:
        engine.apply(SAMPLE_SCHOOL)
        for question, _ in PAIRS:
            assert next(engine.observe(question)) == engine.ask(question)


def test_a_question_that_cannot_be_asked(engine: Engine) -> None:
    with pytest.raises(BadArgumentError, match="from_date is not a date"):
        engine.observe(Absentees(1, from_date="yesterday"))


def test_it_ends_with_the_engine(engine: Engine) -> None:
    grades, recorder = engine.observe(GRADES), Recorder()
    query = engine.observe(GRADES, recorder)
    next(grades)
    closing = later(engine.close)
    assert list(grades) == [] and grades.is_over and query.is_over
    assert list(engine.observe(GRADES)) == []
    closing.join()
    assert recorder.next().status == 404 and recorder.received.empty()


def test_cancelling_ends_a_wait(engine: Engine) -> None:
    grades = engine.observe(GRADES)
    next(grades)
    cancelling = later(grades.cancel)
    assert list(grades) == [] and grades.is_over
    cancelling.join()
    with engine.observe(GRADES) as others:
        assert not others.is_over
    assert list(others) == []


def test_it_waits_while_the_engine_is_suspended(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "a.redb") as engine:
        engine.apply(SCHOOL)
        grades = engine.observe(GRADES)
        next(grades)
        engine.suspend()
        with Engine.open(tmp_path / "a.redb") as other:
            other.apply(grade("7"))
        resuming = later(engine.resume)
        assert next(grades) == shown("7")
        resuming.join()


def test_an_error_is_delivered_and_the_live_query_continues(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported = Recorder()
    monkeypatch.setattr(threading, "excepthook", lambda given: reported(given.exc_value))
    learners, recorder, failed = engine.observe(LEARNERS), Recorder(), Recorder()
    next(learners)
    with engine.observe(LEARNERS, recorder, failed=failed), engine.observe(LEARNERS, recorder):
        assert recorder.next().status == recorder.next().status == 404
        bring_a_part(engine)
        with pytest.raises(NotSyncedError):
            next(learners)
        assert not learners.is_over
        assert isinstance(failed.next(), NotSyncedError)
        assert isinstance(reported.next(), NotSyncedError)
        engine.forget_sync(1)
        assert recorder.next().status == recorder.next().status == 200
        assert next(learners).status == 200


def test_another_day(engine: Engine) -> None:
    month, recorder, next_day = Absentees(1), Recorder(), midnight()
    engine.apply(next_day.school)
    absent, grades = engine.observe(month), engine.observe(GRADES)
    next(grades)
    with engine.observe(month, recorder):
        assert next(absent).status == recorder.next().status == 404
        answer = next(absent)
        assert time.time() >= next_day.at
        assert [each["learner_id"] for each in answer.json()] == ["7"]
        assert recorder.next() == answer
        later(engine.close).join()
    assert list(grades) == []


def test_a_callback_is_called_here_and_then_by_the_engine(engine: Engine) -> None:
    recorder = Recorder()
    with engine.observe(GRADES, recorder) as query:
        assert not recorder.received.empty() and recorder.next().status == 404
        for name in ("7", "8"):
            engine.apply(grade(name))
            assert recorder.next() == shown(name)
        engine.apply(PARENT)
        assert not query.is_over
    assert query.is_over
    engine.apply(grade("9"))
    # The same thread notifies another live query, later.
    with engine.observe(GRADES, last := Recorder()):
        engine.apply(grade("10"))
        assert (last.next(), last.next()) == (shown("9"), shown("10"))
    assert recorder.received.empty()
    here, *others = recorder.threads
    assert here == threading.get_ident() and len({*others, *last.threads[1:]}) == 1
    assert here not in others


def test_a_callback_that_raises_and_one_that_cancels(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported = Recorder()
    monkeypatch.setattr(threading, "excepthook", lambda given: reported(given.exc_value))
    recorder = Recorder()

    def raising(answer: Answer) -> None:
        recorder(answer)
        raise ZeroDivisionError

    with engine.observe(GRADES, raising):
        engine.apply(grade("7"))
        assert (recorder.next().status, recorder.next()) == (404, shown("7"))
    assert all(isinstance(reported.next(), ZeroDivisionError) for _ in range(2))

    def once(answer: Answer) -> None:
        if answer != shown("7"):
            query.cancel()
        recorder(answer)

    query = engine.observe(GRADES, once)
    engine.apply(grade("8"))
    assert (recorder.next(), recorder.next()) == (shown("7"), shown("8"))
    assert query.is_over


def test_two_observers_amid_many_changes(engine: Engine) -> None:
    given: List[List[Answer]] = [[], [], []]
    waiting = [engine.observe(GRADES), engine.observe(GRADES)]

    def wait(place: int) -> None:
        for answer in waiting[place]:
            given[place].append(answer)
            if answer == shown("end"):
                return

    threads = [threading.Thread(target=wait, args=(place,)) for place in range(2)]
    for thread in threads:
        thread.start()
    ended = threading.Event()

    def called(answer: Answer) -> None:
        given[2].append(answer)
        if answer == shown("end"):
            ended.set()

    with engine.observe(GRADES, called):
        names = [str(number // 3) for number in range(200)]
        for name in names:
            engine.apply(grade(name))
        engine.apply(grade("end"))
        assert ended.wait(60)
    for thread in threads:
        thread.join(60)
    order = [shown(name) for name in [*dict.fromkeys(names), "end"]]
    for answers in given:
        rest = [answer for answer in answers if answer.status == 200]
        places = [order.index(answer) for answer in rest]
        assert places == sorted(set(places)) and rest[-1] == shown("end")
        assert len(answers) - len(rest) <= 1


def listeners(count: int) -> bool:
    """Returns whether the library has this number of listeners within a minute."""
    until = time.monotonic() + 60
    while _direct.listeners() != count and time.monotonic() < until:
        gc.collect()
        time.sleep(0.01)
    return _direct.listeners() == count


def test_released_live_queries_are_forgotten() -> None:
    assert listeners(0)
    engine = Engine.memory()
    answers, recorder = engine.observe(GRADES), Recorder()
    engine.observe(GRADES, recorder)
    callback = weakref.ref(recorder)
    del answers, recorder
    gc.collect()
    # A live query with a callback continues until the engine is closed.
    assert listeners(1) and len(_observe._live) == 1 and callback() is not None
    engine.close()
    assert listeners(0) and callback() is None


def test_no_object_that_is_being_freed_is_cancelled() -> None:
    """A weak reference is valid during ``__del__``, which frees the native object."""
    engine = Engine.memory()
    answers, feeds = engine.observe(GRADES), engine.observe_feed(Scope([SchoolInScope(1)]))
    assert {answers, feeds} <= set(_observe._live)
    assert not any(hasattr(live, "__del__") for live in _observe._live)


def test_a_live_query_does_not_extend_the_lifetime_of_its_engine() -> None:
    answers: Answers = Engine.memory().observe(GRADES)
    gc.collect()
    assert list(answers) == []


AT_THE_END = """
import sys, threading, time
from rollbook import Engine, Grades

engine = Engine.memory()
def change():
    for number in range(10**9):
        engine.apply('{"type":"grade","school_id":1,"grade_id":9,"grade":"%d"}' % number)
live = [engine.observe(Grades(1)) for _ in range(3)]
changed = threading.Event()
for _ in range(3):
    engine.observe(Grades(1), lambda answer: answer.status == 200 and changed.set())
for answers in live:
    next(answers)
threading.Thread(target=change, daemon=True).start()
changed.wait(60)
threading.Thread(target=lambda: [answer for answer in live[0]], daemon=True).start()
"""


def check_ends(program: str, *expected: str) -> None:
    """Runs a program, which must end with no other errors than these."""
    ran = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    errors = [line for line in ran.stderr.splitlines() if "Error" in line]
    assert ran.returncode == 0, ran.stderr
    assert all(any(text in line for text in expected) for line in errors), ran.stderr


@pytest.mark.parametrize("end", ["", "engine.close()", "del engine", "sys.exit(0)"])
def test_an_interpreter_that_ends(end: str) -> None:
    for _ in range(3):
        check_ends(AT_THE_END + end, "ClosedError", "NameError")


BEGUN_AT_THE_END = """
import sys, threading, time
from rollbook import Engine, Grades

sys.setswitchinterval(1e-5)
engine = Engine.memory()
live = [engine.observe(Grades(1)) for _ in range(200)]
def begin():
    while True:
        more = [engine.observe(Grades(1)) for _ in range(20)]
threading.Thread(target=begin, daemon=True).start()
time.sleep(0.1)
"""


def test_live_queries_that_begin_while_the_interpreter_ends() -> None:
    for _ in range(12):
        check_ends(BEGUN_AT_THE_END, "the interpreter is ending")


RELEASED_LATE = """
import threading, time
from rollbook import Engine, Grades
from rollbook._native_calls import native

listeners = native._UniffiFfiConverterTypeChangeListener._handle_map
remove, removed = listeners.remove, threading.Event()
def slow(handle):
    remove(handle)
    removed.set()
    time.sleep(0.3)
    print("released", flush=True)
listeners.remove = slow
engine = Engine.memory()
engine.observe(Grades(1), lambda answer: None)
engine.close()
removed.wait(60)
"""


def test_an_interpreter_ends_after_the_release_of_listeners() -> None:
    """Otherwise the thread that releases a listener would be terminated within the library's
    code."""
    command = [sys.executable, "-c", RELEASED_LATE]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "released\n", "")


def test_errors_are_this_packages() -> None:
    with Engine.memory() as engine:
        bring_a_part(engine)
        with pytest.raises(RollbookError) as asked:
            engine.ask(LEARNERS)
        with pytest.raises(NotSyncedError) as observed:
            next(engine.observe(LEARNERS))
        assert str(observed.value) == str(asked.value)
