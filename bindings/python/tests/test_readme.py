"""The quickstart of the README: it runs as it stands."""

import re
import subprocess
import sys
from pathlib import Path

from material import ROOT

PACKAGE = ROOT / "bindings/python/README.md"


def quickstart() -> str:
    """The first Python block under the heading."""
    _, found, section = PACKAGE.read_text(encoding="utf-8").partition("\n## Quickstart\n")
    assert found, f"{PACKAGE} has no quickstart"
    block = re.search(r"```python\n(.*?)```", section, re.DOTALL)
    assert block is not None, f"{PACKAGE} has no program in its quickstart"
    return block[1]


def test_the_quickstart_runs() -> None:
    ran = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", quickstart()],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout == "266 records\n200 Zoë van der Merwe\n"


def test_the_table_of_errors_is_whole() -> None:
    from rollbook import RollbookError

    table = re.findall(r"^\| `(\w+)` \| `(\w+)` \|", PACKAGE.read_text(encoding="utf-8"), re.M)
    assert table == [(kind.code, kind.__name__) for kind in RollbookError.__subclasses__()]
