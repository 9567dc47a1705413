"""A program that uses the package, so that its types are checked."""

from datetime import date
from pathlib import Path
from typing import List, Optional

import httpx
import requests

from rollbook import (
    Absentees,
    Answer,
    AsyncEngine,
    BadDatasetError,
    Engine,
    Learners,
    LearnerStatus,
    Progress,
    Request,
    RollbookError,
    Summary,
)
from rollbook.httpx import AsyncTransport, Transport
from rollbook.records import Absentee, Learner
from rollbook.requests import Adapter


def names(engine: Engine) -> List[str]:
    learners: List[Learner] = engine.ask(Learners(school=1000, name="an")).json()
    return [learner["first_name"] for learner in learners]


def left(engine: Engine, since: date) -> Answer:
    return engine.ask(Learners(1000, status=LearnerStatus.LEFT, since=since))


def absent(engine: Engine) -> List[Absentee]:
    absentees: List[Absentee] = engine.ask(Absentees(1000, to_date="2026-05-14")).json()
    return absentees


def load(engine: Engine, path: Path) -> Optional[Summary]:
    def listen(progress: Progress) -> bool:
        return progress.bytes < 1 << 30

    try:
        with path.open("rb") as dataset:
            return engine.apply(dataset, progress=listen)
    except BadDatasetError as error:
        print(error.code, error)
    except RollbookError as error:
        print(error.code)
    return None


def batch(engine: Engine) -> List[int]:
    requests_ = [Request("/api/v1/settings/clients", headers={"HTTP-X-USERNAME": "demo"})]
    return [answer.status for answer in engine.requests(requests_)]


def transports(engine: Engine, base: str) -> None:
    httpx.Client(transport=Transport(engine, base)).close()
    httpx.Client(mounts={base: Transport(engine)}).close()
    requests.Session().mount(base + "/", Adapter(engine))


async def asynchronous(base: str) -> None:
    async with await AsyncEngine.memory() as engine:
        summary: Summary = await engine.apply(Path("school.ndjson"))
        print(summary.total.added, summary.kinds["learner"])
        async with httpx.AsyncClient(transport=AsyncTransport(engine, base)) as http:
            await http.get(base)


def test_it_runs(school: Engine) -> None:
    assert "Zoë" in names(school)
    assert absent(school) and left(school, date(2026, 1, 1)).status in (200, 404)
    assert batch(school) == [401]
    transports(school, "https://integrate.example.org")
