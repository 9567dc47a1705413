"""The requests of the sample apps: every endpoint of v1, some of v2, and requests that are
refused."""

from typing import Any, Dict, List, NamedTuple, Tuple

from rollbook import Answer


class Asked(NamedTuple):
    """A request as the client sent it."""

    method: str
    target: str
    body: bytes


class Exchange(NamedTuple):
    """A request of an app, and the answer with the headers that the engine sets."""

    asked: Asked
    status: int
    headers: Dict[str, str]
    body: bytes


CALLS: List[Tuple[str, Dict[str, Any]]] = [
    ("learners", {"school": 1000}),
    ("learners", {"school": 1000, "learner_id": 1, "include_parents": 1}),
    ("learners", {"school": 1000, "name": "zoë van"}),
    ("learners", {"school": 1000, "grade_id": "8,9"}),
    ("learners", {"school": 1000, "status": "nobody"}),
    ("learners", {"school": 4711}),
    ("assessment_marks", {"school": 1000, "learner_id": 1}),
    ("assessment_marks", {"school": 1000, "grade_id": 9, "structure": 1}),
    ("assessment_marks", {"school": 1000}),
    ("subjects_per_term", {"school": 1000, "learner": 1}),
    ("subject_marks", {"school": 1000, "learner": 1}),
    ("learner_subjects", {"school": 1000}),
    ("schools", {}),
    ("clients", {"school": 1000}),
    ("set_state", {"school": 1000, "state": 1, "api_type_id": 8}),
    ("set_state", {"school": 1000, "state": 0, "api_type_id": 8}),
    ("learners", {"school": 1000}),
    ("set_state", {"school": 1000, "state": 1, "api_type_id": 8}),
    ("set_state", {"school": 1000, "state": 2, "api_type_id": 8}),
    ("learners", {"school": 1000, "family_code": 1001}),
    ("absentees", {"school": 1000, "from_date": "2026-04-20", "to_date": "2026-05-14"}),
    ("learner_accounts", {"school": 1000, "include_accountable_person": 1}),
    ("debtors", {"school": 1000, "include_learners": 1}),
    ("page", {"school": 1000, "resource": "adminplus/learners", "limit": 50}),
    ("page", {"school": 1000, "resource": "adminplus/learners/1"}),
    ("page", {"school": 1000, "resource": "currplus/learnerassessmentmarks", "learner_id": 1}),
    ("page", {"school": 1000, "resource": "finplus/debtmanagement/accountablepersons"}),
    ("page", {"school": 1000, "resource": "adminplus/learners", "limit": 0}),
    ("page", {"school": 1000, "resource": "nothing/here"}),
]


def sent(answer: Answer) -> Tuple[int, Dict[str, str], bytes]:
    """Converts an answer of the engine to an HTTP response, which has no body with 204."""
    headers = dict(answer.headers)
    if answer.status != 204:
        return answer.status, headers, answer.body
    del headers["Content-Length"]
    return 204, headers, b""
