"""Runs the programs of the README without modification."""

import asyncio
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from feeds import Feeds
from material import NOW, ROOT
from service import Service, source

from rollbook import AsyncEngine, Engine, Learners, SchoolInScope, Scope

PACKAGE = ROOT / "bindings/python/README.md"


def program(heading: str) -> str:
    """Returns the first Python block under the heading."""
    _, found, section = PACKAGE.read_text(encoding="utf-8").partition(f"\n## {heading}\n")
    assert found, f"{PACKAGE} has no {heading}"
    block = re.search(r"```python\n(.*?)```", section, re.DOTALL)
    assert block is not None, f"{PACKAGE} has no program under {heading}"
    return block[1]


def test_the_quickstart_runs() -> None:
    ran = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", program("Quickstart")],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout == "266 records\n200 Zoë van der Merwe\n"


def test_a_school_is_filled(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    named: Any = {}
    exec(program("Fill it from the service"), named)
    store = str(tmp_path / "school.redb")
    with source(NOW) as origin, Service(origin) as service:
        named["refresh"](store, service.address, "demo", "demo")
        named["refresh"](store, service.address, "demo", "s3cret")
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith("0 of ")
    assert any(line.endswith(" replies, 0 failed") for line in printed)
    assert printed[-1].startswith("the service answered 401 to the credentials: check the user")
    with Engine.open(store) as engine:
        assert engine.ask(Learners(1000)).status == 200


def test_a_server_is_followed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    named: Any = {}
    exec(program("Follow a server"), named)
    store = str(tmp_path / "phone.redb")
    with source(NOW) as origin:
        with Feeds(origin, Scope([SchoolInScope(1000, learners=[1])])) as feeds:
            for token in ("family", "family", "s3cret"):
                named["follow"](store, feeds.url, token)
    first, second, third = capsys.readouterr().out.splitlines()
    assert first.startswith("Counts(added=") and second == "nothing new"
    assert third.startswith("the server answered 401: check the login")


def test_what_changes_is_followed(capsys: pytest.CaptureFixture[str]) -> None:
    named: Any = {}
    exec(program("Follow what changes"), named)
    school = '{"type":"grade","school_id":1000,"grade_id":9,"grade":"7"}'
    with Engine.memory() as engine:
        engine.apply(school)
        threading.Timer(0.5, engine.close).start()
        named["watch"](engine)
    engine = Engine.memory()
    engine.apply(school)
    threading.Timer(0.5, engine.close).start()
    asyncio.run(named["watch_on_the_loop"](AsyncEngine(engine)))
    assert capsys.readouterr().out.splitlines() == ['200 [{"id":"9","name":"Grade 7"}]'] * 2


def test_the_table_of_projects_has_the_pinned_versions() -> None:
    _, _, section = PACKAGE.read_text(encoding="utf-8").partition("\n## In your projects\n")
    rows = re.findall(r"^\| \[[^|]*\(([^|]*)/[^/|]*\) \| ([^|]*) \|", section, re.M)
    table = {folder: sorted(versions.split(", ")) for folder, versions in rows}
    pinned = {}
    for file in (PACKAGE.parent / "tests/projects").glob("*/requirements.txt"):
        requirements = file.read_text(encoding="utf-8").splitlines()
        folder = file.parent.relative_to(PACKAGE.parent).as_posix()
        pinned[folder] = sorted(each.replace("==", " ") for each in requirements)
    assert table == pinned


def test_the_table_of_errors_is_whole() -> None:
    from rollbook import RollbookError

    table = re.findall(r"^\| `(\w+)` \| `(\w+)` \|", PACKAGE.read_text(encoding="utf-8"), re.M)
    assert table == [(kind.code, kind.__name__) for kind in RollbookError.__subclasses__()]
