"""The hook of PyInstaller, which adds the files of this package to a frozen program."""

from pathlib import Path
from typing import List


def get_hook_dirs() -> List[str]:
    """Returns the folder of the hook. PyInstaller calls this function."""
    return [str(Path(__file__).parent)]
