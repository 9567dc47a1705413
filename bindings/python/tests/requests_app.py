"""A client of the service, as an app would write it with Requests."""

from typing import Any, Dict

import requests


class SchoolClient:
    """Sends requests about schools to the service. Its session has the credentials."""

    def __init__(self, session: requests.Session, base_address: str) -> None:
        self._http = session
        self._base = base_address

    def learners(self, school: int, **query: Any) -> requests.Response:
        return self._get(f"/api/v1/adminplus/learners/{school}", query)

    def assessment_marks(self, school: int, **query: Any) -> requests.Response:
        return self._get(f"/api/v1/currplus/learnerassessmentmarks/{school}", query)

    def subjects_per_term(self, school: int, learner: int) -> requests.Response:
        query = {"learner_id": learner}
        return self._get(f"/api/v1/currplus/learnersubjectsperterm/{school}", query)

    def subject_marks(self, school: int, learner: int) -> requests.Response:
        query = {"learner_id": learner}
        return self._get(f"/api/v1/currplus/learnersubjectmarks/{school}", query)

    def learner_subjects(self, school: int, **query: Any) -> requests.Response:
        return self._get(f"/api/v1/currplus/learnersubjects/{school}", query)

    def schools(self) -> requests.Response:
        return self._get("/api/v1/finplus/debtmanagement/schools", {})

    def clients(self, school: int) -> requests.Response:
        return self._get(f"/api/v1/settings/clients/{school}", {})

    def set_state(self, school: int, state: int, api_type_id: int) -> requests.Response:
        return self._http.patch(
            self._base + f"/api/v1/settings/clients/{school}",
            json={"state": state, "api_type_id": api_type_id},
        )

    def absentees(self, school: int, **query: Any) -> requests.Response:
        return self._get(f"/api/v1/adminplus/learnerabsentees/{school}", query)

    def learner_accounts(self, school: int, **query: Any) -> requests.Response:
        return self._get(f"/api/v1/finplus/debtmanagement/learnerparentinfo/{school}", query)

    def debtors(self, school: int, **query: Any) -> requests.Response:
        return self._get(f"/api/v1/finplus/debtmanagement/schooldebtors/{school}", query)

    def page(self, school: int, resource: str, **query: Any) -> requests.Response:
        return self._get(f"/api/v2/{resource}", query, {"HTTP-X-SCHOOLID": str(school)})

    def _get(self, path: str, query: Dict[str, Any], headers: Any = None) -> requests.Response:
        return self._http.get(self._base + path, params=query, headers=headers)
