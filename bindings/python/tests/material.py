"""The files that the tests use. The script `tests/material` creates them."""

import os
from pathlib import Path

ROOT = Path(__file__).parents[3]
"""The repository."""

FOLDER = Path(os.environ["ROLLBOOK_MATERIAL"])

CORPUS = FOLDER / "corpus.jsonl"
"""The corpus, with one case per line."""

CORPUS_SIZE = FOLDER / "corpus-size.json"
"""The number of cases and requests of the corpus."""

SAMPLE_SCHOOL = ROOT / "core/examples/sample-school.ndjson"
"""A dataset of small schools, written by hand."""

LARGE_SCHOOL = FOLDER / "school-3000.ndjson"
"""A dataset of more than 100 MB, a school of 3,000 learners."""

ROLLBOOK = FOLDER / "rollbook"
"""The command ``rollbook``, which can serve a store over HTTP."""

NOW = 1_778_745_600
"""2026-05-14T08:00:00Z, an instant at which every question has an answer with records of the
sample schools."""

HEADERS = {"HTTP-X-USERNAME": "demo", "HTTP-X-PASSWORD": "demo"}
"""The credentials of the sample schools."""
