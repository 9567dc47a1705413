"""What the tests are run with: files that `tests/material` makes."""

import os
from pathlib import Path

ROOT = Path(__file__).parents[3]
"""The repository."""

FOLDER = Path(os.environ["ROLLBOOK_MATERIAL"])

CORPUS = FOLDER / "corpus.jsonl"
"""The corpus, one case a line."""

CORPUS_SIZE = FOLDER / "corpus-size.json"
"""How many cases and requests it has."""

SAMPLE_SCHOOL = ROOT / "core/examples/sample-school.ndjson"
"""The small schools that were written by hand."""

LARGE_SCHOOL = FOLDER / "school-3000.ndjson"
"""A school of 3,000 learners, over 100 MB."""

SERVE = FOLDER / "serve"
"""The engine behind HTTP."""

NOW = 1_778_745_600
"""2026-05-14T08:00:00Z, an instant at which the sample schools have something of
everything."""

HEADERS = {"HTTP-X-USERNAME": "demo", "HTTP-X-PASSWORD": "demo"}
"""The credentials of the sample schools."""
