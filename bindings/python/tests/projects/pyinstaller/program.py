"""A program that PyInstaller freezes: `program STORE DATASET`."""

import sys
from pathlib import Path

from journey import NOW, journey

from rollbook import Engine

store, dataset = sys.argv[1:]
with Engine.open(store, fixed_clock=NOW) as engine:
    print(journey(engine, Path(dataset)))
