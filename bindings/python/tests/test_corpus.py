"""The corpus: every case of datasets, requests and exact answers."""

import json
import re
from typing import Any, Callable, Dict, List, Optional

import pytest
from material import CORPUS, CORPUS_SIZE

from rollbook import BadDatasetError, Engine, Summary


class Cursors:
    """The cursors in the answers of a case, by their names in the case."""

    def __init__(self) -> None:
        self.known: Dict[str, str] = {}

    def target(self, target: str) -> str:
        """Returns a target with each ``<NAME>`` replaced by the cursor of that name."""
        return re.sub("<(.*?)>", lambda name: self.known[name[1]], target)

    def fits(self, found: str, expected: str) -> bool:
        """Returns whether an answer is the expected one, and stores its cursor if it is."""
        named = re.search('"next_cursor":"<([a-z0-9]+)>"', expected)
        if named is None:
            return found == expected
        before, after = expected[: named.start(1) - 1], expected[named.end(1) + 1 :]
        cursor = re.fullmatch(
            re.escape(before) + "([A-Za-z0-9_-]+)" + re.escape(after), found
        )
        if cursor is not None:
            self.known[named[1]] = cursor[1]
        return cursor is not None


def fits(message: Dict[str, str], text: str) -> bool:
    if "is" in message:
        return text == message["is"]
    return text.startswith(message["starts"])


def change(run: Callable[[], Summary], expected: Dict[str, Any]) -> None:
    fault = expected["fault"]
    if fault is not None:
        with pytest.raises(BadDatasetError) as refused:
            run()
        assert fits(fault, str(refused.value)), (str(refused.value), fault)
        return
    counts = [
        f"{kind} +{n.added} ~{n.changed} -{n.removed} .{n.unchanged}"
        for kind, n in sorted(run().kinds.items())
    ]
    assert not expected["counts"] or counts == expected["counts"]


def request(engine: Engine, cursors: Cursors, step: Dict[str, Any]) -> None:
    answer = engine.request(
        cursors.target(step["target"]),
        step["method"],
        [(name, value) for name, value in step["headers"]],
        step["body"],
        step["now"],
    )
    headers = dict(answer.headers)
    assert cursors.fits(answer.text, step["answer"]), (answer.text, step["answer"])
    assert answer.status == step["status"]
    assert headers.get("Allow") == step["allow"]
    assert headers["Content-Length"] == str(len(answer.body))


def run(case: Dict[str, Any]) -> int:
    """Runs a case and returns the number of its requests."""
    cursors = Cursors()
    requests = 0
    with Engine.memory() as engine:
        for step in case["steps"]:
            kind, dataset = step["step"], step.get("dataset")
            if kind == "apply":
                change(lambda: engine.apply(dataset), step["expected"])
            elif kind == "replace_school":
                school = step["school"]
                change(lambda: engine.replace_school(school, dataset), step["expected"])
            elif kind == "remove_school":
                change(lambda: engine.remove_school(step["school"]), step["expected"])
            elif kind == "erase_learner":
                school, learner = step["school"], step["learner"]
                change(lambda: engine.erase_learner(school, learner), step["expected"])
            elif kind == "check":
                faults = [str(fault) for fault in engine.check(dataset, step["limit"])]
                assert len(faults) == len(step["faults"]), faults
                assert all(map(fits, step["faults"], faults)), faults
            elif kind == "export":
                assert "".join(engine.export()) == step["lines"]
            elif kind == "request":
                requests += 1
                request(engine, cursors, step)
            else:
                raise AssertionError(f"no step {kind}")
        assert engine.verify().problems == []
    return requests


def failure(case: Dict[str, Any], requests: List[int]) -> Optional[str]:
    try:
        requests.append(run(case))
    except Exception as failed:
        return f"{case['name']}\n{failed!r}"
    return None


def test_every_case(capsys: pytest.CaptureFixture[str]) -> None:
    with CORPUS.open(encoding="utf-8") as lines:
        cases = [json.loads(line) for line in lines]
    requests: List[int] = []
    failures = [failed for failed in (failure(case, requests) for case in cases) if failed]
    with capsys.disabled():
        print(f"\n{len(cases)} cases, {sum(requests)} requests")
    assert not failures, f"{len(failures)} of {len(cases)} cases:\n" + "\n\n".join(failures)
    size = json.loads(CORPUS_SIZE.read_text())
    assert {"cases": len(cases), "requests": sum(requests)} == size


def test_a_cursor_is_taken_from_an_answer_and_put_into_a_target() -> None:
    expected = '{"data":[],"meta":{"limit":1,"next_cursor":"<a1>"}}'
    cursors = Cursors()
    assert cursors.fits(expected.replace("<a1>", "Az-09_"), expected)
    assert cursors.target("/l?cursor=x<a1><a1>&y") == "/l?cursor=xAz-09_Az-09_&y"
    for wrong in ["", "a b", "a+b", "<a1>", 'a"b']:
        assert not cursors.fits(expected.replace("<a1>", wrong), expected)
    assert not cursors.fits(expected.replace("<a1>", "a") + "\n", expected)
