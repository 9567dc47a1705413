"""The types of the records: answers have exactly their fields."""

import json
from importlib import resources
from typing import Any, Dict, List, Set, get_args, get_origin, get_type_hints

import pytest

from rollbook import Engine, question, records

ASKED: List[Any] = [
    (question.Learners(1000), List[records.Learner]),
    (question.Learners(1000, include_parents=True), List[records.Learner]),
    (question.AssessmentMarks(1000, grade_id=9), records.AssessmentMarks),
    (question.SubjectsPerTerm(1000, 1), List[records.SubjectPerTerm]),
    (question.SubjectMarks(1000, 1), List[records.SubjectMarks]),
    (question.LearnerSubjects(1000), List[records.LearnerSubject]),
    (question.Schools("demo"), List[records.School]),
    (question.Clients("demo"), List[records.Client]),
    (question.Absentees(1000), List[records.Absentee]),
    (question.FinanceLearners(1000), List[records.FinanceLearner]),
    (
        question.FinanceLearners(1000, include_parents=True, include_accountable_person=True),
        List[records.FinanceLearner],
    ),
    (question.AccountablePersons(1000), List[records.AccountablePerson]),
    (question.AccountablePersons(1000, include_learners=True), List[records.AccountablePerson]),
    (question.Parents(1000), List[records.Parent]),
    (question.StaffMembers(1000), List[records.StaffMember]),
    (question.SchoolInfo(1000), records.SchoolInfo),
    (question.Discipline(1000), List[records.Discipline]),
    (question.Grades(1000), List[records.LookupEntry]),
    (question.Lookup("language"), List[records.LookupEntry]),
    (question.Learners(4711), records.Error),
]


class Seen:
    """Checks values against their types, and collects the fields that occurred."""

    def __init__(self) -> None:
        self.fields: Dict[str, Set[str]] = {}

    def check(self, kind: Any, value: Any, place: str) -> None:
        if get_origin(kind) is list:
            assert isinstance(value, list), place
            for element in value:
                self.check(get_args(kind)[0], element, place + "[]")
        elif get_origin(kind) is dict:
            assert isinstance(value, dict), place
            for key, element in value.items():
                assert isinstance(key, str)
                self.check(get_args(kind)[1], element, place + "{}")
        elif hasattr(kind, "__required_keys__"):
            assert isinstance(value, dict), place
            hints = get_type_hints(kind)
            missing, unknown = kind.__required_keys__ - set(value), set(value) - set(hints)
            assert not missing and not unknown, f"{place}: {missing} missing, {unknown} unknown"
            assert list(value) == [name for name in hints if name in value], place
            self.fields.setdefault(kind.__name__, set()).update(value)
            for name, field in value.items():
                self.check(hints[name], field, f"{place}.{name}")
        else:
            assert type(value) is kind, place


@pytest.fixture(scope="module")
def seen(school: Engine) -> Seen:
    """Checks all answers, and returns their fields."""
    seen = Seen()
    for asked, kind in ASKED:
        seen.check(kind, school.ask(asked).json(), type(asked).__name__)
    return seen


def test_answers_have_the_fields_of_their_types(seen: Seen) -> None:
    assert len(seen.fields) > 15


def test_every_field_of_a_type_is_answered(seen: Seen) -> None:
    for kind in vars(records).values():
        if getattr(kind, "__module__", "") == records.__name__ and kind.__name__ in seen.fields:
            assert set(get_type_hints(kind)) - seen.fields[kind.__name__] == set(), kind


def test_the_structure_alone(school: Engine) -> None:
    answer = school.ask(question.AssessmentMarks(1000, grade_id=9, structure=True)).json()
    fields = {
        tuple(assessment)
        for grade in answer.values()
        for year in grade["years"].values()
        for term in year["terms"].values()
        for learner in term["learners"].values()
        for subject in learner["subjects"].values()
        for outcome in subject["learning_outcomes"].values()
        for assessment in outcome["assessments"].values()
    }
    assert fields == {tuple(get_type_hints(records.AssessmentStructure))}


def test_every_public_type_was_looked_at(seen: Seen) -> None:
    public = {
        name
        for name, kind in vars(records).items()
        if hasattr(kind, "__required_keys__") and not name.startswith("_")
    }
    assert public - set(seen.fields) == {"AssessmentStructure"}


def test_the_package_has_the_documents_of_openapi() -> None:
    for version in ("v1", "v2"):
        document = resources.files("rollbook").joinpath(f"openapi-{version}.json")
        paths = json.loads(document.read_text(encoding="utf-8"))["paths"]
        assert all(path.startswith(f"/api/{version}/") for path in paths)
        assert len(paths) > 20
