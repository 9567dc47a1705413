"""A client of the service, as an app would write it with HTTPX and asyncio."""

from typing import Any, Dict

import httpx


class SchoolClient:
    """Sends requests about schools to the service. Its HTTP client has the base address and the
    credentials."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self._http = http

    async def learners(self, school: int, **query: Any) -> httpx.Response:
        return await self._get(f"/api/v1/adminplus/learners/{school}", query)

    async def assessment_marks(self, school: int, **query: Any) -> httpx.Response:
        return await self._get(f"/api/v1/currplus/learnerassessmentmarks/{school}", query)

    async def subjects_per_term(self, school: int, learner: int) -> httpx.Response:
        query = {"learner_id": learner}
        return await self._get(f"/api/v1/currplus/learnersubjectsperterm/{school}", query)

    async def subject_marks(self, school: int, learner: int) -> httpx.Response:
        query = {"learner_id": learner}
        return await self._get(f"/api/v1/currplus/learnersubjectmarks/{school}", query)

    async def learner_subjects(self, school: int, **query: Any) -> httpx.Response:
        return await self._get(f"/api/v1/currplus/learnersubjects/{school}", query)

    async def schools(self) -> httpx.Response:
        return await self._get("/api/v1/finplus/debtmanagement/schools", {})

    async def clients(self, school: int) -> httpx.Response:
        return await self._get(f"/api/v1/settings/clients/{school}", {})

    async def set_state(self, school: int, state: int, api_type_id: int) -> httpx.Response:
        return await self._http.patch(
            f"/api/v1/settings/clients/{school}",
            json={"state": state, "api_type_id": api_type_id},
        )

    async def absentees(self, school: int, **query: Any) -> httpx.Response:
        return await self._get(f"/api/v1/adminplus/learnerabsentees/{school}", query)

    async def learner_accounts(self, school: int, **query: Any) -> httpx.Response:
        return await self._get(f"/api/v1/finplus/debtmanagement/learnerparentinfo/{school}", query)

    async def debtors(self, school: int, **query: Any) -> httpx.Response:
        return await self._get(f"/api/v1/finplus/debtmanagement/schooldebtors/{school}", query)

    async def page(self, school: int, resource: str, **query: Any) -> httpx.Response:
        return await self._get(f"/api/v2/{resource}", query, {"HTTP-X-SCHOOLID": str(school)})

    async def _get(self, path: str, query: Dict[str, Any], headers: Any = None) -> httpx.Response:
        return await self._http.get(path, params=query, headers=headers)
