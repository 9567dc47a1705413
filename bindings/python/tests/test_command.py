"""The command ``rollbook``, which the wheel installs."""

import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from urllib.request import Request, urlopen

from material import HEADERS, SAMPLE_SCHOOL
from rollbook import Engine

COMMAND = str(Path(sys.executable).parent / "rollbook")
TARGET = "/api/v1/adminplus/learners/1000?learner_id=1&include_parents=1"
NOW = 1_778_745_600
"""2026-05-14T08:00:00Z, the time of the sample schools."""


def test_it_has_the_version_of_the_package() -> None:
    said = subprocess.run([COMMAND, "--version"], capture_output=True, text=True, check=True)
    assert said.stdout == f"rollbook {version('rollbook')}\n"


def test_it_serves_the_sample_schools_from_an_empty_folder(tmp_path: Path) -> None:
    command = [COMMAND, "serve", "--listen", "0", "--json", "--quiet"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=tmp_path) as server:
        assert server.stdout is not None
        try:
            said = json.loads(server.stdout.readline())
            assert (said["username"], said["password"]) == ("demo", "demo")
            with urlopen(Request(said["url"] + TARGET, headers=HEADERS)) as answer:
                body = answer.read()
        finally:
            server.terminate()
    assert list(tmp_path.iterdir()) == []
    with Engine.memory(fixed_clock=NOW) as engine:
        engine.apply(SAMPLE_SCHOOL)
        assert engine.request(TARGET, headers=HEADERS).body == body
