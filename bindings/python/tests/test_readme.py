"""The quickstart of the READMEs: it runs as it stands."""

import re
import subprocess
import sys
from pathlib import Path
from typing import List

import pytest
from material import ROOT

PACKAGE = ROOT / "bindings/python/README.md"


def quickstart(readme: Path, heading: str) -> List[str]:
    """The first Python block under a heading, if the README has the heading."""
    _, found, section = readme.read_text(encoding="utf-8").partition(f"\n{heading}\n")
    section = re.split(r"\n#{1,3} ", section)[0]
    blocks = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    return blocks[:1]


def blocks() -> List[str]:
    found = quickstart(PACKAGE, "## Quickstart")
    assert len(found) == 1, f"{PACKAGE} has no quickstart"
    return found + quickstart(ROOT / "README.md", "### Python")


def test_there_is_one_text() -> None:
    assert set(blocks()) == {blocks()[0]}


@pytest.mark.parametrize("program", blocks(), ids=lambda program: f"{len(program)} characters")
def test_the_quickstart_runs(program: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", program],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout == "239 records\n200 Zoë van der Merwe\n"


def test_the_table_of_errors_is_whole() -> None:
    from rollbook import RollbookError

    table = re.findall(r"^\| `(\w+)` \| `(\w+)` \|", PACKAGE.read_text(encoding="utf-8"), re.M)
    assert table == [(kind.code, kind.__name__) for kind in RollbookError.__subclasses__()]
