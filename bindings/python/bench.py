"""Measures questions and compares them with SQLite: medians on the sample school of 1,000
learners.

    cargo run --release --package rollbook-benches --bin rows FOLDER
    python bench.py FOLDER

The folder contains Rollbook's store, and the database *SQLite rows* of ``benches``, which has one
pre-rendered JSON text per row. A prepared statement finds the texts and joins them into the answer,
by the standard library's ``sqlite3``. Every answer of both is compared before anything is timed.
Both run in one process, and each round asks all questions of both in a random order. The second
table includes the time of ``json.loads``.
"""

import json
import random
import sqlite3
import statistics
import sys
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Tuple

from rollbook import (
    Absentees,
    AssessmentMarks,
    Engine,
    Learners,
    LearnerSubjects,
    Question,
    Request,
    SubjectMarks,
    SubjectsPerTerm,
)

SCHOOL = 1000
NOW = 1_798_700_400
"""2026-12-31, when all marks of the year are released."""
TODAY = 20261231

HEADERS = {"HTTP-X-USERNAME": "demo", "HTTP-X-PASSWORD": "demo"}
ONE = f"/api/v1/adminplus/learners/{SCHOOL}?learner_id=1"
BATCH = 50
ROUNDS = 300

CURRENT_YEAR = """FROM school JOIN {0} ON school = school.id AND year = current_year
    WHERE school.id = ? AND"""

Ask = Tuple[str, Callable[[], Question], Callable[["Rows"], bytes]]


class Rows:
    """SQLite with one pre-rendered text per row, as in ``benches/src/peers/sqlite/rows``."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        # Texts that are only joined are not decoded.
        self._connection.text_factory = bytes
        for setting in (
            "locking_mode = EXCLUSIVE",
            "cache_size = -32768",
            "mmap_size = 2147418112",
            "temp_store = MEMORY",
        ):
            self.all("PRAGMA " + setting)

    def all(self, statement: str, *values: Any) -> List[Any]:
        return self._connection.execute(statement, values).fetchall()

    def list(self, statement: str, *values: Any) -> bytes:
        # SQLite joins faster than Python.
        joined = f"SELECT '[' || group_concat(json, ',') || ']' FROM ({statement})"
        ((array,),) = self.all(joined, *values)
        return bytes(array)

    def families(self, one: int, two: int) -> bytes:
        families = []
        for learner, *parents in self.all(
            """SELECT learner.json, one.json, two.json FROM learner
            LEFT JOIN parent one ON one.school = learner.school AND one.id = learner.parent1
            LEFT JOIN parent two ON two.school = learner.school AND two.id = learner.parent2
            WHERE learner.school = ? AND status = 0 AND grade IN (?, ?) ORDER BY learner.id""",
            SCHOOL,
            one,
            two,
        ):
            known = b",".join([parent for parent in parents if parent is not None])
            families.append(learner[:-1] + b',"parents":[' + known + b"]}")
        return b"[" + b",".join(families) + b"]"

    def marks_of_learner(self, learner: int) -> bytes:
        year = self._year()
        grades: Dict[int, Dict[int, List[bytes]]] = {}
        places = "SELECT DISTINCT grade, term FROM mark WHERE school = ? AND year = ? AND learner = ?"
        for grade, term in self.all(places + " ORDER BY grade, term", SCHOOL, year, learner):
            released = self._released(year, grade)
            rows = self.all(
                """SELECT subject, json FROM mark WHERE school = ? AND year = ? AND grade = ?
                AND term = ? AND learner = ? ORDER BY subject""",
                SCHOOL, year, grade, term, learner,
            )
            open = [json for subject, json in rows if (term, subject) in released]
            if open:
                learners = grades.setdefault(grade, {}).setdefault(term, [])
                learners.append(_of_learner(learner, open))
        return self._nested(year, grades)

    def marks_of_grade(self, grade: int, term: int) -> bytes:
        year = self._year()
        released = self._released(year, grade)
        learners: Dict[int, List[bytes]] = {}
        for learner, subject, json in self.all(
            """SELECT learner, subject, json FROM mark WHERE school = ? AND year = ?
            AND grade = ? AND term = ? ORDER BY learner, subject""",
            SCHOOL, year, grade, term,
        ):
            if (term, subject) in released:
                learners.setdefault(learner, []).append(json)
        each = [_of_learner(learner, rows) for learner, rows in learners.items()]
        return self._nested(year, {grade: {term: each}})

    def _year(self) -> int:
        ((year,),) = self.all("SELECT current_year FROM school WHERE id = ?", SCHOOL)
        return int(year)

    def _released(self, year: int, grade: int) -> Any:
        return set(
            self.all(
                """SELECT term, subject FROM programme
                WHERE school = ? AND year = ? AND grade = ? AND release_day <= ?""",
                SCHOOL, year, grade, TODAY,
            )
        )

    def _nested(self, year: int, grades: Dict[int, Dict[int, List[bytes]]]) -> bytes:
        of_grades = []
        for grade, terms in grades.items():
            ((heading,),) = self.all(
                "SELECT heading FROM grade WHERE school = ? AND year = ? AND grade = ?",
                SCHOOL, year, grade,
            )
            of_terms = [
                b'"%d":{"term":"%d","learners":{%s}}' % (term, term, b",".join(learners))
                for term, learners in terms.items()
            ]
            of_grades.append(heading + b",".join(of_terms) + b"}}}}")
        return b"{" + b",".join(of_grades) + b"}"


def _of_learner(learner: int, rows: List[bytes]) -> bytes:
    return b'"%d":{"learner_id":"%d","subjects":{%s}}' % (learner, learner, b",".join(rows))


def asks(grades: List[int]) -> List[Ask]:
    learner = "SELECT json FROM learner WHERE school = ? AND status = 0"
    one, two = grades[:2]
    return [
        (
            "all current learners",
            lambda: Learners(SCHOOL),
            lambda rows: rows.list(learner + " ORDER BY id", SCHOOL),
        ),
        (
            "two grades with parents",
            lambda: Learners(SCHOOL, grade_ids=[one, two], include_parents=True),
            lambda rows: rows.families(one, two),
        ),
        (
            "one learner by id",
            lambda: Learners(SCHOOL, learner_id=1),
            lambda rows: rows.list(learner + " AND id = ?", SCHOOL, 1),
        ),
        (
            "name search",
            lambda: Learners(SCHOOL, name="smi"),
            lambda rows: rows.list(learner + " AND instr(name, ?) ORDER BY id", SCHOOL, "smi"),
        ),
        (
            "marks of a learner, a year",
            lambda: AssessmentMarks(SCHOOL, learner_id=1),
            lambda rows: rows.marks_of_learner(1),
        ),
        (
            "marks of a grade, a term",
            lambda: AssessmentMarks(SCHOOL, grade_id=one, term=2),
            lambda rows: rows.marks_of_grade(one, 2),
        ),
        (
            "absentees, a month",
            lambda: Absentees(SCHOOL, from_date="2026-05-01", to_date="2026-05-31"),
            lambda rows: rows.list(
                "SELECT json FROM absentee WHERE school = ? AND day BETWEEN ? AND ? ORDER BY day, id",
                SCHOOL, 20260501, 20260531,
            ),
        ),
        (
            "learner subjects of a school",
            lambda: LearnerSubjects(SCHOOL),
            lambda rows: rows.list(
                f"SELECT json {CURRENT_YEAR.format('learner_subject')} status = 0"
                " ORDER BY learner, subject",
                SCHOOL,
            ),
        ),
        (
            "subject marks of a learner",
            lambda: SubjectMarks(SCHOOL, 1),
            lambda rows: rows.list(
                f"SELECT json {CURRENT_YEAR.format('subject_mark')} learner = ? ORDER BY subject",
                SCHOOL, 1,
            ),
        ),
        (
            "subjects per term of a learner",
            lambda: SubjectsPerTerm(SCHOOL, 1),
            lambda rows: rows.list(
                f"SELECT json {CURRENT_YEAR.format('subject_per_term')} learner = ?"
                " ORDER BY subject",
                SCHOOL, 1,
            ),
        ),
        (
            "left, four months",
            lambda: Learners(SCHOOL, status="left", since="2026-08-01", until="2026-11-30"),
            lambda rows: rows.list(
                """SELECT json FROM learner WHERE school = ? AND status = 1
                AND transfer_day BETWEEN ? AND ? ORDER BY id""",
                SCHOOL, 20260801, 20261130,
            ),
        ),
    ]


def timed(calls: List[Callable[[], object]], rounds: int) -> List[float]:
    """Returns the median of each call over this number of rounds in random order, in
    microseconds."""
    times: List[List[int]] = [[] for _ in calls]
    order = list(range(len(calls)))
    for _ in range(rounds):
        random.shuffle(order)
        for place in order:
            call = calls[place]
            call()
            start = time.perf_counter_ns()
            call()
            times[place].append(time.perf_counter_ns() - start)
    return [statistics.median(each) / 1000 for each in times]


def row(name: str, size: Optional[int], ours: float, theirs: float) -> None:
    ratio = theirs / ours
    text = f"{ratio:.2f}" if ratio >= 1 else f"**{ratio:.2f}**"
    print(f"| {name} | {size or '':,} | {ours:.1f} | {text} |")


def main(folder: Path) -> None:
    rows = Rows(folder / "rows.sqlite")
    with Engine.open(folder / "rollbook.redb", fixed_clock=NOW) as engine:
        asked = asks([grade for (grade,) in rows.all("SELECT grade FROM grade ORDER BY grade")])
        sizes = []
        for name, question, peer in asked:
            answer = engine.ask(question())
            if answer.status != 200 or answer.body != peer(rows):
                sys.exit(f"{name}: the answer of SQLite rows differs from that of Rollbook")
            sizes.append(len(answer.body))
        for parse in (False, True):
            calls: List[Callable[[], object]] = []
            for _, question, peer in asked:
                if parse:
                    calls.append(lambda question=question: engine.ask(question()).json())  # type: ignore[misc]
                    calls.append(lambda peer=peer: json.loads(peer(rows)))  # type: ignore[misc]
                else:
                    calls.append(lambda question=question: engine.ask(question()))  # type: ignore[misc]
                    calls.append(lambda peer=peer: peer(rows))  # type: ignore[misc]
            taken = timed(calls, ROUNDS // 10 if parse else ROUNDS)
            print("\n| question | bytes | µs | SQLite rows, × |\n|---|--:|--:|--:|")
            for place, (name, _, _) in enumerate(asked):
                row(name, sizes[place], taken[2 * place], taken[2 * place + 1])
        batch = [Request(ONE, headers=HEADERS)] * BATCH
        whole, many = timed(
            [lambda: engine.request(ONE, headers=HEADERS), lambda: engine.requests(batch)], ROUNDS
        )
        print(f"\none learner, a whole request: {whole:.1f} µs; each of {BATCH}: {many / BATCH:.1f} µs")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
