"""Questions: each has the fields of the engine's question, and the answer of its request."""

import dataclasses
import inspect
import re
from datetime import date, datetime
from typing import Any, Dict, List, Tuple, Type

import pytest
from material import HEADERS

import rollbook
from rollbook import (
    Absentees,
    AccountablePersons,
    AssessmentMarks,
    BadArgumentError,
    Clients,
    Discipline,
    Engine,
    FinanceLearners,
    Grades,
    LearnerStatus,
    LearnerSubjects,
    Learners,
    Lookup,
    LookupList,
    Parents,
    Question,
    SchoolInfo,
    Schools,
    StaffMembers,
    SubjectMarks,
    SubjectsPerTerm,
)
from rollbook._native_calls import native

PAIRS: List[Tuple[Question, str]] = [
    (Learners(1000), "adminplus/learners/1000"),
    (
        Learners(
            1000,
            status=LearnerStatus.LEFT,
            since=date(2025, 6, 1),
            until="2026-05-14",
            grade_ids=[8, 9],
            include_parents=True,
        ),
        "adminplus/learners/1000?status=left&since=2025-06-01&until=2026-05-14&grade_id=8,9"
        "&include_parents",
    ),
    (Learners(1000, status="waitlist"), "adminplus/learners/1000?status=waitlist"),
    (Learners(school=1000, name="zoë"), "adminplus/learners/1000?name=zo%C3%AB"),
    (
        Learners(school=1000, family_code=1001, learner_id=1),
        "adminplus/learners/1000?family_code=1001&learner_id=1",
    ),
    (AssessmentMarks(1000), "currplus/learnerassessmentmarks/1000"),
    (
        AssessmentMarks(1000, learner_id=1, year=2026, term=1),
        "currplus/learnerassessmentmarks/1000?learner_id=1&year=2026&term=1",
    ),
    (
        AssessmentMarks(1000, grade_id=9, structure=True),
        "currplus/learnerassessmentmarks/1000?grade_id=9&structure=1",
    ),
    (
        AssessmentMarks(
            1000, grade_id=9, subject_id=7, learning_outcome_id=2, assessment_id=5
        ),
        "currplus/learnerassessmentmarks/1000?grade_id=9&subject_id=7"
        "&learning_outcome_id=2&assessment_id=5",
    ),
    (SubjectsPerTerm(1000, 1), "currplus/learnersubjectsperterm/1000?learner_id=1"),
    (SubjectMarks(1000, 1), "currplus/learnersubjectmarks/1000?learner_id=1"),
    (LearnerSubjects(1000), "currplus/learnersubjects/1000"),
    (LearnerSubjects(1000, learner_id=2), "currplus/learnersubjects/1000?learner_id=2"),
    (Schools("demo"), "finplus/debtmanagement/schools"),
    (Schools("demo", school=1001), "finplus/debtmanagement/schools/1001"),
    (Clients("demo"), "settings/clients"),
    (Clients("demo", school=1000), "settings/clients/1000"),
    (Absentees(1000), "adminplus/learnerabsentees/1000"),
    (
        Absentees(1000, learner_id=1, from_date="2026-04-14", to_date=date(2026, 5, 14)),
        "adminplus/learnerabsentees/1000?learner_id=1&from_date=2026-04-14"
        "&to_date=2026-05-14",
    ),
    (FinanceLearners(1000), "finplus/debtmanagement/learnerparentinfo/1000"),
    (
        FinanceLearners(
            1000, all_accounts=True, include_parents=True, include_accountable_person=True
        ),
        "finplus/debtmanagement/learnerparentinfo/1000?all_accounts=1&include_parents"
        "&include_accountable_person",
    ),
    (
        FinanceLearners(1000, debtor_code="D", learner_id=1, accountable_person_id=3, parent_id=40),
        "finplus/debtmanagement/learnerparentinfo/1000?debtor_code=D&learner_id=1"
        "&accountable_person_id=3&parent_id=40",
    ),
    (AccountablePersons(1000), "finplus/debtmanagement/schooldebtors/1000"),
    (
        AccountablePersons(1000, all_accounts=True, include_learners=True),
        "finplus/debtmanagement/schooldebtors/1000?all_accounts=1&include_learners",
    ),
    (
        AccountablePersons(1000, debtor_code="D", accountable_person_id=3),
        "finplus/debtmanagement/schooldebtors/1000?debtor_code=D&accountable_person_id=3",
    ),
    (Parents(1000), "adminplus/parents/1000"),
    (Parents(1000, parent_id=40), "adminplus/parents/1000?parent_id=40"),
    (StaffMembers(1000), "adminplus/staffmembers/1000"),
    (StaffMembers(1000, staff_member_id=22), "adminplus/staffmembers/1000?staff_member_id=22"),
    (SchoolInfo(1000), "adminplus/school/1000"),
    (Discipline(1000), "adminplus/learnerdiscipline/1000"),
    (
        Discipline(1000, learner_id=1, from_date="2026-04-14", to_date=date(2026, 5, 14)),
        "adminplus/learnerdiscipline/1000?learner_id=1&from_date=2026-04-14&to_date=2026-05-14",
    ),
    (Grades(1000), "adminplus/lookup/grade/1000"),
    (Grades(1000, grade_id=9), "adminplus/lookup/grade/1000?grade_id=9"),
    (Lookup("ethnic_group"), "adminplus/lookup/ethnicgroup"),
    (Lookup(LookupList.MARITAL_STATUS, id=2), "adminplus/lookup/maritalstatus/2"),
    (Lookup(LookupList.GENDER), "adminplus/lookup/gender"),
    (Lookup("language", id=99), "adminplus/lookup/language/99"),
]


@pytest.mark.parametrize(("question", "path"), PAIRS)
def test_a_question_is_answered_as_its_request(
    school: Engine, question: Question, path: str
) -> None:
    answer = school.request("/api/v1/" + path, headers=HEADERS)
    assert school.ask(question) == answer
    assert answer.status in (200, 400, 404)


def test_every_case_has_a_class() -> None:
    cases = {name for name in vars(native.Question) if name.isupper()}
    classes = Question.__subclasses__()
    assert {generated(case).__name__ for case in classes} == {f"Question.{case}" for case in cases}
    assert {type(question) for question, _ in PAIRS} == set(classes)


def generated(case: Any) -> Any:
    """Returns the question of the generated module for a class."""
    name = re.sub("(?<=[a-z])(?=[A-Z])", "_", case.__name__).upper()
    return getattr(native.Question, name)


SAMPLES: Dict[str, Any] = {
    "school": 1000,
    "username": "demo",
    "status": "left",
    "grade_ids": [8, 9],
    "name": "an",
    "debtor_code": "D",
    "list": "language",
}


def sample(name: str, default: Any) -> Any:
    """Returns a value for a field, by its name and its default."""
    if default is False:
        return True
    if name in ("since", "until") or name.endswith("_date"):
        return date(2026, 5, 14)
    return SAMPLES.get(name, 8)


@pytest.mark.parametrize("case", Question.__subclasses__())
def test_every_field_crosses(school: Engine, case: Any) -> None:
    defaults = {field.name: field.default for field in dataclasses.fields(case)}
    needed = {
        name: sample(name, default)
        for name, default in defaults.items()
        if default is dataclasses.MISSING
    }
    for name, default in defaults.items():
        question = case(**{**needed, name: sample(name, default)})
        assert vars(question)[name] != default
        assert school.ask(question).status in (200, 400, 404)


def test_what_only_v2_asks(school: Engine) -> None:
    one = school.find(Absentees(1000, id=first_absentee(school)))
    asked = school.request(
        f"/api/v2/adminplus/learnerabsentees/{one.json()['id']}",
        headers={"HTTP-X-SCHOOLID": "1000", **HEADERS},
    )
    assert one == asked and one.status == 200
    page = school.page(Clients("demo", api_type_id=8))
    asked = school.request(
        "/api/v2/settings/clientintegrations?api_type_id=8", headers=HEADERS
    )
    assert page == asked and len(page.json()["data"]) == 2


def first_absentee(school: Engine) -> int:
    return int(school.ask(Absentees(1000)).json()[0]["id"])


@pytest.mark.parametrize("case", Question.__subclasses__())
def test_the_fields_are_those_of_the_engine(case: Any) -> None:
    own = inspect.signature(case).parameters
    engines = inspect.signature(generated(case)).parameters
    assert list(own) == list(engines)
    for name, parameter in engines.items():
        required = parameter.default is inspect.Parameter.empty
        assert (own[name].default is inspect.Parameter.empty) == required
        if parameter.default is None or parameter.default is False:
            assert own[name].default is parameter.default


def test_pages_continue_at_their_cursors(school: Engine) -> None:
    found: List[Dict[str, Any]] = []
    cursor = None
    while True:
        page = school.page(Learners(1000), cursor=cursor, limit=3).json()
        found += page["data"]
        cursor = page["meta"].get("next_cursor")
        if cursor is None:
            break
    backwards = school.page(Learners(1000), limit=50, reverse_order=True).json()["data"]
    assert len(found) > 3 and found == backwards[::-1]
    headers = {"HTTP-X-SCHOOLID": "1000", **HEADERS}
    asked = school.request("/api/v2/adminplus/learners?limit=3", headers=headers)
    assert school.page(Learners(1000), limit=3) == asked


def test_one_record(school: Engine) -> None:
    headers = {"HTTP-X-SCHOOLID": "1000", **HEADERS}
    for learner in (1, 4711):
        asked = school.request(f"/api/v2/adminplus/learners/{learner}", headers=headers)
        assert school.find(Learners(1000, learner_id=learner)) == asked


def test_an_instant_of_its_own(school: Engine) -> None:
    assert school.ask(Absentees(1000)).status == 200
    for ask in (school.ask, school.find):
        assert ask(Absentees(1000), now=0).status == 404
    assert school.page(Absentees(1000), now=0).json()["data"] == []


@pytest.mark.parametrize("day", ["2026-02-30", "yesterday", datetime(2026, 1, 1)])
def test_what_is_no_date(school: Engine, day: Any) -> None:
    with pytest.raises(BadArgumentError, match="from_date is .*YYYY-MM-DD"):
        school.ask(Absentees(1000, from_date=day))


def test_what_is_no_status() -> None:
    with pytest.raises(ValueError, match="'gone' is not a valid LearnerStatus"):
        Learners(1000, status="gone")  # type: ignore[arg-type]


def test_questions_are_values() -> None:
    assert Learners(1000, name="an") == Learners(school=1000, name="an")
    assert "name='an'" in repr(Learners(1000, name="an"))
    with pytest.raises(dataclasses.FrozenInstanceError):
        Learners(1000).school = 1  # type: ignore[misc]


def test_set_state(own: Engine) -> None:
    assert own.set_state("demo", 1000, 8, False).status == 200
    assert own.set_state("demo", 1000, 8, active=False).status == 204
    refused = own.request("/api/v1/adminplus/learners/1000", headers=HEADERS)
    assert refused.status == 403
    assert own.set_state("nobody", 1000, 8, True).status == 404


def test_upgrade(school: Engine) -> None:
    upgrade = school.upgrade("/api/v1/adminplus/learners/1000?learner_id=1")
    assert upgrade.target == "/api/v2/adminplus/learners/1"
    assert upgrade.headers == (("HTTP-X-SCHOOLID", "1000"),)
    v2 = school.request(upgrade.target, headers=[*upgrade.headers, *HEADERS.items()])
    assert v2 == school.find(Learners(1000, learner_id=1))


def test_everything_public_is_named() -> None:
    kinds: Tuple[Type[Any], ...] = tuple(Question.__subclasses__())
    assert all(getattr(rollbook, kind.__name__) is kind for kind in kinds)
    assert {kind.__name__ for kind in kinds} <= set(rollbook.__all__)
    assert len(set(rollbook.__all__)) == len(rollbook.__all__)
