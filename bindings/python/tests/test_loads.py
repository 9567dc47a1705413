"""Loads: the sources of datasets, listeners, and cancellation."""

import io
import json
import mmap
import threading
from pathlib import Path
from typing import Any, Callable, List, Optional

import pytest
from material import LARGE_SCHOOL, SAMPLE_SCHOOL

from rollbook import (
    BadDatasetError,
    CancelledError,
    ClosedError,
    Engine,
    Fault,
    IoError,
    ListenerFailedError,
    Progress,
    RollbookError,
    Summary,
)
from rollbook._native_calls import call_native, native

BYTES = SAMPLE_SCHOOL.read_bytes()
FAULTY = '{"type":"learner"}\n{"type":"grade","school_id":1,"grade_id":1}\n{"type":"x"}\n'


def pieces(size: int) -> List[bytes]:
    return [BYTES[at : at + size] for at in range(0, len(BYTES), size)]


SOURCES = {
    "text": lambda: BYTES.decode(),
    "bytes": lambda: BYTES,
    "bytearray": lambda: bytearray(BYTES),
    "memoryview": lambda: memoryview(BYTES),
    "path": lambda: SAMPLE_SCHOOL,
    "file": lambda: SAMPLE_SCHOOL.open("rb"),
    "unbuffered": lambda: SAMPLE_SCHOOL.open("rb", buffering=0),
    "buffer": lambda: io.BytesIO(BYTES),
    "pieces": lambda: iter(pieces(1000)),
    "list": lambda: [BYTES[:1], b"", memoryview(BYTES)[1:]],
}


@pytest.mark.parametrize("name", SOURCES)
def test_every_source_brings_the_same(school: Engine, name: str) -> None:
    received: List[Progress] = []
    source: Callable[[], Any] = SOURCES[name]
    with Engine.memory() as engine:
        opened = source()
        assert [str(fault) for fault in engine.check(opened)] == []
        close(opened)
        opened = source()
        summary = engine.apply(opened, progress=received.append)
        close(opened)
        assert summary.bytes == len(BYTES)
        assert summary.lines == len(BYTES.splitlines())
        assert "".join(engine.export()) == "".join(school.export())
        assert received and received[-1].bytes <= len(BYTES)
        opened = source()
        same = engine.apply(opened).total
        close(opened)
        assert (same.added, same.changed, same.removed) == (0, 0, 0)
        opened = source()
        with pytest.raises(BadDatasetError, match="line 2: school: .*1001"):
            engine.replace_school(1000, opened)
        close(opened)


def close(source: Any) -> None:
    if isinstance(source, io.IOBase):
        source.close()


@pytest.mark.parametrize("name", ["path", "pieces"])
def test_a_school_is_replaced(tmp_path: Path, name: str) -> None:
    lines = ['{"type":"school","school_id":1,"current_year":2026}\n']
    lines += [f'{{"type":"grade","school_id":1,"grade_id":{id}}}\n' for id in (1, 2)]
    path = tmp_path / "one.ndjson"
    path.write_text(lines[0] + lines[2])
    with Engine.memory() as engine:
        engine.apply("".join(lines))
        dataset: Any = path if name == "path" else [path.read_bytes()]
        with pytest.raises(Own):
            engine.replace_school(1, dataset, stop_at(0))
        summary = engine.replace_school(1, dataset)
        assert summary.kinds["grade"].removed == 1
        with engine.load_school(1) as load:
            load.push(lines[0].encode())
            assert load.finish().total.removed == 1


def test_a_load_in_pieces(school: Engine) -> None:
    with Engine.memory() as engine:
        with engine.load() as load:
            for piece in pieces(777):
                read = load.push(piece)
            assert read == Progress(lines=len(BYTES.splitlines()), bytes=len(BYTES))
            assert load.finish().total.added > 200
            load.cancel()
        with pytest.raises(ClosedError, match="begin another"):
            load.push(b"")
        with pytest.raises(ClosedError):
            load.finish()
        assert "".join(engine.export()) == "".join(school.export())


def test_a_load_that_is_left_is_cancelled() -> None:
    with Engine.memory() as engine:
        with engine.load() as load:
            load.push(BYTES)
        with pytest.raises(ZeroDivisionError), engine.load() as load:
            load.push(BYTES)
            raise ZeroDivisionError
        assert is_empty(engine)
        with pytest.raises(ClosedError):
            load.finish()


def test_text_is_no_piece() -> None:
    with Engine.memory() as engine:
        with pytest.raises(TypeError, match="open the file in binary mode"):
            engine.load().push("text")  # type: ignore[arg-type]
        with SAMPLE_SCHOOL.open() as text, pytest.raises(TypeError, match="binary mode"):
            engine.apply(text)  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            engine.apply(17)  # type: ignore[arg-type]
        assert is_empty(engine)


def test_what_is_too_long_for_one_call() -> None:
    with Engine.memory() as engine, mmap.mmap(-1, 2**31) as nothing:
        with memoryview(nothing) as view, pytest.raises(ValueError, match="give a file, or"):
            engine.apply(view)


def test_faults() -> None:
    with Engine.memory() as engine:
        with pytest.raises(BadDatasetError, match=r"^line 1: learner: school_id"):
            engine.apply(FAULTY)
        with engine.load() as load:
            for _ in range(2):
                with pytest.raises(BadDatasetError, match=r"^line 1: learner: school_id"):
                    load.push(FAULTY.encode())
        faults = engine.check(FAULTY)
        assert [fault.line for fault in faults] == [1, 3]
        assert str(faults[0]) == f"line 1: {faults[0].what}"
        assert engine.check([FAULTY[:9].encode(), FAULTY[9:].encode()], limit=1) == faults[:1]
        assert isinstance(faults[0], Fault)
        assert is_empty(engine)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with Engine.memory() as engine:
        for load in (engine.apply, engine.check):
            with pytest.raises(IoError, match="nowhere"):
                load(tmp_path / "nowhere")


def is_empty(engine: Engine) -> bool:
    return not any(engine.stats().records.values())


class Own(Exception):
    """An exception of the caller."""


LISTENED: List[Any] = [SAMPLE_SCHOOL, BYTES, pieces(100)]


@pytest.mark.parametrize("dataset", LISTENED, ids=["file", "bytes", "pieces"])
@pytest.mark.parametrize("raised", [Own("why"), KeyboardInterrupt(), RollbookError("own")])
def test_a_listener_that_raises(dataset: Any, raised: BaseException) -> None:
    def listener(_: Progress) -> None:
        raise raised

    with Engine.memory() as engine:
        with pytest.raises(type(raised)) as caught:
            engine.apply(dataset, listener)
        assert caught.value is raised
        assert is_empty(engine)


@pytest.mark.parametrize("dataset", LISTENED, ids=["file", "bytes", "pieces"])
def test_a_listener_that_says_stop(dataset: Any) -> None:
    with Engine.memory() as engine:
        with pytest.raises(CancelledError) as cancelled:
            engine.apply(dataset, lambda _: False)
        assert str(cancelled.value) == "the load was cancelled: nothing was stored"
        assert is_empty(engine)
        for said in (True, None):
            engine.apply(dataset, lambda _, said=said: said)  # type: ignore[misc]


def test_a_listener_may_ask(own: Engine) -> None:
    received: List[int] = []
    own.apply(SAMPLE_SCHOOL, lambda _: received.append(own.stats().records["school"]))
    assert received == [2] * len(received) and received


def test_the_generated_listener_that_raises() -> None:
    """The listener of this package catches every exception, so this test uses one that does not.
    The engine then fails as ``listener_failed``."""

    class Raising:
        def progress(self, progress: Progress) -> bool:
            raise Own("why")

    engine = native.Engine.memory(None)
    with pytest.raises(ListenerFailedError, match="why.*nothing was stored") as failed:
        call_native(engine.apply, native.Dataset.BYTES(BYTES), Raising())
    assert failed.value.code == "listener_failed"


@pytest.fixture(scope="module")
def large() -> Path:
    assert LARGE_SCHOOL.stat().st_size > 100_000_000
    return LARGE_SCHOOL


def test_a_large_file(tmp_path: Path, large: Path) -> None:
    received: List[Progress] = []
    with Engine.open(tmp_path / "large.redb") as engine:
        with pytest.raises(Own):
            engine.apply(large, stop_at(50_000_000))
        assert is_empty(engine)
        summary: Summary = engine.apply(large, received.append)
        assert summary.bytes == large.stat().st_size == received[-1].bytes
        assert summary.kinds["learner"].added == 3000
        assert len(received) >= summary.bytes // (64 << 10) // 2
        assert [read.bytes for read in received] == sorted({read.bytes for read in received})


def stop_at(bytes: int) -> Callable[[Progress], Optional[bool]]:
    def listener(read: Progress) -> Optional[bool]:
        if read.bytes >= bytes:
            raise Own
        return None

    return listener


def test_two_loads_at_once(tmp_path: Path) -> None:
    results: List[Summary] = []
    with Engine.open(tmp_path / "a.redb") as engine:
        lines = [
            [json.dumps({"type": "grade", "school_id": school, "grade_id": id}).encode() + b"\n"
             for id in range(1, 500)]
            for school in (1, 2)
        ]
        threads = [
            threading.Thread(target=lambda part=part: results.append(engine.apply(part)))
            for part in lines
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [summary.total.added for summary in results] == [499, 499]
        assert engine.verify().problems == []
