"""The hook of PyInstaller, which `tests/run projects` runs in a frozen program."""

import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import rollbook


@pytest.mark.skipif(sys.version_info < (3, 10), reason="entry points have no groups")
def test_pyinstaller_finds_the_hook() -> None:
    points = [each for each in entry_points(group="pyinstaller40") if each.module.startswith("rollbook")]
    assert len(points) == 1
    (folder,) = points[0].load()()
    assert (Path(folder) / "hook-rollbook.py").is_file()
    libraries = [path for path in Path(rollbook.__file__).parent.rglob("*rollbook_ffi*")]
    assert len(libraries) == 1
