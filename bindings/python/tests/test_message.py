"""Descriptions of requests for logs."""

from typing import Any, List

import pytest

from rollbook import Request

HEADERS = [("HTTP-X-USERNAME", "demo"), ("Http-X-Password", "hunter2")]
SPELLINGS: List[Any] = [HEADERS, tuple(HEADERS), dict(HEADERS), iter(HEADERS)]


@pytest.mark.parametrize("headers", SPELLINGS)
def test_a_request_is_written_out_without_its_password(headers: Any) -> None:
    request = Request("/api/v1/settings/clients", headers=headers)
    assert "settings/clients" in repr(request)
    assert "hunter2" not in repr(request) + str(request)
    assert list(dict(request.headers).items()) == HEADERS
