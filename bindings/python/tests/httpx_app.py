"""A client of the service, as an app would write it with HTTPX."""

from typing import Any, Dict

import httpx


class SchoolClient:
    """Sends requests about schools to the service. Its HTTP client has the base address and the
    credentials."""

    def __init__(self, http: httpx.Client) -> None:
        self._http = http

    def learners(self, school: int, **query: Any) -> httpx.Response:
        return self._get(f"/api/v1/adminplus/learners/{school}", query)

    def assessment_marks(self, school: int, **query: Any) -> httpx.Response:
        return self._get(f"/api/v1/currplus/learnerassessmentmarks/{school}", query)

    def subjects_per_term(self, school: int, learner: int) -> httpx.Response:
        query = {"learner_id": learner}
        return self._get(f"/api/v1/currplus/learnersubjectsperterm/{school}", query)

    def subject_marks(self, school: int, learner: int) -> httpx.Response:
        query = {"learner_id": learner}
        return self._get(f"/api/v1/currplus/learnersubjectmarks/{school}", query)

    def learner_subjects(self, school: int, **query: Any) -> httpx.Response:
        return self._get(f"/api/v1/currplus/learnersubjects/{school}", query)

    def schools(self) -> httpx.Response:
        return self._get("/api/v1/finplus/debtmanagement/schools", {})

    def clients(self, school: int) -> httpx.Response:
        return self._get(f"/api/v1/settings/clients/{school}", {})

    def set_state(self, school: int, state: int, api_type_id: int) -> httpx.Response:
        return self._http.patch(
            f"/api/v1/settings/clients/{school}",
            json={"state": state, "api_type_id": api_type_id},
        )

    def absentees(self, school: int, **query: Any) -> httpx.Response:
        return self._get(f"/api/v1/adminplus/learnerabsentees/{school}", query)

    def learner_accounts(self, school: int, **query: Any) -> httpx.Response:
        return self._get(f"/api/v1/finplus/debtmanagement/learnerparentinfo/{school}", query)

    def debtors(self, school: int, **query: Any) -> httpx.Response:
        return self._get(f"/api/v1/finplus/debtmanagement/schooldebtors/{school}", query)

    def page(self, school: int, resource: str, **query: Any) -> httpx.Response:
        return self._get(f"/api/v2/{resource}", query, {"HTTP-X-SCHOOLID": str(school)})

    def _get(self, path: str, query: Dict[str, Any], headers: Any = None) -> httpx.Response:
        return self._http.get(path, params=query, headers=headers)
