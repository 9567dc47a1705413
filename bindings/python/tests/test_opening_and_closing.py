"""The lifetime of an engine: opening, closing, releasing, and threads meanwhile."""

import gc
import json
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any, Callable, Dict, List

import pytest
from material import HEADERS, NOW, SAMPLE_SCHOOL

from rollbook import (
    AlreadyOpenError,
    Answer,
    BadArgumentError,
    ClosedError,
    Engine,
    Learners,
    Request,
    RollbookError,
    SuspendedError,
)

LEARNERS = "/api/v1/adminplus/learners/1000"


def test_the_package_is_the_installed_one() -> None:
    import rollbook

    assert Path(rollbook.__file__).is_relative_to(sys.prefix)


def test_a_context_closes_its_engine(tmp_path: Path) -> None:
    path = tmp_path / "a.redb"
    with Engine.open(path) as engine:
        engine.apply(SAMPLE_SCHOOL)
        with pytest.raises(AlreadyOpenError):
            Engine.open(path)
    with Engine.open(str(path)) as again:
        assert again.stats().records["school"] == 2
    with pytest.raises(ZeroDivisionError), Engine.open(path):
        raise ZeroDivisionError
    Engine.open(path).close()


def test_an_engine_is_opened_by_name_only() -> None:
    with pytest.raises(TypeError, match=r"Engine\.open\(path\)"):
        Engine()


CALLED: Dict[str, Callable[[Engine], Any]] = {
    "ask": lambda engine: engine.ask(Learners(1000)),
    "page": lambda engine: engine.page(Learners(1000)),
    "find": lambda engine: engine.find(Learners(1000)),
    "set_state": lambda engine: engine.set_state("demo", 1000, 8, True),
    "apply": lambda engine: engine.apply(""),
    "replace_school": lambda engine: engine.replace_school(1000, ""),
    "load": lambda engine: engine.load().finish(),
    "load_school": lambda engine: engine.load_school(1000).finish(),
    "remove_school": lambda engine: engine.remove_school(1000),
    "erase_learner": lambda engine: engine.erase_learner(1000, 1),
    "export": lambda engine: list(engine.export()),
    "verify": Engine.verify,
    "compact": Engine.compact,
    "backup": lambda engine: engine.backup("never", credentials=True),
    "suspend": Engine.suspend,
    "resume": Engine.resume,
    "stats": Engine.stats,
}


@pytest.mark.parametrize("name", CALLED)
def test_use_after_close(own: Engine, name: str) -> None:
    own.close()
    with pytest.raises(ClosedError) as closed:
        CALLED[name](own)
    assert closed.value.code == "closed"
    assert "open the store again" in str(closed.value)


def test_what_needs_no_store_works_after_close(own: Engine) -> None:
    own.close()
    own.close()
    answer = own.request(LEARNERS, headers=HEADERS)
    assert answer.status == 500
    assert "closed" in answer.text
    assert [again.status for again in own.requests([Request(LEARNERS)])] == [500]
    assert own.upgrade(LEARNERS).target == "/api/v2/adminplus/learners"


def test_a_released_engine_closes_its_file(tmp_path: Path) -> None:
    path = tmp_path / "a.redb"
    engine = Engine.open(path)
    engine.apply(SAMPLE_SCHOOL)
    load = engine.load()
    load.push(b'{"type":"school",')
    export = engine.export()
    del engine, load, export
    gc.collect()
    with Engine.open(path) as again:
        assert again.stats().records["school"] == 2


def test_a_process_that_ends_without_closing_says_nothing(tmp_path: Path) -> None:
    program = f"from rollbook import Engine; engine = Engine.open({str(tmp_path / 'a')!r})"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert (ended.stdout, ended.stderr) == (b"", b"")


def test_close_while_others_ask(own: Engine) -> None:
    whole = own.ask(Learners(1000))
    asked = threading.Barrier(5)
    ends: List[RollbookError] = []

    def ask() -> None:
        asked.wait()
        try:
            while True:
                assert own.ask(Learners(1000)) == whole
        except RollbookError as end:
            ends.append(end)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    asked.wait()
    own.close()
    for thread in threads:
        thread.join(30)
    assert [type(end) for end in ends] == [ClosedError] * 4


def test_many_threads_get_the_answers_of_one(school: Engine) -> None:
    targets = [f"{LEARNERS}?learner_id={learner}" for learner in range(1, 12)] + [LEARNERS]

    def all_of_them(_: int) -> List[Answer]:
        return [school.request(target, headers=HEADERS) for target in targets * 20]

    alone = all_of_them(0)
    with ThreadPoolExecutor(8) as threads:
        assert all(answers == alone for answers in threads.map(all_of_them, range(8)))


def test_questions_are_answered_during_a_load(own: Engine) -> None:
    before = own.ask(Learners(1000))
    with own.load() as load:
        load.push(b'{"type":"learner","school_id":1000,"id":7000}\n')
        assert own.ask(Learners(1000)) == before
        load.finish()
    assert own.ask(Learners(1000)) != before


def test_suspend_and_resume(own: Engine, tmp_path: Path) -> None:
    before = own.ask(Learners(1000))
    own.suspend()
    own.suspend()
    with pytest.raises(SuspendedError) as suspended:
        own.ask(Learners(1000))
    assert suspended.value.code == "suspended"
    assert own.request(LEARNERS, headers=HEADERS).status == 500
    with Engine.open(tmp_path / "own.redb"):
        with pytest.raises(AlreadyOpenError):
            own.resume()
    own.resume()
    own.resume()
    assert own.ask(Learners(1000)) == before


def test_stored_data_is_there_after_reopening(tmp_path: Path) -> None:
    path = tmp_path / "a.redb"
    with Engine.open(path, fixed_clock=NOW) as engine:
        engine.apply(SAMPLE_SCHOOL)
        engine.set_state("demo", 1000, 9, active=False)
        exported = "".join(engine.export(credentials=True))
        answer = engine.request(LEARNERS, headers=HEADERS)
    with Engine.open(path, fixed_clock=NOW) as again:
        assert "".join(again.export(credentials=True)) == exported
        assert again.request(LEARNERS, headers=HEADERS) == answer


def test_an_export_applied_gives_the_same_export(own: Engine) -> None:
    with own.export(credentials=True) as pieces:
        exported = "".join(pieces)
    assert "".join(own.export(credentials=True)) == exported
    with Engine.memory() as other:
        other.apply(exported)
        assert "".join(other.export(credentials=True)) == exported
    assert '"integrator"' in exported
    assert '"integrator"' not in "".join(own.export())


def test_an_export_under_other_names(own: Engine) -> None:
    plain = [json.loads(line) for line in "".join(own.export()).splitlines()]
    exported = "".join(own.export_pseudonymised(bytes(32)))
    names = {line["last_name"] for line in plain if line["type"] == "learner" and "last_name" in line}
    assert names and not any(f'"{name}"' in exported for name in names)
    assert "".join(own.export_pseudonymised(bytes(32))) == exported
    with Engine.memory() as other:
        other.apply(exported)
        assert "".join(other.export()) == exported
    kinds = [line["type"] for line in plain if line["type"] != "client_integration"]
    assert [json.loads(line)["type"] for line in exported.splitlines()] == kinds
    with pytest.raises(BadArgumentError, match="the key has 5 bytes: give 32 random ones"):
        own.export_pseudonymised(b"short")


def test_an_export_in_pieces_and_its_end(own: Engine) -> None:
    line = '{{"type":"learner","school_id":1000,"id":{}}}\n'
    own.apply(line.format(id).encode() for id in range(9000, 11000))
    export = own.export()
    first = next(export)
    assert first.endswith("\n") and 64 << 10 <= len(first.encode()) < 128 << 10
    export.cancel()
    export.cancel()
    assert list(export) == []
    own.compact()


@pytest.mark.parametrize("credentials", [True, False])
def test_a_backup_opens(own: Engine, tmp_path: Path, credentials: bool) -> None:
    copy = tmp_path / "copy.redb"
    own.backup(copy, credentials=credentials)
    assert copy.stat().st_mode & 0o077 == 0 or sys.platform == "win32"
    with Engine.open(copy, fixed_clock=NOW) as other:
        assert "".join(other.export()) == "".join(own.export())
        status = other.request(LEARNERS, headers=HEADERS).status
        assert status == (200 if credentials else 401)


def test_options(tmp_path: Path) -> None:
    with Engine.memory(page_limit=2, max_page_limit=3, cache_bytes=1 << 20) as engine:
        engine.apply(SAMPLE_SCHOOL)
        assert len(engine.page(Learners(1000)).json()["data"]) == 2
        assert len(engine.page(Learners(1000), limit=9).json()["data"]) == 3


def test_clocks_and_instants() -> None:
    absentees = "/api/v1/adminplus/learnerabsentees/1000"
    instant = datetime(2026, 5, 14, 10, tzinfo=timezone(timedelta(hours=2)))
    with Engine.memory(fixed_clock=instant) as engine:
        engine.apply(SAMPLE_SCHOOL)
        there = engine.request(absentees, headers=HEADERS)
        assert there.status == 200
        assert engine.request(absentees, headers=HEADERS, now=NOW) == there
        later = instant + timedelta(days=3650)
        assert engine.request(absentees, headers=HEADERS, now=later).status == 404
        with pytest.raises(ValueError, match="time zone"):
            engine.request(absentees, headers=HEADERS, now=datetime(2026, 5, 14))


def test_a_batch_is_the_single_requests(school: Engine) -> None:
    requests = [Request(LEARNERS + "?name=a", headers=HEADERS), Request("/nothing")]
    requests += [Request(LEARNERS, "PATCH", list(HEADERS.items()), "{}", NOW)]
    singles = [school.request(*request) for request in requests]
    assert school.requests(iter(requests)) == singles
    assert [single.status for single in singles] == [200, 404, 405]
    assert school.requests([]) == []


def test_care(own: Engine) -> None:
    stats = own.stats()
    assert stats.bytes > 0 and list(stats.records) == sorted(stats.records)
    found = own.verify()
    assert found.problems == [] and found.records >= sum(stats.records.values())
    removed = own.remove_school(1001)
    assert removed.total.removed == sum(n.removed for n in removed.kinds.values()) > 0
    assert own.erase_learner(1000, 1).kinds["learner"].removed == 1
    assert own.ask(Learners(1000, learner_id=1)).status == 404
    own.compact()


def test_an_answer(school: Engine) -> None:
    answer = school.request(LEARNERS + "?learner_id=3", headers=HEADERS)
    assert answer.json()[0]["first_name"] == "Zoë"
    assert answer.text.encode() == answer.body
    assert ("Content-Length", str(len(answer.body))) in answer.headers
    assert answer.headers[0][0] == "Content-Type"
    assert answer == Answer(200, answer.body) and answer.allow is None
    refused = school.request(LEARNERS, "PATCH", HEADERS)
    assert refused.headers[2] == ("Allow", "GET") == ("Allow", refused.allow)
    assert refused != Answer(refused.status, refused.body)


REFUSED: List[Callable[[Engine], Any]] = [
    lambda engine: engine.request("\ud800"),
    lambda engine: engine.request(LEARNERS, headers={"a": 1}),  # type: ignore[arg-type]
    lambda engine: engine.request(LEARNERS, now=2**63),
    lambda engine: engine.request(LEARNERS, body=17),  # type: ignore[arg-type]
    lambda engine: engine.requests([Request(LEARNERS), Request("\ud800")]),
    lambda engine: engine.ask(Learners(1000, name="\ud800")),
    lambda engine: engine.ask(Learners(1000, grade_ids=[-1])),
    lambda engine: engine.ask(Learners(1000), now=2**63),
    lambda engine: engine.page(Learners(1000), cursor="\ud800"),
    lambda engine: engine.page(Learners(1000), limit=-1),
    lambda engine: engine.set_state("\ud800", 1000, 8, True),
    lambda engine: engine.upgrade("\ud800"),
    lambda engine: engine.apply("\ud800"),
    lambda engine: engine.apply(Path("\ud800")),
    lambda engine: engine.replace_school(-1, b""),
    lambda engine: engine.check(b"", limit=-1),
    lambda engine: engine.backup("\ud800", credentials=True),
    lambda engine: engine.load().push("text"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize("call", REFUSED)
def test_a_call_that_python_refuses_leaks_no_reference(
    tmp_path: Path, call: Callable[[Engine], Any]
) -> None:
    path = tmp_path / "a.redb"
    engine = Engine.open(path)
    with pytest.raises((AttributeError, TypeError, ValueError)):
        call(engine)
    del engine
    gc.collect()
    Engine.open(path).close()


def test_a_text_that_is_no_unicode(school: Engine) -> None:
    with pytest.raises(UnicodeEncodeError):
        school.request("/api/v1/\ud800")
    for number in [-1, 2**64]:
        with pytest.raises(ValueError):
            school.ask(Learners(number))
    with pytest.raises(TypeError):
        school.ask(Learners("1000"))  # type: ignore[arg-type]
