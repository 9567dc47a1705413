"""What every project of the table in the README does with the package: a change in a new store, the
answers of both ways to ask, an error, and a live query. The result names the steps that succeeded.
"""

import json
from pathlib import Path
from typing import Mapping

from rollbook import Absentees, Answer, AsyncEngine, Engine, Learners, RollbookError

NOW = 1_778_745_600
"""2026-05-14T08:00:00Z, at which the sample school has answers."""

SAMPLE = Path("sample-school.ndjson")
HEADERS = {"HTTP-X-USERNAME": "demo", "HTTP-X-PASSWORD": "demo"}
TARGET = "/api/v1/adminplus/learnerabsentees/1000?learner_id=1&from_date=2026-05-01"
ABSENTEES = Absentees(1000, learner_id=1, from_date="2026-05-01")


def journey(engine: Engine, sample: Path = SAMPLE) -> str:
    """Uses an open engine, and fills its store if it is new."""
    steps = ["opens"]
    stored = engine.stats().records
    if stored.get("learner", 0) == 0:
        assert engine.apply(sample).total.added == 266
    else:
        steps.append("persists")

    answer = engine.request(TARGET, headers=HEADERS)
    assert answer.json()[0]["absent_reason"] == "Illness", answer.text
    assert answer == engine.ask(ABSENTEES)
    assert engine.request(TARGET).status == 401
    assert engine.ask(Learners(1000, name="zoe")).json()[0]["first_name"] == "Zoë"
    try:
        engine.apply("no dataset")
    except RollbookError as error:
        assert error.code == "bad_dataset", error
    else:
        raise AssertionError("it is a dataset")
    steps.append("answers")

    answers = engine.observe(ABSENTEES)
    before = len(next(answers).json())
    engine.apply(another_absence(stored))
    assert len(next(answers).json()) == before + 1
    answers.cancel()
    return " ".join([*steps, "observes"])


async def async_journey(engine: AsyncEngine, sample: Path = SAMPLE) -> str:
    """Does the same with the engine for asyncio."""
    steps = ["opens"]
    stored = (await engine.stats()).records
    if stored.get("learner", 0) == 0:
        assert (await engine.apply(sample)).total.added == 266
    else:
        steps.append("persists")

    answer: Answer = await engine.request(TARGET, headers=HEADERS)
    assert answer.json()[0]["absent_reason"] == "Illness", answer.text
    assert answer == await engine.ask(ABSENTEES)
    assert (await engine.request(TARGET)).status == 401
    try:
        await engine.apply("no dataset")
    except RollbookError as error:
        assert error.code == "bad_dataset", error
    else:
        raise AssertionError("it is a dataset")
    steps.append("answers")

    answers = engine.observe(ABSENTEES)
    before = len((await answers.__anext__()).json())
    await engine.apply(another_absence(stored))
    assert len((await answers.__anext__()).json()) == before + 1
    await answers.cancel()
    return " ".join([*steps, "observes"])


def another_absence(stored: Mapping[str, int]) -> str:
    """Returns a dataset of one absence that the store does not have."""
    absence = {"type": "absentee", "school_id": 1000, "learner_id": 1, "absent_date": "2026-05-05"}
    return json.dumps({**absence, "id": 900_000 + stored.get("absentee", 0)})
