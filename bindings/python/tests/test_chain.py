"""From the service to a device: a server syncs with the service, and serves feeds to a device."""

import time
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from material import HEADERS, NOW, SAMPLE_SCHOOL
from rollbook.httpx import follow_from
from service import serve

from rollbook import (
    Absentees,
    AssessmentMarks,
    Engine,
    FollowStopped,
    Learners,
    NotSyncedError,
    StaffMembers,
    SyncedError,
)
from rollbook.question import Question

SHOWN = [
    (Learners(1000, learner_id=1), "adminplus/learners/1000?learner_id=1"),
    (Learners(1000, learner_id=2), "adminplus/learners/1000?learner_id=2"),
    (Absentees(1000, learner_id=1), "adminplus/learnerabsentees/1000?learner_id=1"),
    (
        AssessmentMarks(1000, learner_id=1, grade_id=9),
        "currplus/learnerassessmentmarks/1000?learner_id=1&grade_id=9",
    ),
]
"""Questions for a family's phone, each with the equivalent request to the service."""

CHANGES = """
{"type":"learner","school_id":1000,"id":2,"first_name":"Janey","last_name":"Naidoo","grade_id":"9"}
{"type":"learner","school_id":1000,"id":3,"first_name":"Zoe","last_name":"Outsider","grade_id":"9"}
"""


def follow_until(phone: Engine, url: str, question: Question, text: str) -> None:
    with httpx.Client(headers={"Authorization": "Bearer family"}) as http:
        for _ in range(60):
            try:
                follow_from(http, phone, url, wait=2)
                if text in phone.ask(question).text:
                    return
            except FollowStopped as stopped:
                # The server has not finished its first pass.
                assert stopped.status == 503 and phone.followed() is None
                time.sleep(0.1)
    pytest.fail(f"{text} does not arrive")


def compare(phone: Engine, service: str) -> None:
    for question, target in SHOWN:
        answer = httpx.get(f"{service}/api/v1/{target}", headers=HEADERS)
        assert answer.status_code == 200, target
        assert phone.ask(question).body == answer.content, target


def test_a_change_at_the_service_arrives(tmp_path: Path) -> None:
    store, changes = tmp_path / "service.redb", tmp_path / "changes.ndjson"
    changes.write_text(CHANGES)
    with ExitStack() as before, Engine.memory(fixed_clock=NOW) as phone:
        service = before.enter_context(serve("--store", store, "--dataset", SAMPLE_SCHOOL))
        synced = ["--from", service, "--school", 1000, "--every", 1]
        with serve(*synced, "--feed", "family=1000:1,2") as server:
            follow_until(phone, f"{server}/feed", Learners(1000, learner_id=1), "Smith")
            compare(phone, service)
            for outside in [
                Learners(1000),
                Learners(1000, learner_id=3),
                StaffMembers(1000),
                Learners(1001, learner_id=201),
            ]:
                with pytest.raises(NotSyncedError):
                    phone.ask(outside)
            with pytest.raises(SyncedError):
                phone.apply(CHANGES)
            before.close()
            address = service.replace("http://", "")
            with serve("--store", store, "--dataset", changes, "--listen", address):
                follow_until(phone, f"{server}/feed", Learners(1000, learner_id=2), "Naidoo")
                compare(phone, service)
        assert "Outsider" not in "".join(phone.export())
